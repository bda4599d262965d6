"""Schedules by seed, and endless work."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import pytest

from chaos.campaign import CLAUSES, FAMILIES, Campaign, chaos_timing
from chaos.play import RULES
from chaos.swarm import draw, members
from chaos.work import SHARES, Work, unsafe
from conductor.timing import FAST
from scenarios.profile_loading import resolve
from scenarios.schedule import KINDS, FaultAt, read, write
from sdk_matrix.contract import expected_outcome
from sdk_matrix.languages import WORKERS

TIMING = chaos_timing(resolve("builtin:reference"), FAST, 5.0)
ALL = tuple(name for family in FAMILIES.values() for name in family)
CAMPAIGN = Campaign(
    workers=tuple(WORKERS.values())[:2], executors=3, duration_s=300.0, seed=7, faults=ALL, store="postgresql"
)


def test_the_same_seed_gives_the_same_schedule_and_another_one_another() -> None:
    assert draw(CAMPAIGN, TIMING) == draw(CAMPAIGN, TIMING)
    assert draw(CAMPAIGN, TIMING) != draw(replace(CAMPAIGN, seed=8), TIMING)


def test_a_drawn_schedule_is_a_schedule_file(tmp_path: Path) -> None:
    drawn = draw(CAMPAIGN, TIMING)
    write(drawn, tmp_path / "swarm.toml")
    assert read(tmp_path / "swarm.toml") == drawn


@pytest.mark.parametrize("seed", range(20))
def test_every_fleet_is_killed_often_enough(seed: int) -> None:
    drawn = draw(replace(CAMPAIGN, seed=seed), TIMING)
    for language in CAMPAIGN.languages:
        kills = [at for at in drawn.faults if at.fault in ("kill", "kill-at-step") and at.on.startswith(language)]
        assert len(kills) >= 8


@pytest.mark.parametrize("seed", range(20))
def test_nobody_is_struck_while_an_earlier_fault_still_holds(seed: int) -> None:
    drawn = draw(replace(CAMPAIGN, seed=seed), TIMING)
    for slot in (member.label for member in members(CAMPAIGN)):
        own = [at for at in drawn.faults if at.on == slot]
        for first, second in itertools.pairwise(own):
            assert second.at_s >= first.at_s + (first.for_s or 0.0)


def test_over_some_seeds_every_fault_takes_part() -> None:
    drawn = {at.fault for seed in range(12) for at in draw(replace(CAMPAIGN, seed=seed), TIMING).faults}
    assert drawn == set(ALL) <= set(KINDS)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_drawn_can_strike(seed: int) -> None:
    drawn = draw(replace(CAMPAIGN, seed=seed), TIMING)
    for at in drawn.faults:
        assert at.fault != "proxy-idle" or float(at.values["idle_s"]) < TIMING.ping_interval_s
    for language in CAMPAIGN.languages:
        own = [at.fault for at in drawn.faults if at.on.startswith(language)]
        assert own.count("duplicate-recovery") <= 1


def test_processes_come_back_before_the_grace_period_is_over_and_after_it() -> None:
    drawn = [at for seed in range(12) for at in draw(replace(CAMPAIGN, seed=seed), TIMING).faults]
    for name in ("restart", "upgrade", "kill-all"):
        downs = [float(at.values["down_s"]) for at in drawn if at.fault == name]
        assert min(downs) < TIMING.grace_s < max(downs), name


def test_a_run_with_a_pause_must_say_something_about_zombies() -> None:
    drawn = draw(replace(CAMPAIGN, faults=("kill",)), TIMING)
    assert CAMPAIGN.clauses(drawn) == (*CLAUSES, "OUT-4")
    paused = type(drawn)(
        name="p", seed=1, duration_s=9, executors=drawn.executors, faults=(FaultAt("pause", 1.0, "python-1"),)
    )
    assert CAMPAIGN.clauses(paused) == (*CLAUSES, "OUT-5")


def test_every_rule_that_a_campaign_has_is_asked_for() -> None:
    paused = replace(CAMPAIGN, faults=("kill", "pause"))
    assert set(RULES) <= set(paused.clauses(draw(paused, TIMING)))


def test_a_foreign_relay_is_held_to_its_own_timing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RELAYPROOF_KEY", "x")
    profile = resolve("url:http://127.0.0.1:1")
    assert chaos_timing(profile, FAST, 5.0) == FAST
    assert TIMING.ping_wait_s >= 10


def test_work_is_the_same_for_the_same_seed_and_of_every_kind() -> None:
    first, second = Work(3, "python-1"), Work(3, "python-1")
    orders = [first.next() for _ in range(300)]
    assert orders == [second.next() for _ in range(300)]
    assert {job.kind for order in orders for job in order.jobs} == {*SHARES, "publishing"}
    ids = [job.start.workflow for order in orders for job in order.jobs]
    assert len(set(ids)) == len(ids) and any(not name.isascii() for name in ids)


def test_what_an_sdk_lacks_is_not_asked_of_it() -> None:
    work = Work(3, "x", {"instruction recv": "no", "instruction get_event": "no"})
    kinds = {job.kind for _ in range(300) for job in work.next().jobs}
    assert not kinds & {"receiving", "waiting"} and "plain" in kinds


def test_a_failing_workflow_promises_its_error() -> None:
    (job,) = Work(3, "x").make("failing").jobs
    outcome = expected_outcome(job.start.instructions)
    assert outcome.status == "ERROR" and job.start.workflow in str(outcome.error)


def test_java_receives_nothing_where_two_living_executors_may_have_one_workflow() -> None:
    left_out = unsafe("java", ["kill", "pause"])
    source = Work(7, "java-1", left_out)
    assert "receiving" not in {source.next().jobs[-1].kind for _ in range(200)} and all(left_out.values())
    assert not unsafe("java", ["kill", "db-restart", "upgrade"]) and not unsafe("go", ["pause"])
