"""What users may ask, and what they are told when it can't be read."""

from __future__ import annotations

import re

import pytest

from simulator.studies.grid import FIELD, GridError, parse, points, timing_of, varied


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
        ("grace=0", "grace=0: give 1 to"),
        ("loss=95%", "loss=95%: give 0 to 0.9"),
        ("grace=10..20", "a range has a step"),
        ("grace=20..10/5", "a range rises"),
        ("grace=1..100000/0.001", "values, give at most"),
        ("sdk=rust", "sdk=rust: give python, typescript, go, java"),
    ],
)
def test_what_can_not_be_read(text: str, said: str) -> None:
    with pytest.raises(GridError, match=re.escape(said)):
        parse(text, FIELD)


def test_too_many_points() -> None:
    with pytest.raises(GridError, match="4950 points"):
        points({"grace": [float(n) for n in range(1, 100)], "pauses": [float(n) for n in range(50)]}, FIELD)


def test_a_timing_that_contradicts_itself() -> None:
    with pytest.raises(GridError, match=r"ping_interval=0\.5"):
        timing_of({"ping_interval": 0.5, "ping_wait": float("inf"), "grace": 5.0, "scan": 1.0})
