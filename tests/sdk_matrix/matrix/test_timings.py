"""When two runs agree, with drawn delays: steady ones on a busy host, and ones that the SDK jitters."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from sdk_matrix.matrix import file
from sdk_matrix.matrix.timings import (
    JITTERED,
    PILOT,
    STEADY,
    Timing,
    alike,
    contains,
    false_difference,
    is_jittered,
    slack_s,
    timing,
)

COMMITTED = Path(__file__).parents[3] / "docs" / "sdk-matrix.json"
PAIRS_OF_RUNS = 400
Draw = Callable[[random.Random], float]


def on_a_host(delay_s: float) -> Draw:
    """What a shared host of two cores adds: some milliseconds, and a held-up process now and then."""

    def draw(chance: random.Random) -> float:
        held_up_s = chance.uniform(0.0, 1.0) if chance.random() < 0.01 else 0.0
        return delay_s + chance.expovariate(1 / 0.015) + held_up_s

    return draw


def jittered(delay_s: float, constant_s: float = 0.0) -> Draw:
    """Go: times 0.5 to 1.5."""
    host = on_a_host(constant_s)
    return lambda chance: delay_s * chance.uniform(0.5, 1.5) + host(chance)


def run(draw: Draw, samples: int, chance: random.Random) -> Timing:
    return timing([draw(chance) for _ in range(samples)])


def cells() -> list[tuple[Draw, int]]:
    """Each timing of the committed matrix, with as many repetitions as it has there."""
    found = file.read(COMMITTED)
    drawn: list[tuple[Draw, int]] = []
    for row in found.rows:
        for column in found.columns:
            taken = found.cells[row.id][column.sdk].timing
            if taken is None:
                continue
            if column.language == "go" and row.id == "misbehaviour/accepted_and_silent":
                draw = jittered(1.0, 10.0)
            else:
                draw = jittered(taken.median_s) if taken.samples >= JITTERED else on_a_host(taken.median_s)
            drawn.append((draw, taken.samples))
    return drawn


def test_fewer_than_one_of_a_hundred_pairs_of_runs_differ_in_any_cell() -> None:
    every, chance = cells(), random.Random(11)
    assert len(every) > 190
    differing = sum(
        any(not alike(run(draw, samples, chance), run(draw, samples, chance)) for draw, samples in every)
        for _ in range(PAIRS_OF_RUNS)
    )
    assert differing < PAIRS_OF_RUNS / 100


def test_no_distribution_makes_jittered_cells_differ_more_often() -> None:
    """The bound needs no model: three delays that are far apart, and heavy tails, stay below it as well."""
    chance, times = random.Random(7), 4000
    jittered_cells = sum(1 for _, samples in cells() if samples >= JITTERED)
    assert jittered_cells * false_difference(JITTERED) < 0.01
    apart: Callable[[], float] = lambda: chance.choice((1.0, 5.0, 25.0))  # noqa: E731
    tailed: Callable[[], float] = lambda: chance.paretovariate(0.7)  # noqa: E731
    for draw in (apart, tailed):
        differing = sum(
            not alike(timing([draw() for _ in range(JITTERED)]), timing([draw() for _ in range(JITTERED)]))
            for _ in range(times)
        )
        assert differing <= 1


@pytest.mark.parametrize("delay_s", [1.0, 2.0, 4.0, 8.0, 16.0, 30.0])
def test_a_doubled_jittered_delay_is_caught(delay_s: float) -> None:
    chance, times = random.Random(5), 1000
    one, other = jittered(delay_s), jittered(2 * delay_s)
    missed = sum(alike(run(one, JITTERED, chance), run(other, JITTERED, chance)) for _ in range(times))
    assert missed < times / 100


@pytest.mark.parametrize("delay_s", [0.5, 1.0, 15.0, 20.0, 46.0])
def test_a_doubled_steady_delay_is_caught(delay_s: float) -> None:
    chance, times = random.Random(3), 1000
    one, other = on_a_host(delay_s), on_a_host(2 * delay_s)
    missed = sum(alike(run(one, STEADY, chance), run(other, STEADY, chance)) for _ in range(times))
    assert missed < times / 100


def test_a_run_on_a_slower_host_differs_in_no_steady_delay() -> None:
    """Four of five held up: the least tells what the SDK does."""
    quiet, held_up = timing([1.0, 1.0, 1.01, 1.01, 1.02]), timing([1.0, 1.2, 1.31, 1.6, 2.06])
    assert alike(quiet, held_up) and alike(held_up, quiet)
    assert not alike(quiet, timing([1.4, 1.4, 1.5, 1.6, 2.06])), "all five: that may be the SDK"


def test_jitter_is_told_from_a_busy_host() -> None:
    chance, times = random.Random(2), 2000
    assert all(is_jittered([jittered(1.0)(chance) for _ in range(PILOT)]) for _ in range(times))
    taken_for_jitter = sum(is_jittered([on_a_host(1.0)(chance) for _ in range(PILOT)]) for _ in range(times))
    assert taken_for_jitter < times / 50


def test_agreement_is_symmetric_and_has_a_slack() -> None:
    narrow, wide = Timing(1.0, 0.99, 1.01, 5), Timing(1.2, 0.5, 3.0, 32)
    far = Timing(2.0, 1.99, 2.01, 5)
    assert alike(narrow, wide) and alike(wide, narrow)
    assert not alike(narrow, far) and not alike(far, narrow)
    assert not alike(wide, far) and not alike(far, wide)  # 2.0 is within 0.5 to 3.0, but 1.2 is far from 1.99
    assert slack_s(20.0, 10.0) == pytest.approx(1.2)
    assert contains(wide, 2.9) and contains(narrow, 1.2) and not contains(narrow, 1.5)


@pytest.mark.parametrize(("samples", "bound"), [(2, 4 * 2 / 4), (4, 4 * (4 * 3) / (8 * 7)), (JITTERED, 5.742e-5)])
def test_the_bound_counts_orders(samples: int, bound: float) -> None:
    assert false_difference(samples) == pytest.approx(bound, rel=1e-3)
