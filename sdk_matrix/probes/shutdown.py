"""Shutdown and identity: what a relay sees of an end, and what an executor says it is."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mode
from typing import Any

from sdk_matrix.contract import Start, Step, Stop, Stopped, Unsupported
from sdk_matrix.matrix.model import Frame
from sdk_matrix.matrix.timings import STEADY
from sdk_matrix.probes.bench import Bench, Executor, ProbeFailed
from sdk_matrix.probes.link import Link
from sdk_matrix.probes.registry import Findings, probe

__all__: list[str] = []

_END_S = 30.0
_STOPS = 15
_STEP_S = 3.0


@dataclass(frozen=True)
class _Stop:
    """One stop in good order: what the relay saw of it, and the exit code in words."""

    seen: str
    code: str
    frames: Sequence[Frame]


def _seen(link: Link) -> str:
    return "drops TCP" if link.close_code is None else f"closes {link.close_code}"


@probe("shutdown", "shutdown/graceful_stop", "shutdown/graceful_exit_code", "shutdown/killed")
async def ends(bench: Bench, findings: Findings) -> None:
    """A stop in good order races with the end of its process in some SDKs: the value is what most stops looked like.

    Stops that do not all look alike are repeated, since a rare end would sometimes be the most frequent of a few.
    """
    stops = [await _stopped(bench) for _ in range(STEADY)]
    if len({stop.seen for stop in stops}) > 1:
        stops += [await _stopped(bench) for _ in range(_STOPS - STEADY)]
    seen = [stop.seen for stop in stops]
    usual = mode(seen)
    frames = next(stop.frames for stop in stops if stop.seen == usual)
    findings.put("shutdown/graceful_stop", usual, detail=", ".join(seen), frames=frames)
    findings.put("shutdown/graceful_exit_code", mode(stop.code for stop in stops), frames=frames)
    async with bench.executor() as executor:
        link, mark = await executor.link(), executor.mark()
        await executor.kill()
        await link.ended(_END_S)
        findings.put("shutdown/killed", _seen(link), frames=executor.since(mark))


async def _stopped(bench: Bench) -> _Stop:
    async with bench.executor() as executor:
        link, mark = await executor.link(), executor.mark()
        report = await executor.ask(Stop())
        await link.ended(_END_S)
        frames = executor.since(mark)
        seen = _seen(link) + (f' "{link.close_reason}"' if link.close_reason else "")
        code = await executor.exited(_END_S)
        return _Stop(seen, f"exits {code}" if isinstance(report, Stopped) else "refuses to stop", frames)


@probe("shutdown", "shutdown/stop_with_work", "shutdown/drain", "shutdown/order_of_drain")
async def draining(bench: Bench, findings: Findings) -> None:
    await _stop_with_work(bench, findings, "shutdown/stop_with_work", Stop())
    await _stop_with_work(bench, findings, "shutdown/drain", Stop(drain_s=20.0))
    if "shutdown/order_of_drain" not in findings.cells:
        findings.put("shutdown/order_of_drain", "cannot drain", detail=findings.cells["shutdown/drain"].detail)


async def _stop_with_work(bench: Bench, findings: Findings, row: str, stop: Stop) -> None:
    """Stop an executor within a step; who is first, the step's end or the connection's, and what the row says then."""
    async with bench.executor() as executor:
        if stop.drain_s and (reason := executor.ready.unsupported.get("option drain_s")) is not None:
            findings.put(row, "cannot drain", detail=reason)
            return
        workflow = row.rpartition("/")[2]
        await executor.ask(Start(workflow=workflow, instructions=(Step("busy", duration_s=_STEP_S),)))
        await bench.until(lambda: bench.step_runs(workflow), "the step begins")
        link, mark = await executor.link(), executor.mark()
        asked = asyncio.create_task(executor.ask(stop))
        await link.ended(_END_S)
        first = "the step" if await _has_ended(bench, workflow) else "the connection"
        report = await asked
        if isinstance(report, Unsupported):
            findings.put(row, "cannot drain", detail=report.reason)
            return
        await executor.exited(_END_S)
        ended = await _has_ended(bench, workflow)
        status = (await bench.workflow(workflow)).get("status")
        work = "the step ends" if ended else "the step is cut off"
        frames = executor.since(mark)
        findings.put(row, f"{work}, the workflow is {status}", detail=_seen(link), frames=frames)
        if stop.drain_s:
            findings.put("shutdown/order_of_drain", f"{first} ends first", frames=frames)


async def _has_ended(bench: Bench, workflow: str) -> bool:
    return any(phase == "end" for *_, phase in await bench.step_runs(workflow))


@probe("shutdown", "shutdown/id_across_restart", "shutdown/id_across_redial", "shutdown/metadata", "shutdown/version",
       "shutdown/sdk_version", "shutdown/hostname", "shutdown/extensions_offered", "shutdown/user_agent")  # fmt: skip
async def identity(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        mark = executor.mark()
        info = await executor.request("executor_info")
        dials, before = len(executor.door.dials), executor.door.dials[-1]
        (await executor.link()).reset()
        with contextlib.suppress(TimeoutError):
            await executor.door.connected(_END_S, since=dials)
        again = await executor.request("executor_info")
        frames, metadata = executor.since(mark), {"name": executor.label}
        same = again.get("executor_id") == info.get("executor_id")
        findings.put("shutdown/id_across_redial", "same id" if same else "new id", frames=frames)
        told = info.get("executor_metadata")
        findings.put("shutdown/metadata", "as configured" if told == metadata else "differs", frames=frames)
        version = info.get("application_version")
        findings.put("shutdown/version", "as configured" if version == "v1" else "differs", frames=frames)
        _compare(findings, "shutdown/sdk_version", info, executor, frames)
        findings.put("shutdown/hostname", "told" if info.get("hostname") else "not told", frames=frames)
        offered = before.headers.get("sec-websocket-extensions", "none").partition(";")[0].strip()
        findings.put("shutdown/extensions_offered", offered, frames=frames)
        agent = before.headers.get("user-agent", "none")
        findings.put("shutdown/user_agent", "none" if agent == "none" else "sent", detail=agent, frames=frames)
    async with bench.executor() as executor:
        new = await executor.request("executor_info")
        same = new.get("executor_id") == info.get("executor_id")
        findings.put("shutdown/id_across_restart", "same id" if same else "new id", frames=frames)


def _compare(findings: Findings, row: str, info: dict[str, Any], executor: Executor, frames: Any) -> None:
    told, known = str(info.get("dbos_version")), executor.ready.sdk_version
    value = "its release" if told.removeprefix("v") == known.removeprefix("v") else "differs"
    findings.put(row, value, detail=told, frames=frames)


@probe("shutdown", "shutdown/computed_version", "shutdown/computed_version_twice")
async def computed_version(bench: Bench, findings: Findings) -> None:
    """Without a configured version."""
    told: list[str] = []
    frames: tuple[Any, ...] = ()
    for _ in range(2):
        try:
            async with bench.executor(version="") as executor:
                mark = executor.mark()
                info = await executor.request("executor_info")
                told.append(str(info.get("application_version") or ""))
                frames = executor.since(mark)
        except ProbeFailed as problem:
            reason = f"a worker can't be configured without a version, its SDK refuses an empty one: {problem}"
            findings.skip("shutdown/computed_version", reason)
            findings.skip("shutdown/computed_version_twice", reason)
            return
    digits = len(told[0])
    value = "empty" if not told[0] else f"{digits} hex digits" if _is_hex(told[0]) else "text"
    findings.put("shutdown/computed_version", value, detail=told[0], frames=frames)
    same = "same in two launches" if told[0] == told[1] else "differs from launch to launch"
    findings.put("shutdown/computed_version_twice", same, detail=", ".join(told), frames=frames)


def _is_hex(text: str) -> bool:
    return all(letter in "0123456789abcdef" for letter in text)
