"""The timing profile holds the documented numbers, refuses contradictions and names what windows use."""

from __future__ import annotations

import math

import msgspec
import pytest

from conductor.errors import InvalidTiming
from conductor.numbers import NUMBERS, contradictions, documented
from conductor.timing import DOCUMENTED, FAST, Timing


def test_the_documented_defaults() -> None:
    assert Timing() == DOCUMENTED
    assert DOCUMENTED.names() == {
        "i": 10.0,
        "w": 25.0,
        "g": 60.0,
        "scan": 1.0,
        "slack": 0.5,
        "handshake": 25.0,
        "request": 10.0,
        "recovery": 60.0,
        "backoff": 1.0,
        "backoff_cap": 30.0,
        "redial": 1.0,
    }
    assert (DOCUMENTED.backoff_factor, DOCUMENTED.remember_s) == (2.0, 24 * 3600)


def test_the_fast_profile_has_the_same_shape() -> None:
    assert (FAST.ping_interval_s, FAST.ping_wait_s, FAST.grace_s) == (0.5, 1.25, 2.0)
    assert FAST.ping_wait_s / FAST.ping_interval_s == DOCUMENTED.ping_wait_s / DOCUMENTED.ping_interval_s
    assert FAST.slack_s == min(FAST.ping_wait_s, FAST.grace_s) / 4


@pytest.mark.parametrize("name", Timing.__struct_fields__)
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_no_number_is_negative_or_endless(name: str, value: float) -> None:
    with pytest.raises(InvalidTiming, match=f"{name} is {value}"):
        Timing(**{name: value})


@pytest.mark.parametrize("name", Timing.__struct_fields__)
def test_only_slack_and_first_backoff_may_be_zero(name: str) -> None:
    if name in ("slack_s", "backoff_first_s"):
        assert getattr(Timing(**{name: 0.0}), name) == 0
    else:
        with pytest.raises(InvalidTiming, match=f"{name} is 0.0: give a finite number above 0"):
            Timing(**{name: 0.0})


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"slack_s": 6.26}, "slack_s is 6.26: give at most 6.25"),
        ({"grace_s": 1.0}, "slack_s is 0.5: give at most 0.25"),
        ({"scan_s": 10.5}, "scan_s is 10.5: give at most ping_interval_s"),
        ({"backoff_first_s": 31.0}, "backoff_first_s is 31.0: give at most backoff_cap_s"),
        ({"backoff_factor": 0.5}, "backoff_factor is 0.5: give 1 or more"),
    ],
)
def test_numbers_that_contradict_each_other(changes: dict[str, float], reason: str) -> None:
    with pytest.raises(InvalidTiming, match=reason):
        Timing(**changes)


def test_bounds_are_inclusive() -> None:
    assert Timing(slack_s=6.25, scan_s=10.0, backoff_first_s=30.0, backoff_factor=1.0).slack_s == 6.25


def test_a_contradiction_in_a_file_is_reported_by_msgspec() -> None:
    with pytest.raises(msgspec.ValidationError, match="scan_s is 11"):
        msgspec.convert({"scan_s": 11.0}, Timing)


@pytest.mark.parametrize(
    ("name", "field"),
    [
        ("server_ping_interval", "ping_interval_s"),
        ("server_ping_wait", "ping_wait_s"),
        ("grace_period", "grace_s"),
        ("reconnect_first", "redial_s"),
    ],
)
def test_the_defaults_are_among_the_documented_numbers(name: str, field: str) -> None:
    assert getattr(DOCUMENTED, field) in {number.value for number in documented(name)}


def test_contradictory_numbers_stand_side_by_side() -> None:
    assert set(contradictions()) == {
        "server_ping_interval",
        "client_ping_interval",
        "client_pong_timeout",
        "client_pong_timeout_python",
    }
    assert {(number.value, number.source) for number in documented("server_ping_interval")} == {
        (10, "protocol page"),
        (20, "recovery page"),
    }


def test_every_number_has_a_unit_a_source_and_a_note() -> None:
    assert all(number.unit and number.source and number.note for number in NUMBERS)
    assert len({(number.name, number.value, number.source) for number in NUMBERS}) == len(NUMBERS)


def test_a_number_that_nobody_documents() -> None:
    with pytest.raises(KeyError, match="no documented number is called 'lease'"):
        documented("lease")
