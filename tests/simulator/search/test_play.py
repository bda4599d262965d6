"""Playing one schedule: fast and whole agree, and the judge has nothing to say about the reference relay."""

from __future__ import annotations

from pathlib import Path

import pytest

import broken_relays
from evidence.history import load
from reference_relay.core.core import Core
from scenarios.schedule import FaultAt
from simulator.search.play import broken_clauses, play, play_whole
from simulator.search.swarm import draw, schedule_seed
from tests.simulator.fleets import schedule

GUARDED = {
    # digests of fixed schedules: what makes the simulator faster must leave them alone
    0: "4f6b4805e4fd2287", 1: "255cd35333ec3c00", 2: "e60049364fd80393",
}  # fmt: skip


@pytest.mark.parametrize("number", range(8))
def test_the_judge_agrees_with_the_monitor_on_the_reference(number: int, tmp_path: Path) -> None:
    given = draw(schedule_seed(11, number))
    recorder, played, result = play_whole(given, Core, tmp_path / "history.jsonl")
    assert played.violations == () and broken_clauses(result) == {}
    assert played.digest == play(given, Core).digest, "a history changes nothing"
    assert load(tmp_path / "history.jsonl").digest() == recorder.history().digest()


def test_the_same_schedule_twice() -> None:
    given = draw(schedule_seed(11, 3))
    first, second = play_whole(given, Core)[0], play_whole(given, Core)[0]
    assert first.history().digest() == second.history().digest()


@pytest.mark.parametrize(
    ("defect", "clauses"),
    [
        ("half-a-grace", {"LIV-7"}), ("never-recovers", {"REC-1", "OUT-1"}), ("two-at-once", {"REC-10"}),
        ("never-pings", {"LIV-1"}), ("misses-deletions", {"AUD-2"}),
    ],
)  # fmt: skip
def test_the_judge_fails_what_the_monitor_saw(defect: str, clauses: set[str]) -> None:
    work = {"workflows": 6, "start_s": 5.0, "steps": 2, "step_s": 10.0}
    given = schedule(FaultAt("kill", 8.0, "a"), executors=4, workload=work, duration_s=90.0)
    _, played, result = play_whole(given, broken_relays.find(defect).core)
    assert clauses & {found.clause for found in played.violations}
    assert clauses & broken_clauses(result).keys()


@pytest.mark.parametrize("number", sorted(GUARDED))
def test_digests_of_fixed_schedules(number: int) -> None:
    assert play(draw(schedule_seed(2026, number)), Core).digest[:16] == GUARDED[number]
