"""The benchmark measures equal work, judges by medians, knows noise, and the simulator's clock is SimPy's."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
import simpy

from simulator.bench import rounds
from simulator.bench.heartbeats import Heartbeats
from simulator.bench.loops import BareLoop, bare_timers, clock_timers
from simulator.bench.rounds import AGAIN, Sample, Unequal, Verdict, outcome
from simulator.bench.rows import SHORT, Row, Work, beat, rows
from simulator.bench.schedules import QUIET, bare, heartbeats, judged, schedule
from simulator.clock import Clock, ns

ROW = Row("row", "a row", "things/s", ("slow", lambda _: Work(1)), ("quick", lambda _: Work(2)), 1.5)


def samples(*rates: tuple[str, int]) -> list[Sample]:
    return [Sample("row", side, number, rate, 1.0) for number, (side, rate) in enumerate(rates, 1)]


def test_the_engine_is_simpys() -> None:
    """What is measured as the simulator's engine may not become another one unnoticed."""
    assert issubclass(Clock, simpy.Environment)


def test_both_loops_fire_the_same_timers() -> None:
    assert bare_timers(100, 2_000) == clock_timers(100, 2_000) == 2_000


def test_the_same_heartbeats_on_both_loops() -> None:
    loop, clock = BareLoop(), Clock()
    worlds = Heartbeats(loop, 20), Heartbeats(clock, 20)
    loop.run(ns(65.0))
    clock.run(until=ns(65.0))
    assert worlds[0].digest() == worlds[1].digest()
    assert worlds[0].events > 20 * (6 + 6 + 3)
    assert len(worlds[0].core.executors) == 20


def test_fixed_seeds_have_fixed_results() -> None:
    assert beat(50, 30.0) == beat(50, 30.0)
    assert judged(3, 60.0) == judged(3, 60.0)
    assert judged(3, 60.0) != judged(4, 60.0)


def test_a_schedule_kills_and_its_world_is_the_same_unwatched() -> None:
    plan = schedule(1, 300.0)
    restarts = [fault for fault in plan.faults if fault.fault == "restart"]
    assert len(plan.executors) == 5 and restarts
    assert bare(1, 300.0) >= len(restarts) - 2


@pytest.mark.parametrize("rarer", [1.0, QUIET])
def test_skipped_heartbeats_leave_the_trace_as_it_is(rarer: float) -> None:
    assert heartbeats(2, 120.0, rarer, skipped=True) == heartbeats(2, 120.0, rarer, skipped=False)


def test_medians_decide() -> None:
    found = outcome(ROW, samples(("slow", 10), ("quick", 20), (AGAIN, 10), (AGAIN, 11), ("quick", 14), ("slow", 10)))
    assert [line.ratio for line in found.lines] == [1.0, 1.7, 1.05]
    assert found.verdict is Verdict.REACHED
    assert outcome(replace(ROW, goal=1.8), samples(("slow", 10), ("quick", 17), (AGAIN, 10))).verdict is Verdict.MISSED
    assert outcome(replace(ROW, goal=None), samples(("slow", 10), ("quick", 17), (AGAIN, 10))).verdict is Verdict.TOLD


@pytest.mark.parametrize("again", [8, 12])
def test_a_machine_that_is_not_quiet_is_not_judged(again: int) -> None:
    found = outcome(ROW, samples(("slow", 10), ("quick", 17), (AGAIN, again)))
    assert found.verdict is Verdict.TOO_NOISY
    assert any("too noisy to judge" in line for line in rounds.table(found))


def test_rounds_that_differ_are_an_error() -> None:
    taken = [Sample("row", "slow", number, 10, 1.0, f"digest {number}") for number in (1, 2)]
    with pytest.raises(Unequal, match="2 different results"):
        outcome(ROW, [*taken, *samples(("quick", 1), (AGAIN, 1))])


def test_sides_take_turns_and_samples_are_kept(tmp_path: Path) -> None:
    told: list[Sample] = []
    taken = rounds.run(ROW, 2, told.append)
    assert [each.side for each in taken] == ["slow", "quick", AGAIN, AGAIN, "quick", "slow"]
    assert told == taken
    rounds.write(taken, tmp_path / "samples.jsonl")
    lines = (tmp_path / "samples.jsonl").read_bytes().splitlines()
    assert [msgspec.json.decode(line, type=Sample) for line in lines] == taken


def test_the_rows_are_those_that_the_page_names() -> None:
    page = (Path(__file__).parents[3] / "docs" / "simulator-benchmark.md").read_text()
    for row in rows(SHORT):
        assert f"| {row.name} |" in page
