"""Recovery: which rows a recovery request takes, what becomes of them, and what the answer tells of it.

A victim starts one workflow for each question and is killed within a step of all. Each row is then given a dead
executor of its own, so that each question is one request; what else it needs is changed in the row as well.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sdk_matrix.contract import Start, Step
from sdk_matrix.probes.bench import Bench, Executor, ProbeFailed
from sdk_matrix.probes.outcome import Reaction, classify, react
from sdk_matrix.probes.registry import Findings, probe

__all__ = ["QUESTIONS"]

_SETTLE_S = 8.0  # the internal queue is polled about once a second
_HOLD_S = 60.0
_LONG_S = 30.0
_TIMES = 15
_OVERLAPPING = 12
_TRIES = 8
_FOREIGN = {"python": "js_superjson"}
_UNDECIDED = ("PENDING", "ENQUEUED", "CANCELLED")

QUESTIONS: Mapping[str, str] = {
    "pending_row": "",
    "other_version": "application_version = 'v2'",
    "other_application": "application_name = 'somebody-else'",
    "other_executor": "executor_id = 'somebody-else'",
    "enqueued_row": "status = 'ENQUEUED', queue_name = 'nobody-polls-this'",
    "cancelled_row": "status = 'CANCELLED'",
    "finished_row": "status = 'SUCCESS'",
    "failed_row": "status = 'ERROR'",
    "unregistered_name": "name = 'no_such_workflow'",
    "other_language": "serialization = '{foreign}'",
    "dead_letter": "recovery_attempts = 500",
}
"""By question, what is changed in the row besides its executor."""
_ROWS = tuple(f"recovery/{name}" for name in QUESTIONS)


@dataclass(frozen=True)
class Outcome:
    reaction: Reaction
    status: str
    queue: str
    mine: bool  # the row names the peer
    ran: int  # times that the peers began its step


@probe(
    "recovery", *_ROWS, "recovery/queued_row", "recovery/hand_over", "recovery/dead_letter_completed_at",
    "recovery/twice_in_a_row", "recovery/time_to_first_step", "recovery/partial_failure",
)  # fmt: skip
async def rows(bench: Bench, findings: Findings) -> None:
    names = [*QUESTIONS, "twice", "bad", "good", *(f"timed{n}" for n in range(_TIMES + 1))]
    await _victims(bench, names)
    async with bench.executor() as peer:
        await _timed(bench, findings, peer)
        for name, change in QUESTIONS.items():
            if name == "other_application" and not await _has_application(bench):
                findings.put("recovery/other_application", "no such column")
                continue
            outcome = await _question(bench, peer, name, change)
            _judge(findings, name, outcome)
        done = await bench.rows("SELECT completed_at FROM dbos.workflow_status WHERE workflow_uuid = 'dead_letter'")
        findings.put("recovery/dead_letter_completed_at", "NULL" if done[0][0] is None else "set")
        outcome = await _question(bench, peer, "on-queue", "")
        findings.put(
            "recovery/queued_row", _taken(outcome), detail=outcome.reaction.detail, frames=outcome.reaction.frames
        )
        await _twice(bench, findings, peer)
        await _partial(bench, findings, peer)


async def _victims(bench: Bench, names: list[str]) -> None:
    """All of them PENDING within their step, their process killed, each row owned by a dead executor of its own."""
    hold = (Step("hold", duration_s=_HOLD_S),)
    async with bench.executor() as victim:
        for name in names:
            await victim.ask(Start(workflow=name, instructions=hold))
        await victim.ask(Start(workflow="on-queue", instructions=hold, queue="wide"))
        for name in (*names, "on-queue"):
            await bench.until(lambda name=name: bench.step_runs(name), f"{name} begins")  # type: ignore[misc]
    await bench.rows("UPDATE dbos.workflow_status SET executor_id = 'dead-' || workflow_uuid WHERE status = 'PENDING'")


async def _has_application(bench: Bench) -> bool:
    return bool(
        await bench.rows(
            "SELECT 1 FROM information_schema.columns WHERE table_schema = 'dbos'"
            " AND table_name = 'workflow_status' AND column_name = 'application_name'"
        )
    )


async def _question(bench: Bench, peer: Executor, workflow: str, change: str) -> Outcome:
    before = "PENDING"
    if change:
        foreign = _FOREIGN.get(bench.language, "py_pickle")
        await bench.rows(
            f"UPDATE dbos.workflow_status SET {change.format(foreign=foreign)} WHERE workflow_uuid = %s", workflow
        )
        before = str((await bench.workflow(workflow)).get("status"))
    reaction = await _recover(peer, f"dead-{workflow}")
    return await _outcome(bench, peer, workflow, reaction, before)


async def _recover(peer: Executor, *executors: str) -> Reaction:
    request = {"type": "recovery", "request_id": peer.request_id(), "executor_ids": list(executors)}
    return await react(peer, request, within_s=60.0)


async def _outcome(bench: Bench, peer: Executor, workflow: str, reaction: Reaction, before: str = "PENDING") -> Outcome:
    """Once the peer has begun it, or ended it otherwise, or had the time to. ``before``: the status until then."""
    deadline_s = time.monotonic() + _SETTLE_S
    while True:
        begun = [label for _, _, label, phase in await bench.step_runs(workflow) if phase == "begin"]
        row = await bench.workflow(workflow)
        ran = begun.count(peer.label)
        ended = row.get("status") not in _UNDECIDED and row.get("status") != before
        if ran or ended or time.monotonic() > deadline_s:
            mine = row.get("executor_id") == peer.id
            return Outcome(reaction, str(row.get("status")), str(row.get("queue_name") or ""), mine, ran)
        await asyncio.sleep(0.2)


def _taken(outcome: Outcome) -> str:
    if not outcome.ran:
        return "left alone"
    return "re-enqueued, then run" if outcome.queue else "run directly"


def _judge(findings: Findings, name: str, outcome: Outcome) -> None:
    said = outcome.reaction.value
    value = _taken(outcome)
    if name == "pending_row":
        findings.put("recovery/hand_over", value, frames=outcome.reaction.frames)
        value = "taken" if outcome.ran else "left alone"
    elif name in ("unregistered_name", "other_language", "dead_letter"):
        value = f"{outcome.status}; claimed" if outcome.mine and outcome.status == "PENDING" else outcome.status
    notes = [f"recovery {said}"]
    findings.put(f"recovery/{name}", value, notes=notes, detail=outcome.reaction.detail, frames=outcome.reaction.frames)


async def _timed(bench: Bench, findings: Findings, peer: Executor) -> None:
    """From the request to the begin of the first step, by the peers' own ledger.

    Each request but the first comes right after a step that a poll of the queue began, so that all wait alike for the
    next poll, about the longest that any does; a request at any time would wait for anything up to that.
    """
    samples_s: list[float] = []
    mark = peer.mark()
    for number in range(_TIMES + 1):
        asked_s = time.time()
        outcome = await _question(bench, peer, f"timed{number}", "")
        begun = await bench.begun_at_s(f"timed{number}", peer.label)
        if outcome.ran and begun is not None:
            samples_s.append(max(0.0, begun - asked_s))
    value = "runs" if len(samples_s) == _TIMES + 1 else "not each time"
    told = ", ".join(f"{each_s:.2f}" for each_s in samples_s)
    findings.put(
        "recovery/time_to_first_step", value, detail=f"seconds: {told}", frames=peer.since(mark),
        samples_s=samples_s[1:],
    )  # fmt: skip


async def _twice(bench: Bench, findings: Findings, peer: Executor) -> None:
    mark = peer.mark()
    await _recover(peer, "dead-twice")
    await _recover(peer, "dead-twice")
    await _outcome(bench, peer, "twice", Reaction("", None, ()))
    await asyncio.sleep(_SETTLE_S / 2)  # a second run would have begun by then
    ran = sum(1 for _, _, label, phase in await bench.step_runs("twice") if phase == "begin" and label == peer.label)
    findings.put(
        "recovery/twice_in_a_row", {0: "not run", 1: "run once"}.get(ran, "run twice"), frames=peer.since(mark)
    )


async def _partial(bench: Bench, findings: Findings, peer: Executor) -> None:
    """One row that cannot run, and one that can, in one request."""
    await bench.rows("UPDATE dbos.workflow_status SET name = 'no_such_workflow' WHERE workflow_uuid = 'bad'")
    reaction = await _recover(peer, "dead-bad", "dead-good")
    outcome = await _outcome(bench, peer, "good", reaction)
    value = f"{reaction.value}; the other row is {'run' if outcome.ran else 'left alone'}"
    findings.put("recovery/partial_failure", value, detail=reaction.detail, frames=reaction.frames)


@probe("recovery of peers", "recovery/nothing_matched", "recovery/empty_list", "recovery/null_list", "recovery/own_id",
       "recovery/live_peer", "recovery/two_peers_at_once")  # fmt: skip
async def peers(bench: Bench, findings: Findings) -> None:
    both = [f"both{n}" for n in range(_OVERLAPPING)]
    await _victims(bench, [*both, "bystander"])
    async with bench.executor() as one, bench.executor() as other:
        await _overlapping(bench, findings, one, other, both)
        for name, listed in (("nothing_matched", ["nobody"]), ("null_list", None), ("empty_list", [])):
            request = {"type": "recovery", "request_id": one.request_id(), "executor_ids": listed}
            reaction = await react(one, request, within_s=60.0)
            outcome = await _outcome(bench, one, "bystander", reaction)
            answer = "success" if (reaction.answer or {}).get("success") is True else reaction.value
            value = f"{answer}, takes every PENDING row" if outcome.ran else answer
            findings.put(f"recovery/{name}", value, detail=reaction.detail, frames=reaction.frames)
        await _live_peer(bench, findings, one, other)
    async with bench.executor() as alone:  # whoever polls first claims what it re-enqueues: nobody else may be there
        await _own(bench, findings, alone)


async def _overlapping(
    bench: Bench, findings: Findings, one: Executor, other: Executor, workflows: Sequence[str]
) -> None:
    """The same rows asked of two peers in the same moment."""
    mark = one.mark()
    ids = [f"dead-{name}" for name in workflows]
    await asyncio.gather(_recover(one, *ids), _recover(other, *ids))
    counts: list[int] = []

    async def all_run() -> bool:
        counts[:] = []
        for name in workflows:
            runs = await bench.step_runs(name)
            counts.append(sum(1 for _, _, by, phase in runs if phase == "begin" and by in (one.label, other.label)))
        return min(counts) > 0

    with contextlib.suppress(ProbeFailed):
        await bench.until(all_run, "each runs", _LONG_S)
    await asyncio.sleep(_SETTLE_S / 2)  # a second execution would have begun by then
    await all_run()
    value = "a workflow runs twice" if max(counts) > 1 else "each runs once" if min(counts) == 1 else "not all run"
    findings.put("recovery/two_peers_at_once", value, detail=f"executions: {counts}", frames=one.since(mark))


async def _own(bench: Bench, findings: Findings, peer: Executor) -> None:
    """A live executor's own id in the list, while it works alone."""
    await peer.ask(Start(workflow="mine", instructions=(Step("hold", duration_s=_HOLD_S),)))
    await bench.until(lambda: bench.step_runs("mine"), "mine begins")
    before = (await bench.workflow("mine")).get("recovery_attempts")
    reaction = await _recover(peer, peer.id)
    twice = await _begun_again(bench, "mine")
    after = (await bench.workflow("mine")).get("recovery_attempts")
    value = "claimed again, still one execution" if after != before else "goes on as it was"
    findings.put(
        "recovery/own_id", "a second execution begins" if twice else value,
        notes=[f"recovery {classify(reaction.answer or {})}"], detail=f"recovery_attempts {before}, then {after}",
        frames=reaction.frames,
    )  # fmt: skip


async def _live_peer(bench: Bench, findings: Findings, one: Executor, other: Executor) -> None:
    """A peer is asked to recover a living executor. Either may claim the row: some tries, until one shows it."""
    tries, twice, mark = 0, False, other.mark()
    while tries < _TRIES and not twice:
        name = f"live{tries}"
        tries += 1
        await one.ask(Start(workflow=name, instructions=(Step("hold", duration_s=_HOLD_S),)))
        await bench.until(lambda name=name: bench.step_runs(name), f"{name} begins")  # type: ignore[misc]
        await _recover(other, one.id)
        twice = await _begun_again(bench, name)
    value = "a second execution begins" if twice else f"one execution in each of {tries} tries"
    findings.put("recovery/live_peer", value, detail=f"after {tries} tries", frames=other.since(mark))


async def _begun_again(bench: Bench, workflow: str) -> bool:
    async def look() -> bool:
        return sum(1 for *_, phase in await bench.step_runs(workflow) if phase == "begin") > 1

    with contextlib.suppress(ProbeFailed):
        return await bench.until(look, "a second execution", _SETTLE_S)
    return False
