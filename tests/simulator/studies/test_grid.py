"""What users may ask, and what they are told when it can't be read."""

from __future__ import annotations

import re

import pytest

from simulator.studies.grid import FIELD, GridError, parse, points, timing_of, varied
from simulator.studies.study import find


def test_lists_ranges_and_units() -> None:
    axes = parse("grace=30,1min ping_interval=10..20/5 loss=0%..2%/1% latency=5ms pauses=2/h sdk=go,java", FIELD)
    assert axes == {
        "grace": [30.0, 60.0], "ping_interval": [10.0, 15.0, 20.0], "loss": [0.0, 0.01, 0.02], "latency": [0.005],
        "pauses": [48.0], "sdk": ["go", "java"],
    }  # fmt: skip
    assert len(points(axes, FIELD)) == 2 * 3 * 3 * 2
    assert varied(points(axes, FIELD), FIELD) == ["ping_interval", "grace", "sdk", "loss"]


def test_what_is_not_given_has_its_default() -> None:
    (point,) = points({}, FIELD)
    assert (point["grace"], point["ping_wait"], point["ping_interval"]) == (60.0, 25.0, 10.0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("grace", "'grace' is not name=value"),
        ("gracee=3", "did you mean grace?"),
        ("grace=3 grace=4", "given twice"),
        ("grace=soon", "grace=soon: give a number"),
        ("grace=nan", "grace=nan: give a number (ms, s, min, m, h or without a unit), such as 60"),
        ("grace=-5", "grace=-5: give a number"),
        ("grace=", "'grace=' is not name=value"),
        ("grace=5,,6", "grace=5,,6: a value is missing"),
        ("grace=5, 6", "grace=5,: a value is missing; write several with commas and without blanks"),
        ("GRACE=5", "did you mean grace?"),
        ("pauses=1e6", "pauses=1e6: give 0/day to 10,000/day"),
        ("grace=0", "grace=0: give 1 s to 1,000,000 s"),
        ("grace=1e400", "grace=1e400: give 1 s"),
        ("grace=5%", "grace=5%: give a number (ms, s"),
        ("loss=95%", "loss=95%: give 0 % to 90 %"),
        ("loss=0.1s", "loss=0.1s: give a number (% or without a unit)"),
        ("pauses=1/s", "pauses=1/s: give a number (/day, /h or without a unit)"),
        ("grace=10..20", "a range has a step"),
        ("grace=20..10/5", "a range rises"),
        ("grace=1..100000/0.001", "values, give at most"),
        ("sdk=rust", "sdk=rust: give python, typescript, go, java"),
    ],
)
def test_what_can_not_be_read(text: str, said: str) -> None:
    with pytest.raises(GridError, match=re.escape(said)):
        parse(text, FIELD)


def test_whole_numbers_stay_whole() -> None:
    parameters = find("storm").parameters
    assert parse("executors=0.5k,2k admission=1k/s", parameters) == {
        "executors": [500.0, 2000.0],
        "admission": [1000.0],
    }
    for text in ("executors=2.5", "executors=1..3/0.5"):
        with pytest.raises(GridError, match="give a whole number"):
            parse(text, parameters)


def test_a_value_given_twice_counts_once() -> None:
    axes = parse("grace=30,30s,20..30/5 sdk=go,go loss=0..1%/.5%", FIELD)
    assert axes == {"grace": [30.0, 20.0, 25.0], "sdk": ["go"], "loss": [0.0, 0.005, 0.01]}


def test_too_many_points() -> None:
    with pytest.raises(GridError, match="4950 points"):
        points({"grace": [float(n) for n in range(1, 100)], "pauses": [float(n) for n in range(50)]}, FIELD)


def test_a_timing_that_contradicts_itself() -> None:
    with pytest.raises(GridError, match=r"ping_interval=0\.5"):
        timing_of({"ping_interval": 0.5, "ping_wait": float("inf"), "grace": 5.0, "scan": 1.0})
