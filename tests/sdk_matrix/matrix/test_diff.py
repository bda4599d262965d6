"""What counts as a change between two measurements, and which clauses it touches."""

from __future__ import annotations

import pytest

from sdk_matrix.matrix.diff import Change, NothingToCompare, changes, pairs
from sdk_matrix.matrix.model import Cell, Matrix, agree
from tests.sdk_matrix.matrix.made import exits, matrix, pings


def between(one: Matrix, other: Matrix) -> list[Change]:
    return changes(one, other, pairs(one, other))


def test_a_matrix_does_not_differ_from_itself() -> None:
    one = matrix(typescript_1=(exits(), pings()))
    assert between(one, one) == []


def test_timings_within_their_spread_are_the_same() -> None:
    one, other = matrix(go_1=(exits(), pings(20.0, 20.4))), matrix(go_1=(exits(), pings(20.2, 20.3, 20.1)))
    assert between(one, other) == []
    assert [each.what for each in between(one, matrix(go_1=(exits(), pings(1.0))))] == ["timing"]
    (change,) = between(one, matrix(go_1=(exits(), pings(60.0))))
    assert (change.what, change.was, change.now, change.touches) == (
        "timing", "20.20 s (20.00 to 20.40)", "60.00 s", ()
    )  # fmt: skip


def test_another_value_touches_the_clauses_of_its_row() -> None:
    one, other = matrix(typescript_1=(exits(), pings())), matrix(typescript_2=(Cell("error"), pings()))
    (change,) = between(one, other)
    assert (change.what, change.was, change.now, change.touches) == ("value", "process exits 1", "error", ("ENV-12",))


def test_other_fields_are_a_change() -> None:
    one, other = matrix(go_1=(exits(), pings())), matrix(go_1=(exits(notes=("absent: x",)), pings()))
    (change,) = between(one, other)
    assert (change.what, change.now) == ("fields", "absent: x")


def test_a_cell_that_one_side_did_not_measure_is_told_and_touches_nothing() -> None:
    lost = Cell("no database", measured=False)
    one, other = matrix(go_1=(exits(), pings())), matrix(go_1=(lost, pings()))
    (change,) = between(one, other)
    assert (change.what, change.touches) == ("not measured", ())
    assert between(other, other) == []


def test_columns_are_named_or_the_only_ones_of_their_language() -> None:
    both = matrix(python_1=(exits(), pings()), python_2=(Cell("error"), pings()))
    ((before, after),) = pairs(both, both, "python==1", "python==2")
    assert (before.version, after.version) == ("1", "2")
    with pytest.raises(NothingToCompare, match="name two"):
        pairs(both, matrix(python_3=(exits(), pings())))
    with pytest.raises(NothingToCompare, match="'python==9'"):
        pairs(both, both, "python==9", "python==2")


def test_a_timing_that_one_side_lacks_is_no_agreement() -> None:
    assert not agree(pings(), Cell("pings"))
    assert agree(Cell("pings"), Cell("pings", detail="another id"))
