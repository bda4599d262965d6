"""Window texts, and intervals judged against windows."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conductor.timing import DOCUMENTED
from evidence.errors import WindowError
from evidence.verdict import Verdict
from evidence.window import Span, Window, evaluate, judge_span

NAMES = DOCUMENTED.names()


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("w + i + scan + 2*slack", 37.0),
        ("g", 60.0),
        ("0", 0.0),
        (3, 3.0),
        (1.5, 1.5),
        ("-slack", -0.5),
        ("(w - i) / 2", 7.5),
        ("min(w, g)", 25.0),
        ("max(i, 2*slack, 12)", 12.0),
        (" recovery - slack ", 59.5),
    ],
)
def test_texts_are_sums_over_the_timing(text: str | float, seconds: float) -> None:
    assert evaluate(text, NAMES) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "w +",
        "grace",
        "w ** 2",
        "__import__('os')",
        "w.real",
        "min()",
        "min(w, key=g)",
        "1/0",
        "'w'",
        "True",
        "w if g else i",
        "[w]",
        "w or g",
        "~w",
        "abs(w)",
        "w := 2",
    ],
)
def test_other_texts_are_refused_by_name(text: str) -> None:
    with pytest.raises(WindowError) as caught:
        evaluate(text, NAMES)
    assert repr(text) in str(caught.value)


@pytest.mark.parametrize("value", [None, True, [1]])
def test_a_window_is_a_number_or_a_text(value: object) -> None:
    with pytest.raises(WindowError, match="give seconds"):
        evaluate(value, NAMES)  # type: ignore[arg-type]


SECOND = 1_000_000_000
WINDOW = Window(2.0, 3.0)


@pytest.mark.parametrize(
    ("low_s", "high_s", "jitter_s", "verdict"),
    [
        (2.5, 2.6, 0, Verdict.OK),
        (1.9, 2.0, 0, Verdict.OK),  # only an interval wholly outside is a fault
        (3.0, 3.1, 0, Verdict.OK),
        (1.0, 9.0, 0, Verdict.OK),
        (1.8, 1.9, 0, Verdict.EARLY),
        (1.8, 1.9, 0.2, Verdict.UNKNOWN),
        (3.1, 3.2, 0, Verdict.LATE),
        (3.1, 3.2, 0.2, Verdict.UNKNOWN),
        (3.1, 3.2, 0.05, Verdict.LATE),
    ],
)
def test_an_interval_is_judged_as_a_whole(low_s: float, high_s: float, jitter_s: float, verdict: Verdict) -> None:
    span = Span(round(low_s * SECOND), round(high_s * SECOND))
    assert judge_span(span, Span.at(0), WINDOW, round(jitter_s * SECOND)) is verdict


def test_an_open_window_has_no_late() -> None:
    assert judge_span(Span.at(10**15), Span.at(0), Window(1.0, None), 0) is Verdict.OK
    assert Window(1.0, None).text() == "1.000 s or later"
    assert WINDOW.text() == "between 2.000 and 3.000 s"


@given(st.integers(0, 10**10), st.integers(0, 10**10), st.integers(0, 10**9), st.integers(0, 10**9))
def test_a_wider_interval_is_never_more_certain(low: int, high: int, before: int, after: int) -> None:
    low, high = sorted((low, high))
    narrow = judge_span(Span(low, high), Span.at(0), WINDOW, 0)
    wide = judge_span(Span(low - before, high + after), Span.at(0), WINDOW, 0)
    assert narrow is not Verdict.OK or wide is Verdict.OK
