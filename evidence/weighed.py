"""What weighing the cases of a real run comes to: processes, counts and defects, as plain values."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

__all__ = ["LAUNCHED", "STRIKES", "TERMINAL", "Defect", "Process", "Weighed"]

TERMINAL = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
STRIKES = frozenset({"kill", "stop"})
"""Kinds of faults that end a process."""
LAUNCHED = "launched"
"""Text of the note about each process that was launched."""


@dataclass(frozen=True, slots=True)
class Process:
    """One executor: one life of one label."""

    label: str
    executor: str
    language: str
    sdk: str  # version
    app: str
    version: str


@dataclass(frozen=True, slots=True)
class Defect:
    """Something that must not be. ``kind`` names it; ``sdk`` the known fault of an SDK that explains it, or ""."""

    kind: str
    workflow: str
    app: str
    text: str
    sdk: str = ""


@dataclass(slots=True)
class Weighed:
    """What one history's cases come to."""

    processes: dict[str, Process] = field(default_factory=dict)  # by executor id
    labels: dict[str, Process] = field(default_factory=dict)
    struck: dict[str, int] = field(default_factory=dict)  # executor id: event that ended its process
    stopped: set[str] = field(default_factory=set)  # of those, in good order
    paused: dict[str, int] = field(default_factory=dict)
    started: Counter[str] = field(default_factory=Counter)  # by application
    ended: Counter[str] = field(default_factory=Counter)
    statuses: Counter[str] = field(default_factory=Counter)
    kinds: dict[str, Counter[str]] = field(default_factory=dict)  # kind: "started", "moved", "ended after"
    moved: Counter[str] = field(default_factory=Counter)  # struck executor: its workflows that others took over
    orphans: Counter[str] = field(default_factory=Counter)  # struck executor: its workflows that had not ended
    ends_us: dict[str, float] = field(default_factory=dict)  # struck executor: its end on the wall clock, where known
    zombies: Counter[str] = field(default_factory=Counter)  # paused executor: workflows that others took over
    taken_alive: Counter[str] = field(default_factory=Counter)  # the same of whoever was not dead: paused, or cut off
    outages: list[tuple[float, float]] = field(default_factory=list)  # of the database, and what SDKs need after it
    in_outage: Counter[str] = field(default_factory=Counter)  # by application: workflows that were under way in one
    steps: int = 0
    repeated: int = 0  # executed more than once, lawfully
    older: int = 0  # executions of an older claimant that was past its look-up
    defects: list[Defect] = field(default_factory=list)
    events: list[int] = field(default_factory=list)  # of the evidence

    def alive(self, executor: str, at_us: int) -> bool:
        """Whether nobody had ended it by then. Where its end has no time on the wall clock it never was."""
        return executor not in self.struck or at_us < self.ends_us.get(executor, 0.0)

    def of(self, *kinds: str) -> list[Defect]:
        return [defect for defect in self.defects if defect.kind in kinds]

    @property
    def cases(self) -> int:
        return sum(self.started.values())

    @property
    def kills_on_work(self) -> int:
        """Ended processes that had unfinished workflows in hand."""
        return len(self.orphans)

    @property
    def recoveries(self) -> int:
        """Ended processes of which a living one took over work."""
        return len(self.moved)
