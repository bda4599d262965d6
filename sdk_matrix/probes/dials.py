"""Misbehaviour of the relay at and after the upgrade, and the delays between dials."""

from __future__ import annotations

import asyncio
from statistics import median

from sdk_matrix.probes.bench import Bench, Executor, ProbeFailed
from sdk_matrix.probes.frames import redial_s
from sdk_matrix.probes.link import Link
from sdk_matrix.probes.registry import Findings, probe
from sdk_matrix.probes.relay import Refuse, Silent

__all__ = ["CLOSE_CODES", "STATUSES"]

STATUSES = (301, 401, 403, 404, 409, 429, 500, 503)
CLOSE_CODES = (1000, 1001, 1008, 1011, 1013, 4401)
_BODY = "no entry: café".encode()
_NOT_UTF8 = b"no \xff\xfe entry"
_TIMES = 3
_DIAL_S = 120.0
_SILENT_S = 45.0  # no SDK that gives up on a silent relay needs longer
_GONE_S = 40.0  # nor one that dials again after its first refusal
_IN_A_ROW = 8
_PROCESSES = 5  # a random factor of 0.5 to 1.5 has its median only in several


@probe("dials", *(f"misbehaviour/http_{status}" for status in STATUSES))
async def refusals(bench: Bench, findings: Findings) -> None:
    """Timing: from the refusal to the next dial."""
    async with bench.executor() as executor:
        for status in STATUSES:
            mark, samples_s, value = executor.mark(), [], "dials again"
            for _ in range(_TIMES):
                number = len(executor.door.dials)
                key = executor.door.dials[-1].path.rpartition("/")[2]
                headers = {"Location": f"/websocket/moved/{key}"} if status == 301 else {}
                headers |= {"Retry-After": "30"} if status in (429, 503) else {}
                executor.door.script.append(Refuse(status, _BODY, headers))
                (await executor.link()).reset()
                await executor.door.dial(number, _DIAL_S)
                following = await executor.door.dial(number + 1, _DIAL_S)
                if "/moved/" in following.path:
                    value = "follows"
                samples_s.append(await redial_s(executor, number + 1))
            findings.put(f"misbehaviour/http_{status}", value, frames=executor.since(mark), samples_s=samples_s)


@probe("refused without UTF-8", "misbehaviour/http_body_not_utf8")
async def refusal_with_another_body(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        row, mark, number = "misbehaviour/http_body_not_utf8", executor.mark(), len(executor.door.dials)
        executor.door.script.append(Refuse(503, _NOT_UTF8))
        (await executor.link()).reset()
        await executor.door.dial(number, _DIAL_S)
        try:
            await executor.door.dial(number + 1, _GONE_S)
        except TimeoutError:
            lives = "lives on" if executor.alive else "has ended"
            detail = f"watched for {_GONE_S:g} s; the process {lives}"
            findings.put(row, "never dials again", detail=detail, frames=executor.since(mark))
            return
        delay_s = await redial_s(executor, number + 1)
        findings.put(row, "dials again", frames=executor.since(mark), samples_s=[delay_s])


@probe(
    "dials", *(f"misbehaviour/close_{code}" for code in CLOSE_CODES), "misbehaviour/tcp_reset", "misbehaviour/tcp_end"
)
async def closes(bench: Bench, findings: Findings) -> None:
    """Timing: from the end of the connection to the next dial."""
    async with bench.executor() as executor:
        for code in CLOSE_CODES:
            mark, samples_s, value = executor.mark(), [], ""
            for _ in range(_TIMES):
                number, link = len(executor.door.dials), await executor.link()
                await link.close(code, "because")
                samples_s.append(await _ended(executor, link, number))
                value = f"echoes {link.close_code}" if link.close_code else "ends without a close frame"
                value = "echoes the code" if link.close_code == code else value
            findings.put(f"misbehaviour/close_{code}", value, frames=executor.since(mark), samples_s=samples_s)
        for name in ("tcp_reset", "tcp_end"):
            mark, samples_s = executor.mark(), []
            for _ in range(_TIMES):
                number, link = len(executor.door.dials), await executor.link()
                link.reset() if name == "tcp_reset" else link.hang_up()
                samples_s.append(await _ended(executor, link, number))
            findings.put(f"misbehaviour/{name}", "dials again", frames=executor.since(mark), samples_s=samples_s)


async def _ended(executor: Executor, link: Link, number: int) -> float:
    """A client that leaves TCP open after its close frame is cut off, as a relay would."""
    if not await link.ended(8.0):
        link.reset()
        await link.ended(8.0)
    return await redial_s(executor, number)


@probe("silent", "misbehaviour/accepted_and_silent")
async def accepted_and_silent(bench: Bench, findings: Findings) -> None:
    """Timing: from one dial to the next while the relay accepts and says nothing."""
    async with bench.executor() as executor:
        row, mark, samples_s = "misbehaviour/accepted_and_silent", executor.mark(), []
        executor.door.always = Silent()
        number = len(executor.door.dials)
        (await executor.link()).reset()
        before = await executor.door.dial(number, _DIAL_S)
        for times in range(1, 3):
            try:
                after = await executor.door.dial(number + times, _SILENT_S)
            except TimeoutError:
                frames = executor.since(mark)
                findings.put(row, f"hangs for more than {_SILENT_S:g} s", frames=frames)
                return
            samples_s.append(after.at_s - before.at_s)
            before = after
        findings.put(row, "gives up and dials again", frames=executor.since(mark), samples_s=samples_s)


@probe("row of dials", *(f"liveness/reconnect_delay_{n}" for n in range(1, _IN_A_ROW + 1)), "liveness/reconnect_growth")
async def reconnect_delays(bench: Bench, findings: Findings) -> None:
    """Refuse nine dials in a row, of several processes at once; each row is the delay after the n-th refusal."""
    first = await bench.start()
    executors = [first, *[await bench.start() for _ in range(_PROCESSES - 1)]]
    mark = first.mark()
    rows_s = await asyncio.gather(*(_refused_in_a_row(each) for each in executors))
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


async def _refused_in_a_row(executor: Executor) -> list[float]:
    link = await executor.link()
    executor.door.always = Refuse(503)
    number = len(executor.door.dials)
    link.reset()
    delays_s: list[float] = []
    await executor.door.dial(number, _DIAL_S)
    for times in range(1, _IN_A_ROW + 1):
        dial = await executor.door.dial(number + times, _DIAL_S)
        ended_s = executor.door.dials[number + times - 1].ended_s
        if ended_s is None:
            raise ProbeFailed("it dialled again before it was refused")
        delays_s.append(max(0.0, dial.at_s - ended_s))
    return delays_s
