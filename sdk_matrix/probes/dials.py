"""Misbehaviour of the relay at and after the upgrade, and the delays between dials."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil

from sdk_matrix.matrix.model import Frame
from sdk_matrix.matrix.timings import JITTERED, PILOT, STEADY, is_jittered
from sdk_matrix.probes.bench import Bench, Executor
from sdk_matrix.probes.frames import redial_s
from sdk_matrix.probes.link import Link
from sdk_matrix.probes.registry import Findings, probe
from sdk_matrix.probes.relay import Refuse, Silent

__all__ = ["CLOSE_CODES", "DIAL_S", "STATUSES", "Refused", "refused"]

STATUSES = (301, 401, 403, 404, 409, 429, 500, 503)
CLOSE_CODES = (1000, 1001, 1008, 1011, 1013, 4401)
_BODY = "no entry: café".encode()
_NOT_UTF8 = b"no \xff\xfe entry"
DIAL_S = 120.0
_SILENT_S = 45.0  # no SDK that gives up on a silent relay needs longer
_SILENCES = 9  # about 11 s each in Go, of which one is jittered
_GONE_S = 40.0  # whoever dials again after its first refusal does it sooner
_HANDS = 4  # processes that share what a jittered delay takes


@dataclass(frozen=True)
class Refused:
    """What an executor did after refusals of one kind, each after a connection that was open."""

    value: str
    delays_s: Sequence[float]  # from the refusal to the next dial
    frames: Sequence[Frame]


@probe("dials", *(f"misbehaviour/http_{status}" for status in STATUSES))
async def refusals(bench: Bench, findings: Findings) -> None:
    """Timing: from the refusal to the next dial. Where that is jittered, several processes are refused side by side."""
    first = await bench.start()
    await first.link()
    found = {status: [await refused(first, _refusal(first, status), STEADY)] for status in STATUSES}
    own = [delay_s for each in found.values() if each[0].value == "dials again" for delay_s in each[0].delays_s]
    if is_jittered(own):
        hands = [first, *[await bench.start() for _ in range(_HANDS - 1)]]
        await asyncio.gather(*(each.link() for each in hands))
        for status in STATUSES:
            times = ceil((JITTERED - STEADY) / _HANDS)
            found[status] += await asyncio.gather(*(refused(each, _refusal(each, status), times) for each in hands))
    for status, parts in found.items():
        delays_s = [delay_s for each in parts for delay_s in each.delays_s]
        findings.put(f"misbehaviour/http_{status}", parts[0].value, frames=parts[0].frames, samples_s=delays_s)


def _refusal(executor: Executor, status: int) -> Refuse:
    key = executor.door.dials[-1].path.rpartition("/")[2]
    headers = {"Location": f"/websocket/moved/{key}"} if status == 301 else {}
    headers |= {"Retry-After": "30"} if status in (429, 503) else {}
    return Refuse(status, _BODY, headers)


async def refused(executor: Executor, refusal: Refuse, times: int, within_s: float = DIAL_S) -> Refused:
    """Raises `TimeoutError` where it does not dial again in time."""
    mark, delays_s, value = executor.mark(), [], "dials again"
    for _ in range(times):
        number = len(executor.door.dials)
        executor.door.script.append(refusal)
        (await executor.link()).reset()
        await executor.door.dial(number, DIAL_S)
        following = await executor.door.dial(number + 1, within_s)
        if "/moved/" in following.path:
            value = "follows"
        delays_s.append(await redial_s(executor, number + 1))
    return Refused(value, delays_s, executor.since(mark))


@probe("refused without UTF-8", "misbehaviour/http_body_not_utf8")
async def refusal_with_another_body(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        row, mark, refusal = "misbehaviour/http_body_not_utf8", executor.mark(), Refuse(503, _NOT_UTF8)
        try:
            found = await refused(executor, refusal, PILOT, _GONE_S)
        except TimeoutError:
            lives = "lives on" if executor.alive else "has ended"
            detail = f"watched for {_GONE_S:g} s; the process {lives}"
            findings.put(row, "never dials again", detail=detail, frames=executor.since(mark))
            return
        delays_s = list(found.delays_s)
        if is_jittered(delays_s):
            delays_s += (await refused(executor, refusal, JITTERED - PILOT)).delays_s
        findings.put(row, found.value, frames=found.frames, samples_s=delays_s)


@probe(
    "dials", *(f"misbehaviour/close_{code}" for code in CLOSE_CODES), "misbehaviour/tcp_reset", "misbehaviour/tcp_end"
)
async def closes(bench: Bench, findings: Findings) -> None:
    """Timing: from the end of the connection to the next dial."""
    async with bench.executor() as executor:
        for code in CLOSE_CODES:
            mark, samples_s, value = executor.mark(), [], ""
            for _ in range(STEADY):
                number, link = len(executor.door.dials), await executor.link()
                await link.close(code, "because")
                samples_s.append(await _ended(executor, link, number))
                value = f"echoes {link.close_code}" if link.close_code else "ends without a close frame"
                value = "echoes the code" if link.close_code == code else value
            findings.put(f"misbehaviour/close_{code}", value, frames=executor.since(mark), samples_s=samples_s)
        for name in ("tcp_reset", "tcp_end"):
            mark, samples_s = executor.mark(), []
            for _ in range(STEADY):
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
    """Timing: from a dial that the relay accepts and leaves alone to the next, which it answers."""
    async with bench.executor() as executor:
        row, mark, samples_s = "misbehaviour/accepted_and_silent", executor.mark(), []
        for _ in range(_SILENCES):
            number, link = len(executor.door.dials), await executor.link()
            executor.door.script.append(Silent())
            link.reset()
            silent = await executor.door.dial(number, DIAL_S)
            try:
                following = await executor.door.dial(number + 1, _SILENT_S)
            except TimeoutError:
                findings.put(row, f"hangs for more than {_SILENT_S:g} s", frames=executor.since(mark))
                return
            samples_s.append(following.at_s - silent.at_s)
        findings.put(row, "gives up and dials again", frames=executor.since(mark), samples_s=samples_s)
