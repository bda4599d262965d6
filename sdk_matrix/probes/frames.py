"""Misbehaviour of the relay on an open connection: frames and requests that it should not send, and slow requests."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any

import psycopg

from sdk_matrix.contract import Start, Step
from sdk_matrix.matrix.timings import STEADY
from sdk_matrix.probes.bench import Bench, Executor, ProbeFailed
from sdk_matrix.probes.link import BINARY, PING, TEXT, Link
from sdk_matrix.probes.outcome import react
from sdk_matrix.probes.registry import Findings, probe

__all__ = ["REQUESTS"]

_SLOW_S = 4.0
_QUICK_S = 2.0
_PIPE = 16

REQUESTS: dict[str, Callable[[Executor], dict[str, Any] | str]] = {
    "unknown_type": lambda me: {"type": "no_such_message", "request_id": me.request_id()},
    "unknown_field": lambda me: {"type": "executor_info", "request_id": me.request_id(), "brand_new": [1]},
    "missing_request_id": lambda me: {"type": "executor_info"},
    "number_request_id": lambda me: {"type": "executor_info", "request_id": 7},
    "missing_type": lambda me: {"request_id": me.request_id()},
    "malformed_json": lambda me: '{"type": "executor_info", "request_id": ',
    "not_an_object": lambda me: '["executor_info"]',
    "json_number": lambda me: "7",
    "json_null": lambda me: "null",
    "empty_text": lambda me: "",
    "wrong_type_text": lambda me: {
        "type": "get_workflow", "request_id": me.request_id(), "workflow_id": {"a": 1},
        "load_input": True, "load_output": True,
    },
    "wrong_type_list": lambda me: {"type": "recovery", "request_id": me.request_id(), "executor_ids": 5},
    "field_missing": lambda me: {"type": "cancel", "request_id": me.request_id()},
    "body_field_missing": lambda me: {"type": "fork_workflow", "request_id": me.request_id(), "body": {}},
    "body_null": lambda me: {"type": "list_workflows", "request_id": me.request_id(), "body": None},
}  # fmt: skip


@probe("frames", *(f"misbehaviour/{name}" for name in REQUESTS))
async def bad_requests(bench: Bench, findings: Findings) -> None:
    crew = Crew(bench)
    for name, make in REQUESTS.items():
        await crew.one(findings, f"misbehaviour/{name}", make)


@dataclass
class Crew:
    """One worker after another: what ends a process is followed by a new one."""

    bench: Bench
    current: Executor | None = None

    async def executor(self) -> Executor:
        if self.current is None or not self.current.alive:
            self.current = await self.bench.start()
        await self.current.link()
        return self.current

    async def one(self, findings: Findings, row: str, make: Callable[[Executor], dict[str, Any] | str]) -> None:
        """Value: the reaction. Timing: from the end of the connection to the next dial, where it ended one."""
        samples_s: list[float] = []
        for _ in range(STEADY):
            executor = await self.executor()
            dials, mark = len(executor.door.dials), executor.mark()
            reaction = await react(executor, make(executor))
            if executor.alive and executor.door.dials[dials - 1].ended_s is not None:
                samples_s.append(await redial_s(executor, dials))
            frames = executor.since(mark)
            findings.put(row, reaction.value, detail=reaction.detail, frames=frames, samples_s=samples_s)
            if not samples_s:
                return


async def redial_s(executor: Executor, number: int, within_s: float = 90.0) -> float:
    """From the end of the connection before to this dial."""
    dial = await executor.door.dial(number, within_s)
    ended_s = executor.door.dials[number - 1].ended_s
    if ended_s is None:
        raise ProbeFailed("it dialled again with the old connection open")
    await executor.link()
    return max(0.0, dial.at_s - ended_s)


@probe("frames", "misbehaviour/binary_frame", "misbehaviour/fragments", "misbehaviour/control_between_fragments")
async def shapes_of_frames(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        for name, write in (
            ("fragments", _fragments),
            ("control_between_fragments", _fragments_and_ping),
            ("binary_frame", _binary),
        ):
            mark, samples_s = executor.mark(), []
            for _ in range(STEADY):
                value, redialled_s = await _shaped(executor, write)
                if redialled_s is None:
                    break
                samples_s.append(redialled_s)
            findings.put(f"misbehaviour/{name}", value, frames=executor.since(mark), samples_s=samples_s)


async def _shaped(executor: Executor, write: Callable[[Link, bytes], Awaitable[None]]) -> tuple[str, float | None]:
    """What becomes of a request in such frames; where it ended the connection, seconds to the next dial."""
    link, dials, request_id = await executor.link(), len(executor.door.dials), executor.request_id()
    await write(link, f'{{"type": "executor_info", "request_id": "{request_id}"}}'.encode())
    value = "no answer"
    with contextlib.suppress(TimeoutError, ConnectionError):
        await link.answer(request_id, 6.0)
        value = "answered"
    if link.open:
        return value, None
    return f"closes {link.close_code}" if link.close_code else "drops TCP", await redial_s(executor, dials)


async def _fragments(link: Link, payload: bytes) -> None:
    await link.frame(TEXT, payload[:10], final=False)
    await link.frame(0, payload[10:20], final=False)
    await link.frame(0, payload[20:])


async def _fragments_and_ping(link: Link, payload: bytes) -> None:
    await link.frame(TEXT, payload[:10], final=False)
    await link.frame(PING, b"between")
    await link.frame(0, payload[10:])


async def _binary(link: Link, payload: bytes) -> None:
    await link.frame(BINARY, payload)


@contextlib.asynccontextmanager
async def slow_database(bench: Bench) -> AsyncIterator[None]:
    """Whoever reads the workflows waits until the end: a table lock of another client's."""
    async with await psycopg.AsyncConnection.connect(bench.system_url) as connection:
        await connection.execute("LOCK TABLE dbos.workflow_status IN ACCESS EXCLUSIVE MODE")
        yield
        await connection.rollback()


