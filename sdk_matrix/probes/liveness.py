"""Liveness: pings, pong deadlines, unread writes, rows of dials: mostly waiting, in lanes of their own or one crew."""

from __future__ import annotations

import asyncio
import contextlib
from itertools import pairwise
from statistics import median

from sdk_matrix.contract import Start, Step
from sdk_matrix.matrix.model import Frame
from sdk_matrix.matrix.timings import JITTERED, PILOT, STEADY, is_jittered
from sdk_matrix.probes.bench import Bench, Executor, ProbeFailed
from sdk_matrix.probes.dials import DIAL_S, refused
from sdk_matrix.probes.frames import redial_s
from sdk_matrix.probes.link import PING, Link
from sdk_matrix.probes.registry import Findings, probe
from sdk_matrix.probes.relay import Refuse

__all__: list[str] = []

_IDLE_S = 66.0  # three intervals of 20 s
_SOON_S = 10.0  # half of the interval
_TRIES = 4
_FEW = 3  # of what takes so long that a busy host adds little to it
_DEADLINE_S = 75.0
_REDIAL_S = 60.0
_UNREAD_S = 8.0
_REST_S = 60.0
_IN_A_ROW = 8
_APART_S = 1.5
_MORE_THAN_A_PING_BYTES = 1024
_LARGE_BYTES = 16 << 20  # beyond what the sockets' buffers take


@probe(
    "idle", "liveness/first_ping", "liveness/ping_interval", "liveness/no_pings_from_the_relay", "liveness/pongs_a_ping"
)
async def idle(bench: Bench, findings: Findings) -> None:
    """A relay that answers pings and sends nothing.

    Java now and then drops a connection 15 s after a pong that overtook its timer (measured): then it is watched again.
    """
    async with bench.executor() as executor:
        ends, mark, link = 0, executor.mark(), await executor.link()
        while ends < _TRIES and await link.ended(_IDLE_S):
            ends, mark, link = ends + 1, executor.mark(), await executor.link()
        frames = executor.since(mark)
        value = "ends" if ends == _TRIES else "stays connected"
        findings.put(
            "liveness/no_pings_from_the_relay", value, frames=frames,
            detail=f"{ends} connections before it were ended by the executor, in spite of a pong" if ends else "",
        )  # fmt: skip
        pings_s = [
            frame.at_s
            for frame in executor.door.record
            if frame.kind == "ping" and frame.by == "executor" and frame.at_s >= link.opened_s
        ]
        intervals_s = [after - before for before, after in pairwise(pings_s)]
        if intervals_s:
            findings.put("liveness/ping_interval", "pings", frames=frames, samples_s=intervals_s)
        else:
            findings.put("liveness/ping_interval", f"fewer than two pings in {_IDLE_S:g} s", frames=frames)
        if link.open:
            await _pongs_a_ping(executor, link, findings)
        if pings_s:
            await _first_pings(executor, pings_s[0] - link.opened_s, findings)


async def _first_pings(executor: Executor, first_s: float, findings: Findings) -> None:
    """Again on connections that follow, the quick ones more often."""
    mark, samples_s = executor.mark(), [first_s]
    while len(samples_s) < _FEW or (median(samples_s) < _SOON_S and len(samples_s) < STEADY):
        number = len(executor.door.dials)
        (await executor.link()).reset()
        link = await executor.door.connected(_REDIAL_S, since=number)
        pinged_s = await link.until(lambda link=link: link.pinged_s, _IDLE_S)  # type: ignore[misc]
        if pinged_s is None:
            raise ProbeFailed("the connection ended before a first ping")
        samples_s.append(pinged_s - link.opened_s)
    value = "at once" if median(samples_s) < _SOON_S else "after an interval"
    findings.put("liveness/first_ping", value, frames=executor.since(mark), samples_s=samples_s)


async def _pongs_a_ping(executor: Executor, link: Link, findings: Findings) -> None:
    mark = executor.mark()
    await link.frame(PING, b"count me")
    with contextlib.suppress(TimeoutError):
        await link.until(lambda: link.pongs.count(b"count me") > 1, 5.0)
    count = link.pongs.count(b"count me")
    findings.put("liveness/pongs_a_ping", {0: "none", 1: "one", 2: "two"}[count], frames=executor.since(mark))


@probe(
    "crew", "liveness/pong_deadline", "liveness/action_on_expiry", "liveness/tcp_end_after_expiry",
    "liveness/redial_after_expiry",
)  # fmt: skip
async def unanswered_pings(bench: Bench, findings: Findings) -> None:
    """A relay that answers no ping, by several processes. Timing: from the first ping to the close or TCP's end."""
    executors = await bench.crew(STEADY)
    first = executors[0]
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


