"""How often each fault struck each SDK, and whether there was work under way that it could have harmed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping

import msgspec

from evidence.cases import cases_of
from evidence.events import Fault
from evidence.history import History
from evidence.outcomes import STRIKES, TERMINAL, wall_offset_us, weigh
from evidence.strikes import EVERYBODY, name_of
from evidence.weighed import Process
from scenarios.schedule import KINDS

__all__ = ["Blow", "blows"]

_NEVER = 2**63
Span = tuple[int, int]  # microseconds of the wall clock


class Blow(msgspec.Struct, frozen=True):
    """One fault and one SDK. A fault of relay or database strikes every SDK of the run."""

    fault: str
    language: str
    times: int
    on_work: int  # of which a workflow was unfinished: in the victim's hands, or anybody's where all are struck


def blows(history: History) -> tuple[Blow, ...]:
    """By fault and language, in the order in which they first struck."""
    found = weigh(history)
    hands, apps = _work(history)
    offset_us = wall_offset_us(history) or 0.0
    times: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for event in history.of(Fault):
        name = name_of(event)
        if name is None or (event.executor in EVERYBODY and KINDS[name].on == "executor"):
            continue  # the relay's part of a fault that is counted by its victim
        at_us = int(offset_us + event.t / 1000)
        for language, spans in _struck(event, found.processes, hands, apps):
            counts = times[name, language]
            counts["times"] += 1
            if event.kind in STRIKES:
                counts["on work"] += event.executor in found.orphans
            else:
                counts["on work"] += any(since <= at_us <= until for since, until in spans)
    return tuple(Blow(name, language, counts["times"], counts["on work"]) for (name, language), counts in times.items())


def _struck(
    event: Fault, processes: Mapping[str, Process], hands: Mapping[str, list[Span]], apps: Mapping[str, list[Span]]
) -> Iterator[tuple[str, list[Span]]]:
    """Each language that the event is about, and when work was there that it could harm."""
    if event.executor in EVERYBODY:
        for app, language in sorted({(process.app, process.language) for process in processes.values()}):
            yield language, apps[app]
    elif (process := processes.get(event.executor)) is not None:
        yield process.language, hands[event.executor]


def _work(history: History) -> tuple[Mapping[str, list[Span]], Mapping[str, list[Span]]]:
    """When each executor had a workflow PENDING, and when each application had an unfinished one."""
    hands: dict[str, list[Span]] = defaultdict(list)
    apps: dict[str, list[Span]] = defaultdict(list)
    for case in cases_of(history):
        changes = [change for change in case.changes if change.kind != "outcome"]
        if not changes:
            continue
        ends = [change.at_us for change in changes if change.new in TERMINAL]
        apps[case.app].append((changes[0].at_us, ends[0] if ends else _NEVER))
        for change, after in zip(changes, [*changes[1:], None], strict=True):
            if change.new == "PENDING":
                hands[change.new_executor].append((change.at_us, after.at_us if after is not None else _NEVER))
    return hands, apps
