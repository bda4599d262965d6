"""Workflows of a fleet: they end once, whatever dies, and the judge reads their evidence unchanged."""

from __future__ import annotations

import pytest

from evidence.verdict import Verdict
from reference_relay.core.core import Core
from scenarios.schedule import FaultAt
from simulator.models.sdk import SDKS
from simulator.search.play import broken_clauses, play, play_whole
from tests.simulator.fleets import schedule

WORK = {"workflows": 8, "start_s": 5.0, "steps": 3, "step_s": 2.0, "queued": 0.3, "children": 0.3, "sleeping": 0.3}


@pytest.mark.parametrize("language", list(SDKS))
def test_the_judge_sees_every_workflow_end_once(language: str) -> None:
    given = schedule(FaultAt("kill", 6.0, "a"), executors=3, language=language, workload=WORK, duration_s=30.0)
    _, played, result = play_whole(given, Core)
    assert played.moved > 0
    assert set(result.clauses.values()) == {Verdict.OK}, "of what is not declared, what fails or is vacuous is shown"


@pytest.mark.parametrize("phase", ["begin", "end"])
def test_death_at_a_step(phase: str) -> None:
    given = schedule(
        FaultAt("kill-at-step", 1.0, "a", args={"step": 2, "phase": phase}), executors=2, workload=WORK, duration_s=30.0
    )
    played = play(given, Core)
    assert played.violations == () and played.kills == 1 and played.moved > 0


def test_a_zombie_that_writes_after_its_work_was_adopted_changes_no_outcome() -> None:
    """Cut off from the relay alone: it works on while another one has its rows."""
    given = schedule(
        FaultAt("disconnect", 3.0, "a", 120.0), executors=2, duration_s=130.0,
        workload={**WORK, "step_s": 30.0, "queued": 0.0},
    )  # fmt: skip
    _, played, result = play_whole(given, Core)
    assert played.moved > 0
    assert broken_clauses(result) == {}
