"""Interleaved rounds, medians, the A/A line, and whether the machine was quiet enough to judge."""

from __future__ import annotations

import enum
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import msgspec

from simulator.bench.rows import Row
from simulator.errors import SimulatorError

NOISE = 0.15
"""The reference, measured twice in one run, may differ from itself by so much; beyond it nothing is judged."""

AGAIN = "reference again (A/A)"


class Unequal(SimulatorError):
    """Two rounds of one side came to different results: what is measured is not deterministic."""


class Verdict(enum.StrEnum):
    REACHED = "ok"
    MISSED = "missed"
    TOO_NOISY = "too noisy to judge"
    TOLD = ""


class Sample(msgspec.Struct, frozen=True):
    """One side of one row in one round. ``seconds`` are of CPU time, or of the wall where the row says so."""

    row: str
    side: str
    round: int
    operations: int
    seconds: float
    digest: str = ""

    @property
    def rate(self) -> float:
        return self.operations / max(self.seconds, 1e-9)


@dataclass(frozen=True, slots=True)
class Line:
    side: str
    rate: float  # median
    lowest: float
    highest: float
    ratio: float  # of the medians, to the reference's
    digest: str


@dataclass(frozen=True, slots=True)
class Outcome:
    row: Row
    rounds: int
    lines: tuple[Line, ...]  # reference, subject, reference again
    verdict: Verdict


def run(row: Row, rounds: int, tell: Callable[[Sample], None]) -> list[Sample]:
    """A B C, then C B A, and so on: a drift of the machine hits all sides alike."""
    sides = [row.reference, row.subject, (AGAIN, row.reference[1])]
    clock = time.perf_counter if row.wall else time.process_time
    samples = []
    for round_ in range(1, rounds + 1):
        for side, work in sides if round_ % 2 else reversed(sides):
            started = clock()
            done = work(round_)
            sample = Sample(row.name, side, round_, done.operations, clock() - started, done.digest)
            samples.append(sample)
            tell(sample)
    return samples


def outcome(row: Row, samples: Sequence[Sample]) -> Outcome:
    """Raises `Unequal` where a side's digest differs between rounds."""
    names = (row.reference[0], row.subject[0], AGAIN)
    reference = median(sample.rate for sample in samples if sample.side == names[0])
    lines = tuple(_line([each for each in samples if each.side == name], reference) for name in names)
    if abs(lines[2].ratio - 1) > NOISE:
        verdict = Verdict.TOO_NOISY
    elif row.goal is None:
        verdict = Verdict.TOLD
    else:
        verdict = Verdict.REACHED if lines[1].ratio >= row.goal else Verdict.MISSED
    return Outcome(row, max(sample.round for sample in samples), lines, verdict)


def _line(samples: Sequence[Sample], reference: float) -> Line:
    rates = [sample.rate for sample in samples]
    digests = {sample.digest for sample in samples}
    if len(digests) > 1:
        raise Unequal(f"{samples[0].row}, {samples[0].side}: the rounds came to {len(digests)} different results")
    middle = median(rates)
    return Line(samples[0].side, middle, min(rates), max(rates), middle / reference, digests.pop())


def write(samples: Sequence[Sample], path: Path) -> None:
    """One JSON object a line, so that a later reader can compute its own medians."""
    path.write_bytes(b"".join(msgspec.json.encode(sample) + b"\n" for sample in samples))


def table(outcome: Outcome) -> list[str]:
    """One row, in the lines of a terminal."""
    row = outcome.row
    by = "wall" if row.wall else "CPU"
    title = f"{row.title}, {outcome.rounds} rounds"
    unit = f"{row.unit} of {by} (min-max)"
    lines = [f"{title:<52} {unit:<40} {'x reference':>11}  goal"]
    for place, line in enumerate(outcome.lines):
        figures = f"{line.rate:,.1f} ({line.lowest:,.1f}-{line.highest:,.1f})"
        goal = ("-", f">= {row.goal:.2f}" if row.goal else "-", f"{1 - NOISE:.2f}-{1 + NOISE:.2f}")[place]
        verdict = str(outcome.verdict) if place == (2 if outcome.verdict is Verdict.TOO_NOISY else 1) else ""
        lines.append(f"{line.side:<52} {figures:<40} {line.ratio:>11.2f}  {goal:<9} {verdict}".rstrip())
    shown = ", ".join(f"{line.side} {line.digest}" for line in outcome.lines[:2] if line.digest)
    return [*lines, *([f"  digests: {shown}"] if shown else [])]
