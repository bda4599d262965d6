"""Skipped heartbeats: the same trace, less work; and nothing is skipped where a heartbeat may matter."""

from __future__ import annotations

import pytest

import broken_relays
from reference_relay.core.core import Core
from reference_relay.core.events import Event
from scenarios.schedule import FaultAt
from simulator.clock import ns
from simulator.models.heartbeats import disturbed, skippable
from simulator.search.monitor import Monitor
from simulator.search.play import play
from simulator.search.swarm import draw, schedule_seed
from tests.simulator.fleets import schedule

SILENCES = (
    FaultAt("pause", 61.3, "a", 50.0), FaultAt("disconnect", 63.0, "a", 30.0),
    FaultAt("relay-pause", 58.0, "relay", 40.0),
    FaultAt("proxy-idle", 55.0, "a", 60.0, {"idle_s": 15.0}), FaultAt("drop-from-relay", 66.6, "a", 70.0),
    FaultAt("half-open", 61.0, "a"), FaultAt("cut-after", 61.0, "a", args={"frames": 5}),
    FaultAt("suspend", 60.0, "a", 45.0),
)  # fmt: skip


@pytest.mark.parametrize("fault", SILENCES, ids=lambda fault: str(fault.fault))
@pytest.mark.parametrize("language", ["python", "java"])
def test_silence_is_found_at_the_same_nanosecond(fault: FaultAt, language: str) -> None:
    given = schedule(fault, FaultAt("kill", 200.0, "b"), executors=3, language=language, duration_s=300.0)
    assert play(given, Core).digest == play(given, Core, skip_heartbeats=False).digest


@pytest.mark.parametrize("number", range(10))
def test_drawn_schedules_leave_the_same_trace(number: int) -> None:
    given = draw(schedule_seed(77, number))
    skipped, whole = play(given, Core), play(given, Core, skip_heartbeats=False)
    assert skipped.digest == whole.digest and skipped.violations == whole.violations


def test_most_heartbeats_of_a_quiet_run_are_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    told: dict[bool, int] = {}
    for skip in (True, False):
        count = [0]

        class Counting(Monitor):
            def told(self, event: Event, count: list[int] = count) -> None:
                count[0] += 1
                super().told(event)

        monkeypatch.setattr("simulator.search.play.Monitor", Counting)
        play(schedule(FaultAt("kill", 20.0, "a"), executors=5, duration_s=400.0), Core, skip_heartbeats=skip)
        told[skip] = count[0]
    assert told[False] > 6 * told[True]


def test_a_relay_with_heartbeats_of_its_own_is_played_in_full() -> None:
    assert skippable(Core)
    for name in ("never-pings", "one-missed-pong", "own-pings-are-life", "wants-data", "silence-too-late"):
        assert not skippable(broken_relays.find(name).core), name


def test_who_is_awake_when() -> None:
    given = schedule(
        FaultAt("kill", 5.0, "a"), FaultAt("pause", 10.0, "a", 20.0), FaultAt("pause", 35.0, "a", 1.0),
        FaultAt("half-open", 60.0, "b"), FaultAt("relay-pause", 50.0, "relay", 10.0), duration_s=90.0,
    )  # fmt: skip
    everybody = ""
    assert disturbed(given) == {
        "a": [(ns(9.5), ns(47.0))], "b": [(ns(59.5), ns(101.0))], everybody: [(ns(49.5), ns(71.0))],
    }  # fmt: skip
