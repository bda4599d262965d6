"""Liveness: pings, the deadline of their pongs, and writes that nobody reads. Mostly waiting, so each has its lane."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import pairwise

from sdk_matrix.contract import Start, Step
from sdk_matrix.matrix.model import Frame
from sdk_matrix.probes.bench import Bench, Executor
from sdk_matrix.probes.frames import redial_s
from sdk_matrix.probes.link import PING, Link
from sdk_matrix.probes.registry import Findings, probe

__all__: list[str] = []

_IDLE_S = 66.0  # three intervals of 20 s
_DEADLINE_S = 75.0
_REDIAL_S = 60.0
_UNREAD_S = 8.0
_REST_S = 60.0
_LARGE_BYTES = 24 << 20  # beyond what the sockets' buffers take


@probe(
    "idle", "liveness/first_ping", "liveness/ping_interval", "liveness/no_pings_from_the_relay", "liveness/pongs_a_ping"
)
async def idle(bench: Bench, findings: Findings) -> None:
    """A relay that answers pings and sends nothing."""
    async with bench.executor() as executor:
        link = await executor.link()
        mark = executor.mark()
        ended = await link.ended(_IDLE_S)
        frames = executor.since(mark)
        findings.put("liveness/no_pings_from_the_relay", "ends" if ended else "stays connected", frames=frames)
        pings_s = [frame.at_s for frame in executor.door.record if frame.kind == "ping" and frame.by == "executor"]
        if pings_s:
            first_s = pings_s[0] - link.opened_s
            value = "at once" if first_s < 5.0 else "after an interval"
            findings.put("liveness/first_ping", value, frames=frames, samples_s=[first_s])
        intervals_s = [after - before for before, after in pairwise(pings_s)]
        if intervals_s:
            findings.put("liveness/ping_interval", "pings", frames=frames, samples_s=intervals_s)
        else:
            findings.put("liveness/ping_interval", f"fewer than two pings in {_IDLE_S:g} s", frames=frames)
        if link.open:
            await _pongs_a_ping(executor, link, findings)


async def _pongs_a_ping(executor: Executor, link: Link, findings: Findings) -> None:
    mark = executor.mark()
    await link.frame(PING, b"count me")
    with contextlib.suppress(TimeoutError):
        await link.until(lambda: link.pongs.count(b"count me") > 1, 5.0)
    count = link.pongs.count(b"count me")
    findings.put("liveness/pongs_a_ping", {0: "none", 1: "one", 2: "two"}[count], frames=executor.since(mark))


@probe(
    "silence", "liveness/pong_deadline", "liveness/action_on_expiry", "liveness/tcp_end_after_expiry",
    "liveness/redial_after_expiry",
)  # fmt: skip
async def unanswered_pings(bench: Bench, findings: Findings) -> None:
    """A relay that answers no ping, by two processes. Timing: from the first ping to the close or TCP's end."""
    first = await bench.start()
    executors = [first, await bench.start()]
    mark = first.mark()
    found = await asyncio.gather(*(_unanswered(each) for each in executors))
    frames = first.since(mark)
    deadlines_s, ends_s, redials_s, values = zip(*found, strict=True)
    if any(each is None for each in deadlines_s):
        reason = f"stays connected for {_DEADLINE_S:g} s without a pong"
        for name in ("pong_deadline", "action_on_expiry", "tcp_end_after_expiry", "redial_after_expiry"):
            findings.put(f"liveness/{name}", reason, frames=frames)
        return
    findings.put(
        "liveness/pong_deadline", "has one", frames=frames, samples_s=[s for s in deadlines_s if s is not None]
    )
    findings.put("liveness/action_on_expiry", values[0], frames=frames)
    findings.put("liveness/tcp_end_after_expiry", "ends TCP", frames=frames, samples_s=ends_s)
    findings.put("liveness/redial_after_expiry", "dials again", frames=frames, samples_s=redials_s)


async def _unanswered(executor: Executor) -> tuple[float | None, float, float, str]:
    """Seconds from the first ping to what the executor does then, on to TCP's end, on to the next dial; its deed."""
    link = await executor.link()
    link.answers_pings = False
    number, mark = len(executor.door.dials), executor.mark()
    if not await link.ended(_DEADLINE_S) or link.ended_s is None:
        return None, 0.0, 0.0, ""
    mine = executor.door.record[mark:]
    pinged_s = _first(mine, "ping")
    closed_s = _first(mine, "close")
    acted_s = link.ended_s if closed_s is None else closed_s
    begun_s = link.opened_s if pinged_s is None else pinged_s
    value = f"closes {link.close_code}" if link.close_code else "drops TCP"
    if link.close_reason:
        value += f' "{link.close_reason}"'
    return acted_s - begun_s, link.ended_s - acted_s, await redial_s(executor, number, _REDIAL_S), value


def _first(frames: list[Frame], kind: str) -> float | None:
    return next((frame.at_s for frame in frames if frame.kind == kind and frame.by == "executor"), None)


@probe("half-open", "misbehaviour/half_open")
async def half_open(bench: Bench, findings: Findings) -> None:
    """A relay that was stopped: TCP stays, nothing is read. Timing: from then to the next dial."""
    async with bench.executor() as executor:
        link = await executor.link()
        number, mark = len(executor.door.dials), executor.mark()
        link.answers_pings = False
        link.stall()
        stopped_s = executor.door.now_s()
        try:
            dial = await executor.door.dial(number, _DEADLINE_S)
        except TimeoutError:
            findings.put(
                "misbehaviour/half_open", f"stays for more than {_DEADLINE_S:g} s", frames=executor.since(mark)
            )
            return
        took_s = dial.at_s - stopped_s
        findings.put("misbehaviour/half_open", "dials again", frames=executor.since(mark), samples_s=[took_s])


@probe("blocked write", "liveness/write_deadline")
async def write_deadline(bench: Bench, findings: Findings) -> None:
    """An answer that the relay leaves unread for a while, shorter than any deadline of pongs, and then reads."""
    async with bench.executor() as executor:
        step = Step("large", payload_bytes=_LARGE_BYTES)
        await executor.ask(Start(workflow="large", instructions=(step,)))
        await bench.status("large", "SUCCESS")
        link = await executor.link()
        mark, request_id = executor.mark(), executor.request_id()
        asked = {"type": "list_steps", "request_id": request_id, "workflow_id": "large", "load_output": True}
        link.stall()
        await link.send(asked)
        await asyncio.sleep(_UNREAD_S)
        link.read_on()
        value = "the answer is lost"
        with contextlib.suppress(TimeoutError, ConnectionError):
            await link.answer(request_id, _REST_S)
            value = "the answer comes whole"
        findings.put("liveness/write_deadline", value, frames=executor.since(mark))
