"""When which worker is struck: drawn from a seed, and due when something is observed, never at a time."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Strike", "draw"]

LEAST_STEPS, MOST_STEPS = 14, 24
"""Of about 30 that a worker has in hand: some are checkpointed by then, most are not."""


@dataclass(frozen=True, slots=True)
class Strike:
    """``fault`` hits ``victim`` once it has begun ``steps`` steps, among them one of each workflow in its hands."""

    fault: str
    victim: str
    steps: int


def draw(fault: str, labels: Sequence[str], seed: int) -> Strike:
    """The same seed gives the same strike."""
    source = random.Random(f"strike {fault} {seed}")
    return Strike(fault, source.choice(labels), source.randint(LEAST_STEPS, MOST_STEPS))
