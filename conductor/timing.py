"""The timing profile: how long a relay waits for what, and the names that window expressions use.

All figures are seconds on the observer's monotonic clock. The defaults are the documented ones where a document gives
them (see conductor.numbers for each source), else decided here.
"""

from __future__ import annotations

import math

from msgspec import Struct

from conductor.errors import InvalidTiming

__all__ = ["DOCUMENTED", "FAST", "Timing"]


class Timing(Struct, frozen=True, kw_only=True):
    """What a relay is expected to keep. Raises InvalidTiming when the numbers contradict each other.

    Bounds: every number is finite and above zero (slack and the first backoff may be zero), slack is at most a quarter
    of the shorter of ping wait and grace, scan at most the ping interval, the first backoff at most its cap, the factor
    at least one.
    """

    ping_interval_s: float = 10.0
    """i: from one ping to the next on a connection (protocol page; the recovery page says 20)."""
    ping_wait_s: float = 25.0
    """w: silence after which an executor is DISCONNECTED (recovery page)."""
    grace_s: float = 60.0
    """g: DISCONNECTED until DEAD; the application's executorTimeoutSecs (recovery page)."""
    scan_s: float = 1.0
    """How often the relay looks at its deadlines (decided here)."""
    slack_s: float = 0.5
    """What any transition may come late by, for transport and scheduling (decided here)."""
    handshake_deadline_s: float = 25.0
    """Upgrade until executor_info is answered (decided here: as the ping wait)."""
    request_deadline_s: float = 10.0
    """Any request but recovery (decided here; Go may never answer)."""
    recovery_deadline_s: float = 60.0
    """A recovery request (decided here: a Python peer was measured to need 30 s for 5,000 rows)."""
    backoff_first_s: float = 1.0
    """Before the second round of failover (decided here)."""
    backoff_cap_s: float = 30.0
    """What the growing backoff never exceeds (decided here)."""
    backoff_factor: float = 2.0
    """By which the backoff grows, a pure number (decided here)."""
    redial_s: float = 1.0
    """How long an SDK waits before it dials again (measured; Go does not wait)."""
    remember_s: float = 86400.0
    """How long the relay remembers a recovered id (decided here: a falsely dead executor may own rows again)."""

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            value = getattr(self, name)
            may_be_zero = name in ("slack_s", "backoff_first_s")
            if not math.isfinite(value) or value < 0 or (value == 0 and not may_be_zero):
                bound = "0 or more" if may_be_zero else "above 0"
                raise InvalidTiming(f"{name} is {value}: give a finite number {bound}")
        longest_slack_s = min(self.ping_wait_s, self.grace_s) / 4
        if self.slack_s > longest_slack_s:
            raise InvalidTiming(
                f"slack_s is {self.slack_s}: give at most {longest_slack_s}, a quarter of the shorter of ping_wait_s "
                f"({self.ping_wait_s}) and grace_s ({self.grace_s})"
            )
        if self.scan_s > self.ping_interval_s:
            raise InvalidTiming(f"scan_s is {self.scan_s}: give at most ping_interval_s ({self.ping_interval_s})")
        if self.backoff_first_s > self.backoff_cap_s:
            raise InvalidTiming(
                f"backoff_first_s is {self.backoff_first_s}: give at most backoff_cap_s ({self.backoff_cap_s})"
            )
        if self.backoff_factor < 1:
            raise InvalidTiming(f"backoff_factor is {self.backoff_factor}: give 1 or more")

    def names(self) -> dict[str, float]:
        """The short names of window expressions, in seconds: i, w, g, scan, slack and the deadlines."""
        return {
            "i": self.ping_interval_s,
            "w": self.ping_wait_s,
            "g": self.grace_s,
            "scan": self.scan_s,
            "slack": self.slack_s,
            "handshake": self.handshake_deadline_s,
            "request": self.request_deadline_s,
            "recovery": self.recovery_deadline_s,
            "backoff": self.backoff_first_s,
            "backoff_cap": self.backoff_cap_s,
            "redial": self.redial_s,
        }


DOCUMENTED = Timing()
"""The documented defaults."""

FAST = Timing(
    ping_interval_s=0.5,
    ping_wait_s=1.25,
    grace_s=2.0,
    scan_s=0.5,
    slack_s=0.3125,
    handshake_deadline_s=1.25,
    request_deadline_s=1.5,
    recovery_deadline_s=2.5,
    backoff_first_s=0.25,
    backoff_cap_s=1.0,
    redial_s=0.1,
)
"""The same shape in a twentieth of the time: ping wait 2.5 intervals, slack at its largest."""
