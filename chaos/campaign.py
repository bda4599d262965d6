"""What a chaos run is: who takes part, for how long, and which faults may strike. Plain values."""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from conductor.timing import Timing
from scenarios.profile import Profile
from scenarios.schedule import Schedule
from sdk_matrix.languages import Worker

__all__ = ["CLAUSES", "FAMILIES", "LEAST_WAIT_S", "REPLACES", "Campaign", "chaos_timing"]

LEAST_WAIT_S = 10.0
"""A dozen workers starve two cores for seconds: a shorter ping wait would judge the host."""

CLAUSES = (
    "OUT-1", "OUT-2", "OUT-3", "REC-1", "REC-2", "REC-3", "REC-6", "REC-10", "REC-16", "REC-26", "AUD-1",
)  # fmt: skip
"""What every chaos run must show something about; OUT-4 and OUT-5 where the schedule has what they need."""
_DEADLY = frozenset({"kill", "kill-at-step", "stop", "restart", "kill-all", "relay-and-executor-kill", "upgrade"})
_ENOUGH = 3  # blows that end a process, from which on one must have hit a workflow of each sort

FAMILIES = {
    "processes": ("kill", "kill-at-step", "restart", "stop", "pause", "starve", "upgrade", "kill-all"),
    "recovery": ("kill-after-ack", "lying-ack", "duplicate-recovery"),
    "links": (
        "disconnect",
        "drop-to-relay",
        "drop-from-relay",
        "freeze",
        "delay",
        "loss",
        "cut",
        "reset",
        "cut-after",
        "half-open",
        "late-close",
        "proxy-idle",
    ),
    "relay": ("relay-kill", "relay-pause", "relay-away", "relay-and-executor-kill"),
    "database": ("db-restart", "db-terminate", "db-cut", "db-slow", "db-cut-during-recovery"),
}
"""Names that ``--faults`` takes for several at once; together they are all faults of real SDKs."""
REPLACES = "replaces"
"""In a schedule's ``about``: whoever has ended is replaced, as an orchestrator would; else only the file does it."""


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """One run. ``schedule`` given: its executors, its faults and its duration; else drawn from the seed."""

    workers: tuple[Worker, ...]
    executors: int  # of each language
    duration_s: float
    seed: int
    faults: tuple[str, ...]
    store: str  # "sqlite", "postgresql"
    schedule: Schedule | None = None
    rate_per_s: float = 4.0  # workflows that are started, of each language
    runtime: str = "process"
    timing: Timing | None = None  # a builtin relay's, where a schedule file says it

    @property
    def languages(self) -> tuple[str, ...]:
        return tuple(worker.language for worker in self.workers)

    @property
    def replaces(self) -> bool:
        """Whether whoever has ended is replaced. A schedule from a file says so itself."""
        return self.schedule is None or self.schedule.about.get(REPLACES) is True

    def clauses(self, schedule: Schedule) -> tuple[str, ...]:
        """What a run of this schedule must show something about."""
        names = [at.fault for at in schedule.faults]
        kinds = ("OUT-4",) if sum(name in _DEADLY for name in names) >= _ENOUGH else ()
        return (*CLAUSES, *kinds, *(("OUT-5",) if "pause" in names else ()))


def chaos_timing(profile: Profile, timing: Timing, grace_s: float) -> Timing:
    """A builtin relay's timing for a chaos run; a foreign relay is held to its profile.

    A timing whose ping wait real SDKs can keep stays as it is: the documented one, or a schedule file's.
    """
    if profile.builtin is None or timing.ping_wait_s >= LEAST_WAIT_S:
        return timing
    return msgspec.structs.replace(
        timing,
        ping_interval_s=2.0, ping_wait_s=LEAST_WAIT_S, grace_s=grace_s, scan_s=0.5, slack_s=min(1.0, grace_s / 4),
        handshake_deadline_s=LEAST_WAIT_S, request_deadline_s=LEAST_WAIT_S, recovery_deadline_s=LEAST_WAIT_S,
        backoff_first_s=0.5, backoff_cap_s=4.0, redial_s=1.0,
    )  # fmt: skip
