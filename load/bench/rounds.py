"""Interleaved rounds and what they say: medians, the A/A line, and whether the machine was quiet enough to judge."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from load.bench.measures import Measure
from load.bench.samples import Sample
from load.bench.stage import AGAIN, REFERENCE, RELAY, Pins, Side

SIDES = (REFERENCE, RELAY, AGAIN)
NOISE = 0.15
"""The reference, measured twice in one run, may differ from itself by so much; beyond it nothing is judged."""


class Verdict(enum.StrEnum):
    REACHED = "ok"
    MISSED = "missed"
    TOO_NOISY = "too noisy to judge"


@dataclass(frozen=True, slots=True)
class Line:
    """What the rounds of one side come to."""

    side: str
    median: float
    lowest: float
    highest: float
    rate: float  # median; 0 where there is none
    ratio: float  # of the medians, to the reference's
    counts: dict[str, float]  # medians


@dataclass(frozen=True, slots=True)
class Outcome:
    measure: Measure
    rounds: int
    lines: tuple[Line, ...]
    verdict: Verdict


def order(rounds: int) -> Iterator[tuple[int, Side]]:
    """A B C, then C B A, and so on: a drift of the machine hits all sides alike."""
    for round_ in range(1, rounds + 1):
        for side in SIDES if round_ % 2 else reversed(SIDES):
            yield round_, side


async def run(measure: Measure, rounds: int, pinned: Pins, tell: Callable[[Sample], None]) -> list[Sample]:
    """All samples of one measure; ``tell`` hears of each at once."""
    samples = []
    for round_, side in order(rounds):
        samples.append(await measure.take(side, pinned, round_))
        tell(samples[-1])
    return samples


def outcome(measure: Measure, samples: Sequence[Sample]) -> Outcome:
    """Judge one measure by its samples; those of other measures are left out."""
    own = [sample for sample in samples if sample.measure == measure.name]
    reference = median(sample.value for sample in own if sample.side == REFERENCE.name)
    lines = tuple(_line(side.name, [s for s in own if s.side == side.name], reference) for side in SIDES)
    ratios = {line.side: line.ratio for line in lines}
    if abs(ratios[AGAIN.name] - 1) > NOISE:
        verdict = Verdict.TOO_NOISY
    else:
        verdict = Verdict.REACHED if ratios[RELAY.name] <= measure.goal else Verdict.MISSED
    return Outcome(measure, max(sample.round for sample in own), lines, verdict)


def _line(side: str, samples: Sequence[Sample], reference: float) -> Line:
    values = [sample.value for sample in samples]
    middle = median(values)
    return Line(
        side=side,
        median=middle,
        lowest=min(values),
        highest=max(values),
        rate=median(sample.rate for sample in samples),
        ratio=middle / reference,
        counts={name: median(sample.counts[name] for sample in samples) for name in samples[0].counts},
    )
