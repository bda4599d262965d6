"""Schedules: who takes part, what they do, and which faults hit whom when. One TOML file each.

    format = 1
    name = "pause-across-grace"
    seed = 7
    duration_s = 300.0
    executors = [{label = "a"}, {label = "b", language = "go"}]

    [timing]                      # fields of the timing profile that differ from the documented ones
    grace_s = 30.0

    [workload]                    # see WORKLOAD
    workflows = 8

    [[faults]]
    fault = "pause"
    at_s = 12.5
    on = "a"
    for_s = 60.0
    args = {}

    [[calls]]                     # of the management API, in place of the workload's drawn ones
    type = "get_queue"
    at_s = 40.0
    request = '{"name": "q"}'
    answer = '{"output": null}'

All times are seconds from the beginning of the run.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import msgspec
import tomli_w
from msgspec.structs import replace

from conductor.errors import InvalidTiming
from conductor.timing import DOCUMENTED, Timing
from scenarios.schedule.call import CallAt, check_call
from scenarios.schedule.errors import ScheduleError
from scenarios.schedule.kind import Kind, Value, near, words
from scenarios.schedule.kinds import find

FORMAT: Final = 1

LANGUAGES: Final = ("python", "typescript", "go", "java")

WORKLOAD: Final[Mapping[str, Value]] = MappingProxyType(
    {
        "workflows": 12,  # how many are started
        "start_s": 60.0,  # ... evenly over this time, round-robin on the executors that run
        "steps": 3,  # of each
        "step_s": 1.0,  # how long one step works
        "queued": 0.25,  # share that is enqueued instead of started
        "children": 0.1,  # share that starts a child and awaits it
        "sleeping": 0.1,  # share that sleeps between its steps
        "sleep_s": 20.0,  # how long
        "calls": 0.0,  # management calls a minute that need an executor, drawn; none where the schedule lists its own
    }
)
"""What a schedule's workload may say, with the defaults."""


