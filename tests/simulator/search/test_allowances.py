"""REC-15: what waits goes on once the setting is allowed; a relay that waits for somebody to join is found out."""

from __future__ import annotations

import broken_relays
from reference_relay.core.core import Core
from scenarios.schedule import FaultAt, Member, Schedule
from simulator.search.play import play
from tests.simulator.fleets import schedule

IGNORES = broken_relays.find("ignores-changed-settings").core


def _allowed_later(*others: Member) -> Schedule:
    """Nobody of v1 is left; recovery to the latest version is allowed a minute later."""
    return schedule(
        FaultAt("kill", 10.0, "a"),
        FaultAt("settings", 80.0, "b", args={"latest": "on"}),
        members=(Member("a"), *others), duration_s=120.0,
    )  # fmt: skip


def test_somebody_of_the_latest_version_must_be_asked() -> None:
    given = _allowed_later(Member("b", version="v2"))
    assert play(given, IGNORES).clause == "REC-15"
    assert play(given, Core).violations == ()


def test_where_nobody_waits_nothing_is_owed() -> None:
    given = _allowed_later(Member("b"))
    assert play(given, IGNORES).violations == ()


def test_a_crash_right_after_it_begins_anew() -> None:
    given = _allowed_later(Member("b", version="v2"))
    crashed = schedule(
        *given.faults, FaultAt("relay-kill", 80.2, "relay", args={"down_s": 5.0}),
        members=given.executors, duration_s=given.duration_s,
    )  # fmt: skip
    assert play(crashed, Core).violations == ()
