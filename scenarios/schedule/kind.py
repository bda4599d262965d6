"""What a schedule file may say about one fault, and what it is told where it says something else."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Literal

import msgspec

from scenarios.schedule.errors import ScheduleError

On = Literal["executor", "relay", "database", "link", "host"]
"""What a fault hits. In a schedule's ``on``: an executor's label for "executor" and for "link" (its connection to the
relay), a label or "relay" for "host", "relay" for "relay", "database" for "database", "all" for every executor."""

Value = int | float | str


class Arg(msgspec.Struct, frozen=True):
    """One argument of a fault. The default's type is the argument's; ``least`` bounds a number from below."""

    name: str
    unit: str  # "s", "bytes", "frames", "ppm", "fraction", "" for a word or a pure number
    default: Value
    text: str
    least: float | None = 0.0
    choices: tuple[str, ...] = ()


class Kind(msgspec.Struct, frozen=True):
    """One fault by name. ``heals``: it lasts ``for_s`` and is then undone; otherwise it happens once."""

    name: str
    text: str
    on: On
    args: tuple[Arg, ...] = ()
    heals: bool = False
    all: bool = False  # hits every executor: ``on`` is "all"
    absent: Mapping[str, str] = {}  # runtime ("simulator", "chaos"): why it can't have this fault

    def arg(self, name: str) -> Arg:
        """Raises `ScheduleError` for an argument that the kind does not have."""
        for arg in self.args:
            if arg.name == name:
                return arg
        names = [arg.name for arg in self.args]
        raise ScheduleError(f"{self.name} has no argument {name!r}{near(name, names)}; it has {words(names)}")

    def values(self, given: Mapping[str, Value]) -> dict[str, Value]:
        """All arguments, defaults filled in, in the kind's order. Raises `ScheduleError` for a wrong one."""
        for name, value in given.items():
            _check(self, self.arg(name), value)
        return {arg.name: _typed(arg, given.get(arg.name, arg.default)) for arg in self.args}


def near(word: str, known: list[str]) -> str:
    close = get_close_matches(word, known, n=1)
    return f" (did you mean {close[0]}?)" if close else ""


def words(names: list[str]) -> str:
    return ", ".join(names) if names else "none"


def _check(kind: Kind, arg: Arg, value: Value) -> None:
    place = f"{kind.name}: {arg.name}"
    wants_text = isinstance(arg.default, str)
    if wants_text != isinstance(value, str) or isinstance(value, bool):
        raise ScheduleError(f"{place} is {value!r}: give a {'word' if wants_text else 'number'}")
    if isinstance(value, str):
        if arg.choices and value not in arg.choices:
            raise ScheduleError(f"{place} is {value!r}: give one of {words(list(arg.choices))}")
        return
    if isinstance(arg.default, int) and not isinstance(value, int):
        raise ScheduleError(f"{place} is {value!r}: give a whole number of {arg.unit or 'times'}")
    if arg.least is not None and not value >= arg.least:
        raise ScheduleError(f"{place} is {value!r}: give at least {arg.least:g} {arg.unit}".rstrip())
    if arg.unit == "fraction" and value > 1:
        raise ScheduleError(f"{place} is {value!r}: give a fraction, at most 1")


def _typed(arg: Arg, value: Value) -> Value:
    return float(value) if isinstance(arg.default, float) else value
