"""`Ids` against the sorted set that it stands for."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reference_relay.core.ids import Ids

NAMES = st.text("ab\0\ud800é", max_size=3)
CHANGES = st.lists(st.tuples(st.booleans(), NAMES))


def changed(ids: Ids, changes: Iterable[tuple[bool, str]]) -> Ids:
    for comes, name in changes:
        ids = ids.with_id(name) if comes else ids.without(name)
    return ids


def widest_copy(ids: Ids) -> int:
    """The most that one change may have to copy: the chunks' list and the longest chunk."""
    return len(ids._chunks) + max(map(len, ids._chunks))


@given(CHANGES)
def test_what_came_and_did_not_go_in_order(changes: list[tuple[bool, str]]) -> None:
    wanted: set[str] = set()
    for comes, name in changes:
        (wanted.add if comes else wanted.discard)(name)
    ids = changed(Ids(), changes)
    assert list(ids) == sorted(wanted) and ids == tuple(sorted(wanted)) and len(ids) == len(wanted)
    assert all(name in ids for name in wanted) and "never" not in ids


@pytest.mark.parametrize("step", [1, -1, 7_919])
def test_many_in_any_order(step: int) -> None:
    names = [f"{at * step % 10_000:05}" for at in range(10_000)]
    ids = changed(Ids(), ((True, name) for name in names))
    ordered = sorted(names)
    assert ids == ordered == list(Ids(names))
    assert [ids[at] for at in (0, 1, 4_321, 9_999, -1, -10_000)] == [
        ordered[at] for at in (0, 1, 4_321, 9_999, -1, -10_000)
    ]
    assert ids[5:2_000:7] == tuple(ordered[5:2_000:7])
    left = changed(ids, ((False, name) for name in names if not name.endswith("7")))
    assert left == [name for name in ordered if name.endswith("7")]
    assert ids == ordered, "nothing changes what was there before"


def test_a_change_costs_a_small_part() -> None:
    ids = Ids(f"{at:05}" for at in range(0, 20_000, 2))
    assert widest_copy(changed(ids, ((True, f"{at:05}") for at in range(1, 20_000, 2)))) < 500
    few = changed(ids, ((False, f"{at:05}") for at in range(20_000) if at % 200))
    assert len(few) == 100 and widest_copy(few) < 100, "small chunks are put together"


def test_nothing_changes_where_there_is_nothing_to_change() -> None:
    ids = Ids(["b", "d"])
    assert ids.with_id("b") is ids and ids.without("a") is ids and ids.without("c") is ids
    assert not Ids() and Ids().without("a") == ()


@pytest.mark.parametrize("at", [2, -3])
def test_outside_of_it_there_is_nothing(at: int) -> None:
    with pytest.raises(IndexError):
        Ids(["a", "b"])[at]


def test_it_equals_sequences_of_the_same_ids_only() -> None:
    assert Ids(["a", "b"]) == ["a", "b"] and Ids(["a", "b"]) == Ids("ba") and hash(Ids("ab")) == hash(("a", "b"))
    assert Ids(["a"]) != "a" and Ids(["a"]) != ("a", "b") and Ids(["a"]) != {"a"}
    assert 7 not in list[object](Ids("a")) and not Ids("a").__contains__(7)
