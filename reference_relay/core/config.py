"""What the core needs to know before its first event."""

from __future__ import annotations

import msgspec

from conductor.timing import DOCUMENTED, Timing

NS = 1_000_000_000


def ns(seconds: float) -> int:
    """Seconds as whole nanoseconds."""
    return round(seconds * NS)


class CoreConfig(msgspec.Struct, frozen=True):
    """``request_prefix`` tells the request ids of one start of the relay from those of another."""

    timing: Timing = DOCUMENTED
    request_prefix: str = "r"
    call_budget_s: float | None = None  # a whole call with its fail-overs; default 2.5 request deadlines, at most 25 s

    @property
    def call_budget_ns(self) -> int:
        if self.call_budget_s is not None:
            return ns(self.call_budget_s)
        return ns(min(25.0, 2.5 * self.timing.request_deadline_s))