class Member(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An executor that takes part. Processes come and go under its label.

    ``app`` is its application, ``org/app`` one of another organisation.
    """

    label: str
    language: str = "python"
    version: str = "v1"
    app: str = "app"


class FaultAt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One fault of the schedule. ``for_s`` only where its kind heals; None lasts until the schedule's end."""

    fault: str
    at_s: float
    on: str
    for_s: float | None = None
    args: dict[str, Value] = {}

    @property
    def kind(self) -> Kind:
        return find(self.fault)

    @property
    def values(self) -> dict[str, Value]:
        """All arguments, defaults filled in."""
        return self.kind.values(self.args)


class Schedule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One whole run, reproducible from ``seed``. ``about`` is free: what wrote the file, and what it found."""

    name: str
    seed: int
    duration_s: float
    executors: tuple[Member, ...]
    format: int = FORMAT
    timing: dict[str, float] = {}
    settings: dict[str, Any] = {}  # of the application, as the management API names them
    workload: dict[str, Value] = {}
    faults: tuple[FaultAt, ...] = ()
    calls: tuple[CallAt, ...] = ()
    about: dict[str, Any] = {}

    @property
    def timing_profile(self) -> Timing:
        """The documented timing with this schedule's changes."""
        return replace(DOCUMENTED, **self.timing)

    def work(self) -> dict[str, Value]:
        """The workload, defaults filled in."""
        return {**WORKLOAD, **self.workload}

    @property
    def apps(self) -> list[str]:
        """Of all executors, each once, in their order."""
        return list(dict.fromkeys(member.app for member in self.executors))


def read(path: Path) -> Schedule:
    """Raises `ScheduleError`, which names the file, the key and what is allowed."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        raise ScheduleError(f"{path}: can't be read as a schedule, TOML in UTF-8: {problem}") from problem
    return loads(text, str(path))


def write(schedule: Schedule, path: Path) -> None:
    """Raises `ScheduleError` for a schedule that `read` would not take back."""
    path.write_text(dumps(schedule), encoding="utf-8")


def dumps(schedule: Schedule) -> str:
    """The text of its file. What is at its default is left out."""
    check(schedule, schedule.name)
    return tomli_w.dumps(_bare(schedule))


def loads(text: str, source: str) -> Schedule:
    """A schedule from the text of its file; ``source`` is how errors name it. Raises `ScheduleError`."""
    try:
        raw = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise ScheduleError(f"{source}: not TOML: {problem}") from problem
    if raw.get("format", FORMAT) != FORMAT:
        raise ScheduleError(f"{source}: format is {raw['format']!r}: this version reads format {FORMAT} only")
    try:
        schedule = msgspec.convert(raw, Schedule)
    except msgspec.ValidationError as problem:
        raise ScheduleError(f"{source}: {_explained(str(problem))}") from problem
    return check(schedule, source)


def check(schedule: Schedule, source: str) -> Schedule:
    """What types alone can't say. Raises `ScheduleError`."""
    if not re.fullmatch(r"[a-z0-9][a-z0-9._-]*", schedule.name):
        raise ScheduleError(f"{source}: name is {schedule.name!r}: give small letters, digits, dots and dashes")
    if not (math.isfinite(schedule.duration_s) and schedule.duration_s > 0):
        raise ScheduleError(f"{source}: duration_s is {schedule.duration_s}: give a number above 0")
    _check_members(schedule, source)
    _check_timing(schedule, source)
    _check_workload(schedule, source)
    for number, fault in enumerate(schedule.faults, start=1):
        _check_fault(schedule, fault, f"{source}: faults, number {number}")
    for number, call in enumerate(schedule.calls, start=1):
        check_call(call, schedule.apps, schedule.duration_s, f"{source}: calls, number {number}")
    return schedule


def _check_members(schedule: Schedule, source: str) -> None:
    if not schedule.executors:
        raise ScheduleError(f"{source}: executors: name at least one, such as [[executors]] label = 'a'")
    seen: set[str] = set()
    for member in schedule.executors:
        if not re.fullmatch(r"[a-z][a-z0-9-]*", member.label) or member.label in ("relay", "database", "all"):
            raise ScheduleError(
                f"{source}: executors: label is {member.label!r}: give a word of small letters, digits and dashes that "
                "is not relay, database or all"
            )
        if member.label in seen:
            raise ScheduleError(f"{source}: executors: two are called {member.label!r}")
        if member.language not in LANGUAGES:
            raise ScheduleError(
                f"{source}: executors: {member.label}: language is {member.language!r}: give one of "
                f"{words(list(LANGUAGES))}"
            )
        if not re.fullmatch(r"([a-z0-9-]+/)?[a-z0-9-]+", member.app):
            raise ScheduleError(
                f"{source}: executors: {member.label}: app is {member.app!r}: give 'app', or 'org/app' for one of "
                "another organisation"
            )
        seen.add(member.label)


def _check_timing(schedule: Schedule, source: str) -> None:
    known = list(Timing.__struct_fields__)
    for name in schedule.timing:
        if name not in known:
            raise ScheduleError(f"{source}: [timing] {name}: unknown{near(name, known)}; allowed: {words(known)}")
    try:
        _ = schedule.timing_profile
    except InvalidTiming as problem:
        raise ScheduleError(f"{source}: [timing] {problem}") from problem


def _check_workload(schedule: Schedule, source: str) -> None:
    for name, value in schedule.workload.items():
        if name not in WORKLOAD:
            known = list(WORKLOAD)
            raise ScheduleError(f"{source}: [workload] {name}: unknown{near(name, known)}; allowed: {words(known)}")
        whole = isinstance(WORKLOAD[name], int)
        if isinstance(value, str | bool) or (whole and not isinstance(value, int)) or not value >= 0:
            raise ScheduleError(
                f"{source}: [workload] {name} is {value!r}: give a {'whole ' if whole else ''}number, at least 0"
            )


def _check_fault(schedule: Schedule, fault: FaultAt, place: str) -> None:
    try:
        kind = find(fault.fault)
        kind.values(fault.args)
    except ScheduleError as problem:
        raise ScheduleError(f"{place}: {problem}") from problem
    if not 0 <= fault.at_s <= schedule.duration_s:
        raise ScheduleError(
            f"{place} ({kind.name}): at_s is {fault.at_s}: give 0 to the schedule's duration_s, {schedule.duration_s:g}"
        )
    if fault.for_s is not None and not kind.heals:
        raise ScheduleError(f"{place} ({kind.name}): it happens once and does not heal: leave for_s out")
    if fault.for_s is not None and not (math.isfinite(fault.for_s) and fault.for_s > 0):
        raise ScheduleError(f"{place} ({kind.name}): for_s is {fault.for_s}: give a number above 0")
    allowed = targets(kind, schedule)
    if fault.on not in allowed:
        raise ScheduleError(
            f"{place} ({kind.name}): on is {fault.on!r}{near(fault.on, allowed)}: it hits {words(allowed)}"
        )


def targets(kind: Kind, schedule: Schedule) -> list[str]:
    """What a fault of this kind may name as its ``on`` in this schedule."""
    labels = [member.label for member in schedule.executors]
    if kind.all:
        return ["all"]
    match kind.on:
        case "executor" | "link":
            return labels
        case "host":
            return [*labels, "relay"]
        case "relay" | "database":
            return [kind.on]


def _bare(schedule: Schedule) -> dict[str, Any]:
    """TOML knows no null: what is at its default is left out, the format never."""
    built: dict[str, Any] = msgspec.to_builtins(schedule)
    for name in ("timing", "settings", "workload", "faults", "calls", "about"):
        if not built[name]:
            del built[name]
    for call in built.get("calls", ()):
        if call["version"] is None:
            del call["version"]
    for fault in built.get("faults", ()):
        for name in ("for_s", "args"):
            if not fault[name]:
                del fault[name]
    return {"format": built.pop("format"), **built}


def _explained(problem: str) -> str:
    """msgspec's sentence with the place in front, as a person writes it."""
    text, _, place = problem.partition(" - at `$")
    place = place.rstrip("`").lstrip(".")
    if unknown := re.search(r"unknown field `(.+)`", text):
        owners = {"executors": Member, "faults": FaultAt, "calls": CallAt}
        owner = owners.get(place.partition("[")[0], Schedule)
        fields = list(owner.__struct_fields__)
        return f"{place or 'top level'}: unknown key {unknown[1]}{near(unknown[1], fields)}; allowed: {words(fields)}"
    return f"{place}: {text}" if place else text