def _slow(executor: Executor) -> dict[str, Any]:
    return {
        "type": "get_workflow", "request_id": executor.request_id(), "workflow_id": "some",
        "load_input": True, "load_output": True,
    }  # fmt: skip


def _quick(executor: Executor) -> dict[str, Any]:
    return {"type": "executor_info", "request_id": executor.request_id()}


async def within(seconds_s: float, what: Awaitable[object]) -> bool:
    try:
        await asyncio.wait_for(what, seconds_s)
    except (TimeoutError, ConnectionError):
        return False
    return True


@probe(
    "frames", "misbehaviour/two_at_once", "misbehaviour/sixteen_behind_a_slow_one",
    "liveness/pong_while_a_request_runs", "liveness/pong_behind_sixteen",
)  # fmt: skip
async def slow_requests(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        await executor.ask(Start(workflow="some", instructions=(Step("only"),)))
        await bench.status("some", "SUCCESS")
        link = await executor.link()
        mark = executor.mark()
        async with slow_database(bench):
            slow, quick = _slow(executor), _quick(executor)
            await link.send(slow)
            await asyncio.sleep(0.3)  # that it has begun can't be seen from outside
            await link.send(quick)
            concurrent = await within(_SLOW_S, link.answer(quick["request_id"], _SLOW_S))
            ponged = await _pong(link, b"running", _QUICK_S)
        await link.answer(slow["request_id"], 60.0)
        await link.answer(quick["request_id"], 60.0)
        frames = executor.since(mark)
        findings.put("misbehaviour/two_at_once", "concurrent" if concurrent else "serial, in order", frames=frames)
        late = "at once" if ponged else "only after the request"
        findings.put("liveness/pong_while_a_request_runs", late, frames=frames)

        mark, asked = executor.mark(), [_quick(executor) for _ in range(_PIPE + 4)]
        async with slow_database(bench):
            await link.send(_slow(executor))
            await asyncio.sleep(0.3)
            for each in asked:
                await link.send(each)
            behind = await within(_QUICK_S, link.answer(asked[-1]["request_id"], _QUICK_S))
            ponged = await _pong(link, b"behind", _QUICK_S)
        answered = await within(60.0, link.answer(asked[-1]["request_id"], 60.0))
        frames = executor.since(mark)
        value = "answered at once" if behind else "answered after it" if answered else "not answered"
        findings.put("misbehaviour/sixteen_behind_a_slow_one", value, frames=frames)
        late = "at once" if ponged else "only after the request"
        findings.put("liveness/pong_behind_sixteen", late, frames=frames)


async def _pong(link: Link, payload: bytes, within_s: float) -> bool:
    before = link.pongs.count(payload)
    await link.frame(PING, payload)
    return await within(within_s, link.until(lambda: link.pongs.count(payload) > before, within_s))
