"""The probes by lane. A lane is a list of probes that run one after another on one bench; lanes run side by side."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from sdk_matrix.matrix.model import Cell, Frame
from sdk_matrix.matrix.timings import Timing, timing
from sdk_matrix.probes.bench import Bench

__all__ = ["PROBES", "Findings", "Probe", "probe"]


@dataclass
class Findings:
    """What the probes of one SDK version found, by row."""

    cells: dict[str, Cell] = field(default_factory=dict)

    def put(
        self, row: str, value: str, *, notes: Sequence[str] = (), detail: str = "", frames: Sequence[Frame] = (),
        samples_s: Sequence[float] = (),
    ) -> None:  # fmt: skip
        """``samples_s``: repetitions of what the row measures, in seconds."""
        taken: Timing | None = timing(samples_s) if samples_s else None
        self.cells[row] = Cell(value, tuple(notes), detail, taken, tuple(frames))

    def skip(self, row: str, reason: str) -> None:
        """Not measured, and why."""
        self.cells[row] = Cell(reason, measured=False)


@dataclass(frozen=True, slots=True)
class Probe:
    name: str
    rows: tuple[str, ...]
    lane: str
    run: Callable[[Bench, Findings], Awaitable[None]]


PROBES: list[Probe] = []


def probe(
    lane: str, *rows: str
) -> Callable[[Callable[[Bench, Findings], Awaitable[None]]], Callable[[Bench, Findings], Awaitable[None]]]:
    """Register a function that fills these rows. What it leaves out when it fails counts as not measured."""

    def register(
        run: Callable[[Bench, Findings], Awaitable[None]],
    ) -> Callable[[Bench, Findings], Awaitable[None]]:
        taken = {row for each in PROBES for row in each.rows}
        assert not taken & set(rows), f"two probes fill {taken & set(rows)}"
        PROBES.append(Probe(run.__name__, rows, lane, run))
        return run

    return register