@probe("crew", "misbehaviour/half_open")
async def half_open(bench: Bench, findings: Findings) -> None:
    """A relay that was stopped: TCP stays, nothing is read. Timing: from then to the next dial, by three processes."""
    executors = await bench.crew(_FEW)
    first = executors[0]
    mark = first.mark()
    found = await asyncio.gather(*(_stopped(each) for each in executors))
    samples_s = [each_s for each_s in found if each_s is not None]
    value = "dials again" if len(samples_s) == _FEW else f"stays for more than {_DEADLINE_S:g} s"
    findings.put("misbehaviour/half_open", value, frames=first.since(mark), samples_s=samples_s)


async def _stopped(executor: Executor) -> float | None:
    """Of a connection that was just opened, so that all have their first ping as far ahead."""
    number = len(executor.door.dials)
    (await executor.link()).reset()
    link = await executor.door.connected(_REDIAL_S, since=number)
    link.answers_pings = False
    link.stall()
    stopped_s = executor.door.now_s()
    try:
        return (await executor.door.dial(number + 1, _DEADLINE_S)).at_s - stopped_s
    except TimeoutError:
        return None


@probe("blocked write", "liveness/write_deadline")
async def write_deadline(bench: Bench, findings: Findings) -> None:
    """An answer that the relay leaves unread for a while, shorter than any deadline of pongs, and then reads.

    The while counts from the first bytes: to put so much together takes an SDK seconds on a busy host.
    """
    async with bench.executor() as executor:
        step = Step("large", payload_bytes=_LARGE_BYTES)
        await executor.ask(Start(workflow="large", instructions=(step,)))
        await bench.status("large", "SUCCESS")
        link = await executor.link()
        mark, request_id = executor.mark(), executor.request_id()
        asked = {"type": "list_steps", "request_id": request_id, "workflow_id": "large", "load_output": True}
        link.stall()
        await link.send(asked)

        async def begun() -> bool:
            return link.unread_bytes() > _MORE_THAN_A_PING_BYTES

        await bench.until(begun, "the answer begins")
        await asyncio.sleep(_UNREAD_S)
        link.read_on()
        value = "the answer is lost"
        with contextlib.suppress(TimeoutError, ConnectionError):
            await link.answer(request_id, _REST_S)
            value = "the answer comes whole"
        findings.put("liveness/write_deadline", value, frames=executor.since(mark))


@probe("crew", *(f"liveness/reconnect_delay_{n}" for n in range(1, _IN_A_ROW + 1)), "liveness/reconnect_growth")
async def reconnect_delays(bench: Bench, findings: Findings) -> None:
    """Refuse nine dials in a row, of several processes at once; each row is the delay after the n-th refusal."""
    executors = await bench.crew(STEADY)
    tried = await asyncio.gather(*(refused(each, Refuse(503), PILOT // STEADY) for each in executors))
    if is_jittered([delay_s for each in tried for delay_s in each.delays_s]):
        executors = await bench.crew(JITTERED)
    first = executors[0]
    mark = first.mark()
    rows_s = await asyncio.gather(*(_refused_in_a_row(each, at * _APART_S) for at, each in enumerate(executors)))
    frames = first.since(mark)
    medians_s = [median(each) for each in zip(*rows_s, strict=True)]
    growing = medians_s[5] > 3 * max(medians_s[0], 0.5)
    for at, samples_s in enumerate(zip(*rows_s, strict=True), 1):
        value = "grows" if growing else "constant"
        findings.put(f"liveness/reconnect_delay_{at}", value, frames=frames, samples_s=samples_s)
    value = "constant"
    if growing:
        value = "grows, then capped" if medians_s[-1] < 2 * medians_s[-3] else "grows without a cap in sight"
    detail = "; ".join(", ".join(f"{each_s:.1f}" for each_s in row_s) for row_s in rows_s)
    findings.put("liveness/reconnect_growth", value, frames=frames, detail=f"delays in seconds: {detail}")


async def _refused_in_a_row(executor: Executor, later_s: float) -> list[float]:
    """``later_s`` after the others have begun: in step, one stall of the host would hold up all of a row."""
    await asyncio.sleep(later_s)
    link = await executor.link()
    executor.door.always = Refuse(503)
    number = len(executor.door.dials)
    link.reset()
    delays_s: list[float] = []
    await executor.door.dial(number, DIAL_S)
    for times in range(1, _IN_A_ROW + 1):
        dial = await executor.door.dial(number + times, DIAL_S)
        ended_s = executor.door.dials[number + times - 1].ended_s
        if ended_s is None:
            raise ProbeFailed("it dialled again before it was refused")
        delays_s.append(max(0.0, dial.at_s - ended_s))
    executor.door.always = None
    return delays_s
