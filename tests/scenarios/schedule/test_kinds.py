"""The table of faults, and what it says to a wrong argument."""

from __future__ import annotations

from typing import get_args

import pytest

from scenarios.schedule.errors import ScheduleError
from scenarios.schedule.kinds import KINDS, On, Value, find


def test_every_kind_says_what_it_is() -> None:
    for name, kind in KINDS.items():
        assert kind.name == name
        assert kind.text.endswith(".") and kind.text[0].isupper(), name
        assert kind.on in get_args(On)
        assert kind.values({}) == {arg.name: arg.default for arg in kind.args}, name


def test_defaults_are_filled_in() -> None:
    assert find("kill-at-step").values({"step": 2}) == {"step": 2, "phase": "begin"}


def test_a_whole_number_stands_for_seconds() -> None:
    values = find("relay-kill").values({"down_s": 3})
    assert values == {"down_s": 3.0} and isinstance(values["down_s"], float)


@pytest.mark.parametrize(
    ("fault", "args", "said"),
    [
        ("relay-kill", {"down": 1.0}, "has no argument 'down' (did you mean down_s?); it has down_s"),
        ("cut", {"x": 1}, "has no argument 'x'; it has none"),
        ("relay-kill", {"down_s": -1.0}, "down_s is -1.0: give at least 0 s"),
        ("relay-kill", {"down_s": "long"}, "down_s is 'long': give a number"),
        ("relay-kill", {"down_s": True}, "down_s is True: give a number"),
        ("freeze", {"direction": "left"}, "direction is 'left': give one of up, down, both"),
        ("freeze", {"direction": 1}, "direction is 1: give a word"),
        ("kill-at-step", {"step": 1.5}, "step is 1.5: give a whole number"),
        ("kill-at-step", {"step": 0}, "step is 0: give at least 1"),
        ("loss", {"rate": 1.5}, "rate is 1.5: give a fraction, at most 1"),
        ("loss", {"rate": float("nan")}, "rate is nan: give at least 0"),
    ],
)
def test_wrong_arguments(fault: str, args: dict[str, Value], said: str) -> None:
    with pytest.raises(ScheduleError) as error:
        find(fault).values(args)
    assert said in str(error.value) and fault in str(error.value)


def test_an_unknown_fault_names_the_nearest() -> None:
    with pytest.raises(ScheduleError, match=r"no fault is called 'kil' \(did you mean kill\?\); there are kill, "):
        find("kil")
