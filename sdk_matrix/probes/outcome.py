"""One vocabulary for what became of a request, so that cells of different languages and runs can be compared."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sdk_matrix.matrix.model import Frame
from sdk_matrix.probes.bench import ANSWER_S, Executor

__all__ = ["Reaction", "classify", "react", "sentence"]

_SETTLE_S = 3.0  # an answer, or a close frame, comes within this of what caused it
_SLOW_S = 12.0  # an SDK that answers concurrently may answer what is behind first
_END_S = 15.0  # and an exit, or the next dial, within this of the end of the connection


@dataclass(frozen=True)
class Reaction:
    """``value``: answered, error, unknown type, no answer, closes CODE, process exits CODE, drops TCP."""

    value: str
    answer: Mapping[str, Any] | None
    frames: tuple[Frame, ...]
    detail: str = ""


def classify(answer: Mapping[str, Any]) -> str:
    problem = answer.get("error_message")
    if isinstance(problem, str) and "unknown message type" in problem.lower():
        return "unknown type"
    if problem or answer.get("success") is False:
        return "error"
    return "answered"


def sentence(answer: Mapping[str, Any] | None) -> str:
    """The last line of an error, which is where a traceback says what it is about; short, without ids."""
    text = str((answer or {}).get("error_message") or "")
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not lines:
        return ""
    last = lines[-1] if lines[0].startswith("Traceback") or "Traceback" in text[:400] else lines[0]
    return re.sub(r"\s+", " ", last)[:160]


async def react(executor: Executor, message: dict[str, Any] | str, *, within_s: float = ANSWER_S) -> Reaction:
    """Send one request and see what the process does with it.

    Without an answer a ``executor_info`` behind it tells whether the SDK still listens: whoever answers that, and not
    the request soon after, has dropped it. A message without its own id in the text counts as answered by any next one.
    """
    link = await executor.link()
    mark, seen, dials = executor.mark(), len(link.messages), len(executor.door.dials)
    request_id = message.get("request_id") if isinstance(message, dict) else None
    after = executor.request_id()

    def found() -> Mapping[str, Any] | None:
        return next((each for each in link.messages[seen:] if _is_reply(each, request_id, after)), None)

    def settled() -> bool:
        behind = any(each.get("request_id") == after for each in link.messages[seen:])
        return found() is not None or behind

    try:
        await link.send(message)
        try:
            await link.until(found, min(within_s, _SETTLE_S))
        except TimeoutError:
            await link.send({"type": "executor_info", "request_id": after})
            await link.until(settled, within_s)
            await link.until(found, _SLOW_S)
    except (TimeoutError, ConnectionError):
        pass
    answer = found()
    if answer is not None:
        return Reaction(classify(answer), answer, executor.since(mark), sentence(answer))
    return Reaction(await _silence(executor, mark, dials), None, executor.since(mark))


def _is_reply(message: Mapping[str, Any], request_id: object, after: str) -> bool:
    if request_id is None:
        return message.get("request_id") != after
    return str(message.get("request_id")) == str(request_id)  # a number may come back as a text


async def _silence(executor: Executor, mark: int, dials: int) -> str:
    closes = next((f.text for f in executor.door.record[mark:] if f.by == "executor" and f.kind == "close"), None)
    ended = any(f.kind == "end" for f in executor.door.record[mark:])
    if ended and (code := await _exit_code(executor, dials)) is not None:
        return f"process exits {code}"
    if closes is not None:
        return f"closes {closes.split(' ')[0] or 1005}"
    return "drops TCP" if ended else "no answer"


async def _exit_code(executor: Executor, dials: int) -> int | None:
    """None: it lives. Whoever dials again does: there is no need to wait for an exit then."""
    exits = asyncio.create_task(executor.exited(_END_S))
    dial = asyncio.create_task(executor.door.dial(dials, _END_S))
    await asyncio.wait({exits, dial}, return_when=asyncio.FIRST_COMPLETED)
    code = exits.result() if exits.done() else None
    for task in (exits, dial):
        task.cancel()
    await asyncio.gather(exits, dial, return_exceptions=True)
    return code
