"""What of a schedule file real executors can play. The simulator writes such files, and can do more than they can."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from chaos import faults
from chaos.campaign import CLAUSES, LEAST_WAIT_S, REPLACES
from chaos.errors import FaultRefused, UnknownFault
from conductor.timing import DOCUMENTED, Timing
from evidence.rules import invariants
from scenarios.schedule import KINDS, Schedule

__all__ = ["WHY_NOT", "fitted", "left_out", "obstacles", "with_language", "written"]

WHY_NOT = {
    "clock-skew": "a fake clock stops Python's pings or aborts Node (measured): not reliable with real SDKs",
    "clock-drift": "as clock-skew",
    "clock-step": "as clock-skew",
    "suspend": "one host has all parts of a real run: to stop them all is to stop the clock",
    "store-slow": "a real relay's store is its own",
    "store-fail": "as store-slow",
    "crash-at-persist": "as store-slow; relay-kill strikes at random instants instead",
}
"""Why no real runtime has a fault that the simulator has; `Kind.absent` says it of those that only scripts can do."""
_LEAST_PART = 4  # slack is at most a quarter of ping wait and grace


def with_language(schedule: Schedule, language: str) -> Schedule:
    """The same run with one SDK for all."""
    return replace(schedule, executors=tuple(replace(member, language=language) for member in schedule.executors))


def obstacles(schedule: Schedule, runtime: str, store: str) -> list[str]:
    """All that can't be done here, a sentence each that names its place in the file. Empty: it can be played."""
    return [*_of_members(schedule), *_of_faults(schedule, runtime, store)]


def left_out(schedule: Schedule) -> list[str]:
    """What is played otherwise than the file says, a sentence each."""
    if schedule.about.get(REPLACES) is True:
        return []  # a real run wrote it
    found = []
    clause = str(schedule.about.get("clause", ""))
    if clause and clause not in _judged():
        found.append(
            f"[about] clause: {clause}, which a search kept this file for, is not judged here, only what comes of it;"
            " relayproof replay judges it"
        )
    if schedule.workload:
        found.append("[workload]: executors are kept in work at --rate while they run: the judge needs some to lose")
    if schedule.settings:
        found.append(f"[settings] {', '.join(schedule.settings)}: the application keeps its defaults")
    if schedule.timing_profile.ping_wait_s < LEAST_WAIT_S:
        found.append(f"[timing] ping_wait_s: {LEAST_WAIT_S:g} s, for launching SDKs starves the processors for seconds")
    return found


def _judged() -> set[str]:
    """Clauses that a chaos run can fail: by a rule of its own, or by what always holds."""
    always = {clause for clauses, _ in invariants().values() for clause in clauses}
    return {*CLAUSES, "OUT-4", "OUT-5", *always}


def fitted(timing: Timing, grace_s: float) -> Timing:
    """A file's timing for real SDKs: deadlines that a starved executor would miss grow, the rest stays."""
    return replace(
        timing, grace_s=grace_s, ping_wait_s=max(timing.ping_wait_s, LEAST_WAIT_S),
        slack_s=min(1.0, grace_s / _LEAST_PART),
        handshake_deadline_s=max(timing.handshake_deadline_s, LEAST_WAIT_S),
        request_deadline_s=max(timing.request_deadline_s, LEAST_WAIT_S),
        recovery_deadline_s=max(timing.recovery_deadline_s, LEAST_WAIT_S), redial_s=max(timing.redial_s, 1.0),
    )  # fmt: skip


def written(timing: Timing) -> dict[str, float]:
    """For a schedule's ``timing``: what differs from the documented one, so that it is played again alike."""
    return {
        name: float(getattr(timing, name))
        for name in timing.__struct_fields__
        if getattr(timing, name) != getattr(DOCUMENTED, name)
    }


def _of_members(schedule: Schedule) -> Iterator[str]:
    apps: dict[str, set[str]] = {}
    languages: dict[str, set[str]] = {}
    for member in schedule.executors:
        apps.setdefault(member.app, set()).add(member.language)
        languages.setdefault(member.language, set()).add(member.app)
    for app, own in apps.items():
        if len(own) > 1:
            yield (
                f"executors: application {app} has executors of {', '.join(sorted(own))}: each SDK has an application"
                f" and a database of its own; give --sdk {min(own)} to take one for all"
            )
    for language, own in languages.items():
        if len(own) > 1:
            yield f"executors: {language} is in the applications {', '.join(sorted(own))}: each SDK has one here"


def _of_faults(schedule: Schedule, runtime: str, store: str) -> Iterator[str]:
    for number, at in enumerate(schedule.faults, start=1):
        try:
            faults.check(at.fault, runtime, store)
        except UnknownFault:
            why = KINDS[at.fault].absent.get("chaos") or WHY_NOT.get(at.fault, "no real runtime has it")
        except FaultRefused as problem:
            why = str(problem)
        else:
            continue
        yield f"faults, number {number}, {at.fault} at {at.at_s:g} s on {at.on}: {why}"
