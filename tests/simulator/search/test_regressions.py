"""Schedules that once broke the reference, as the search shrank them; each still breaks a core with the old fault."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from evidence.verdict import Verdict
from reference_relay.core.core import Core
from reference_relay.core.effects import Effect
from reference_relay.core.records import Pending
from scenarios.schedule import FaultAt, Member, Schedule
from simulator.search.play import broken_clauses, play, play_whole
from tests.simulator.fleets import schedule


class DecidesAsDeadlinesComeUp(Core):
    """In one late tick: a recovery is decided before it is seen that the peer's silence is over too."""

    def _on_tick(self) -> None:
        while (entry := self._timers.pop_due(self._now_ns)) is not None:
            self._fire(entry[1], entry[2])
            self._go_on_without_answers()


class SendsWhatItHasGivenUp(Core):
    """What the store held back leaves when it is there again, however long that took."""

    def wants(self, effect: Effect) -> bool:
        return True


class BelievesVersionsBesideAnError(Core):
    """What stands in an answer with an error_message tells which version is the latest."""

    def _versions_answered(self, pending: Pending, data: bytes) -> None:
        super()._versions_answered(pending, data.replace(b'"error_message"', b'"ignored"'))


@dataclass(frozen=True)
class Found:
    clause: str
    schedule: Schedule
    fault: type[Core]


FOUND = {
    "a late tick asks a silent peer": Found(
        "REC-5",
        schedule(
            FaultAt("kill", 10.0, "b"), FaultAt("relay-pause", 12.819, "relay", for_s=13.0), duration_s=30.0,
            timing={"grace_s": 15.0, "ping_interval_s": 20.0},
        ),
        DecidesAsDeadlinesComeUp,
    ),
    "an error beside the versions": Found(
        "REC-14",
        schedule(
            FaultAt("upgrade", 4.0, "a"), FaultAt("upgrade", 4.0, "c", args={"version": "v3"}),
            FaultAt("restart", 30.0, "a"), FaultAt("wrong-answer", 40.0, "a", for_s=86.0),
            FaultAt("wrong-answer", 40.0, "c", for_s=86.0, args={"how": "error"}),
            FaultAt("upgrade", 50.0, "a", args={"version": "v3"}),
            seed=271287845542064, duration_s=60.0, timing={"grace_s": 15.0}, workload={"workflows": 0},
            settings={"recoverToLatestVersion": True}, members=(Member("a", "python"), Member("c", "python")),
        ),
        BelievesVersionsBesideAnError,
    ),
}  # fmt: skip


HELD = schedule(
    FaultAt("relay-away", 40.0, "relay", args={"down_s": 45.0}),
    FaultAt("store-fail", 80.0, "relay", for_s=94.0), FaultAt("kill-all", 100.0, "all"),
    seed=281347522127587, duration_s=120.0, timing={"recovery_deadline_s": 15.0}, workload={"workflows": 0},
    members=tuple(Member(label, "go") for label in "bdef"),
)  # fmt: skip


FALSE_ALARMS = {
    "two recoveries end in one instant, and one of their peers is asked again": HELD,
    "a crash takes settings along that were not durable yet": schedule(
        FaultAt("crash-at-persist", 10.0, "relay", args={"nth": 1, "when": "before"}),
        FaultAt("settings", 20.0, "b", args={"grace_s": 12, "latest": "as-is"}),
        FaultAt("upgrade", 50.0, "a"),
        duration_s=60.0, timing={},
    ),
    "a backoff is over after a pause of the relay": schedule(
        FaultAt("kill-all", 80.0, "all"), FaultAt("lying-ack", 90.0, "b", for_s=89.0),
        FaultAt("relay-kill", 116.489, "relay", args={"down_s": 15.0}),
        FaultAt("late-start", 130.0, "a", for_s=24.0), FaultAt("relay-pause", 133.538, "relay", for_s=13.0),
        FaultAt("kill", 3.0, "e"), FaultAt("kill", 3.0, "f"),
        seed=237207165315976, duration_s=180.0, timing={"grace_s": 30.0}, workload={"workflows": 4},
        members=tuple(
            Member(label, "typescript" if label == "d" else "python", app="app2" if label == "c" else "app")
            for label in "abcdef"
        ),
    ),
    "each crash may take a second of a grace along": schedule(
        FaultAt("relay-and-executor-kill", 7.449, "a", args={"down_s": 0.3}),
        FaultAt("relay-kill", 19.566, "relay"), FaultAt("relay-kill", 42.306, "relay"),
        FaultAt("relay-kill", 51.273, "relay", args={"down_s": 0.3}), FaultAt("relay-kill", 65.568, "relay"),
        executors=1, duration_s=120.0, timing={},
    ),
    "no reading of the clock is durable while the store fails": schedule(
        FaultAt("restart", 10.0, "b"), FaultAt("store-fail", 20.0, "relay", 26.0),
        FaultAt("relay-kill", 40.0, "relay"), FaultAt("restart", 40.0, "a"),
        duration_s=60.0, timing={"grace_s": 10.0},
    ),
    "a yes beside an error keeps a record": schedule(
        FaultAt("kill", 17.503, "b"), FaultAt("kill", 18.003, "d"), FaultAt("store-slow", 30.0, "relay", for_s=98.0),
        FaultAt("wrong-answer", 55.626, "a", for_s=96.0, args={"how": "error"}),
        FaultAt("late-start", 110.0, "e", for_s=29.0),
        seed=102984687204568, duration_s=120.0, timing={"grace_s": 30.0}, settings={"recoverToLatestVersion": True},
        workload={"workflows": 12},
        members=(
            Member("a", "typescript"), Member("b", "typescript"), Member("d", "typescript", version="v2"),
            Member("e", "python"),
        ),
    ),
    "a grace that gets another length after a restart began before it": schedule(
        FaultAt("disconnect", 80.0, "b", for_s=84.0), FaultAt("relay-kill", 130.0, "relay"),
        FaultAt("settings", 132.876, "a", args={"grace_s": 45, "latest": "as-is"}),
        seed=81336810828697, duration_s=180.0, timing={}, workload={"workflows": 0},
        members=(Member("a", "python"), Member("b", "python")),
    ),
}  # fmt: skip
"""What the monitor, or a world that can't be, blamed the reference for."""


@pytest.mark.parametrize("given", FALSE_ALARMS.values(), ids=FALSE_ALARMS.keys())
def test_nobody_is_blamed_for(given: Schedule) -> None:
    assert play(given, Core).violations == ()


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND.keys())
def test_the_reference_stands_what_once_broke_it(found: Found) -> None:
    assert play(found.schedule, Core).violations == ()


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND.keys())
def test_the_old_fault_would_be_seen_again(found: Found) -> None:
    assert play(found.schedule, found.fault).clause == found.clause


@pytest.mark.parametrize(("core", "broken"), [(Core, {}), (SendsWhatItHasGivenUp, {"REC-10": Verdict.FAILED})])
def test_what_the_store_held_beyond_its_deadline_stays(core: type[Core], broken: object, tmp_path: Path) -> None:
    """Only frames show it: the core decided in time."""
    _, _, result = play_whole(HELD, core, tmp_path / "history.jsonl")
    assert broken_clauses(result) == broken
