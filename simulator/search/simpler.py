"""Steps to a smaller schedule: each function yields all that are one step smaller, the biggest steps first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from scenarios.schedule.call import CallAt
from scenarios.schedule.file import FaultAt, Schedule
from simulator.models.calls import listed

_FEW = 4  # calls that are tried alone
_SHORT = 3  # characters of a text that is short enough


def simpler(schedule: Schedule) -> Iterator[Schedule]:
    """Whatever can be left out or made plainer."""
    for at in range(len(schedule.faults)):
        yield replace(schedule, faults=_without(schedule.faults, at))
    yield from _fewer_calls(schedule)
    used = {fault.on for fault in schedule.faults}
    needed = tuple(member for member in schedule.executors if member.label in used) or schedule.executors[:1]
    if len(needed) < len(schedule.executors) - 1:  # whom a call goes to depends on how many there are
        yield replace(schedule, executors=needed)
    for at, member in enumerate(schedule.executors):
        if member.label not in used and len(schedule.executors) > 1:
            yield replace(schedule, executors=_without(schedule.executors, at))
    yield from _less_work(schedule)
    if schedule.settings:
        yield replace(schedule, settings={})
    for name in schedule.timing:
        yield replace(schedule, timing={key: value for key, value in schedule.timing.items() if key != name})
    yield from _shorter(schedule)
    yield from _plainer_members(schedule)
    yield from _plainer_calls(schedule)


def with_listed_calls(schedule: Schedule) -> Schedule:
    """The same, its drawn calls listed one by one, so that each can be left out."""
    workload = {key: value for key, value in schedule.workload.items() if key != "calls"}
    return replace(schedule, workload=workload, calls=listed(schedule))


def _without(items: Sequence[Any], at: int) -> tuple[Any, ...]:
    return (*items[:at], *items[at + 1 :])


def _less_work(schedule: Schedule) -> Iterator[Schedule]:
    work = schedule.workload
    if work.get("workflows") != 0 or "calls" in work:
        yield replace(schedule, workload={"workflows": 0})
    if "calls" in work:
        yield replace(schedule, workload={key: value for key, value in work.items() if key != "calls"})
    for count in (1, 4):
        if int(schedule.work()["workflows"]) > count:
            yield replace(schedule, workload={**work, "workflows": count})
    for name in ("steps", "step_s", "start_s"):
        if name in work:
            yield replace(schedule, workload={key: value for key, value in work.items() if key != name})


def _shorter(schedule: Schedule) -> Iterator[Schedule]:
    ends_s = [fault.at_s + (fault.for_s or 0.0) for fault in schedule.faults] + [call.at_s for call in schedule.calls]
    last_s = max(ends_s, default=0.0)
    for duration_s in (30.0, 60.0, 120.0):
        if max(last_s, 1.0) <= duration_s < schedule.duration_s:
            yield replace(schedule, duration_s=duration_s)
    for at, fault in enumerate(schedule.faults):
        for round_s in (float(round(fault.at_s, -1)), float(round(fault.at_s))):
            if round_s != fault.at_s and 1.0 <= round_s <= schedule.duration_s:
                yield _with(schedule, at, replace(fault, at_s=round_s))
                break
        if fault.args:
            yield _with(schedule, at, replace(fault, args={}))
        if fault.for_s is not None and fault.for_s != float(round(fault.for_s)) and round(fault.for_s) > 0:
            yield _with(schedule, at, replace(fault, for_s=float(round(fault.for_s))))


def _with(schedule: Schedule, at: int, fault: FaultAt) -> Schedule:
    changed = (*schedule.faults[:at], fault, *schedule.faults[at + 1 :])
    return replace(schedule, faults=tuple(sorted(changed, key=lambda each: (each.at_s, each.fault, each.on))))


def _plainer_members(schedule: Schedule) -> Iterator[Schedule]:
    for at, member in enumerate(schedule.executors):
        for change in ({"language": "python"}, {"version": "v1"}, {"app": "app"}):
            plainer = replace(member, **change)
            if plainer != member:
                executors = (*schedule.executors[:at], plainer, *schedule.executors[at + 1 :])
                yield replace(schedule, executors=executors)


# ---- calls


def _fewer_calls(schedule: Schedule) -> Iterator[Schedule]:
    """One of them with the executors that faults hit, or one executor: fewer calls or members alone go to others."""
    if len(schedule.calls) + len(schedule.executors) > 2:
        hit = {fault.on for fault in schedule.faults}
        for call in schedule.calls[-_FEW:]:
            members = [member for member in schedule.executors if member.app == call.app]
            kept = tuple(member for member in members if member.label in hit) or tuple(members[:1])
            if len(schedule.calls) > 1 or len(kept) < len(schedule.executors):
                yield replace(schedule, calls=(call,), executors=kept)
    for at in range(len(schedule.calls)):
        yield replace(schedule, calls=_without(schedule.calls, at))


def _plainer_calls(schedule: Schedule) -> Iterator[Schedule]:
    for at, call in enumerate(schedule.calls):
        for plainer in _plainer_call(call):
            yield replace(schedule, calls=(*schedule.calls[:at], plainer, *schedule.calls[at + 1 :]))


def _plainer_call(call: CallAt) -> Iterator[CallAt]:
    """What is no lawful message any more, the schedule's check refuses: that costs no play."""
    for round_s in (10.0, float(round(call.at_s, -1)), float(round(call.at_s))):
        if round_s != call.at_s and round_s < call.at_s + 10.0:
            yield replace(call, at_s=round_s)
    if call.version is not None:
        yield replace(call, version=None)
    if call.app != "app":
        yield replace(call, app="app")
    for request in _plainer_value(call.fields):
        yield replace(call, request=msgspec.json.encode(request).decode())
    for answer in _plainer_value(call.answers):
        yield replace(call, answer=msgspec.json.encode(answer).decode())


def _plainer_value(value: Any) -> Iterator[Any]:
    """Halves and single elements of objects and lists left out, then what is within them, and texts cut short."""
    if isinstance(value, dict):
        for fewer in _fewer(list(value.items())):
            yield dict(fewer)
        for name, within in value.items():
            for plainer in _plainer_value(within):
                yield {**value, name: plainer}
    elif isinstance(value, list):
        yield from _fewer(value)
        for at, within in enumerate(value):
            for plainer in _plainer_value(within):
                yield [*value[:at], plainer, *value[at + 1 :]]
    elif isinstance(value, str) and len(value) > _SHORT:
        yield value[:_SHORT]
        yield value[-_SHORT:]


def _fewer(items: list[Any]) -> Iterator[list[Any]]:
    half = len(items) // 2
    if half:
        yield items[:half]
        yield items[half:]
    for at in range(len(items)):
        yield [*items[:at], *items[at + 1 :]]
