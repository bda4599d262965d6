"""One measured value, and the file of them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import msgspec


class Sample(msgspec.Struct, frozen=True):
    """``value`` is in the measure's unit and is less where it is better."""

    measure: str
    side: str
    round: int
    value: float
    rate: float  # operations a second by wall clock; 0 where there is none
    counts: dict[str, float]  # what was counted beside it, per operation


def write(samples: Iterable[Sample], path: Path) -> None:
    """One JSON object a line, so that a later reader can compute its own medians."""
    path.write_bytes(b"".join(msgspec.json.encode(sample) + b"\n" for sample in samples))


def read(path: Path) -> list[Sample]:
    return [msgspec.json.decode(line, type=Sample) for line in path.read_bytes().splitlines()]
