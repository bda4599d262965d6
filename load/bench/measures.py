"""What is measured: a name, a unit, a goal as a ratio to the reference, and how one sample is taken."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from load.bench.samples import Sample
from load.bench.stage import Pins, Side

Take = Callable[[Side, Pins, int], Awaitable[Sample]]
"""Side, processors, number of the round."""


@dataclass(frozen=True, slots=True)
class Measure:
    name: str
    title: str  # with its size: "dispatch, 200 executors"
    unit: str
    goal: float  # the relay's value is at most so many times the reference's
    take: Take
