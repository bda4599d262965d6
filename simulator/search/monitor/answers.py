"""Management calls: the answer of the executor that was asked, as it gave it, in time (ENV, MSG)."""

from __future__ import annotations

from conductor.timing import Timing
from reference_relay.core.effects import Outcome
from reference_relay.core.records import Status
from simulator.clock import Clock, ns
from simulator.models.calls import CallRecord
from simulator.search.monitor.audit import Audits
from simulator.search.monitor.base import seconds

_BUDGET_S = 25.0
"""A whole call with its fail-overs: what the relay's core allows itself."""


class Answers(Audits):
    """The relay is a pipe for calls."""

    def __init__(self, clock: Clock, timing: Timing, *, stop: bool) -> None:
        super().__init__(clock, timing, stop=stop)
        self.calls: list[CallRecord] = []

    def called(self, record: CallRecord) -> None:
        self.calls.append(record)

    def answered(self, record: CallRecord) -> None:
        done = record.done
        if record in self.calls:
            self.calls.remove(record)
        if done is None:
            return
        healthy = any(r.status is Status.HEALTHY for key, r in self.shown.items() if key.application == record.app)
        error = b'"error_message"' in (done.data or b"")
        match done.outcome:
            case Outcome.ANSWERED | Outcome.REFUSED:
                if done.data not in record.answers:
                    clause = "ENV-5" if record.reached_ns is None else "ENV-2"
                    if record.reached_ns is None and record.answers == []:
                        clause = f"MSG-{record.type}"
                    self.broken(clause, "the answer that its executor gave", str(done.data)[:160])
                elif (done.outcome is Outcome.REFUSED) != error:
                    self.broken("ENV-3", "an answer with error_message is a failure", f"reported as {done.outcome}")
            case Outcome.NO_EXECUTOR if healthy and self.now - record.at_ns < self.slack:
                self.broken("ENV-9", "503 only where nobody is HEALTHY", "somebody is")
            case Outcome.FAILED if done.asked == 0 and record.reached_ns is None:
                self.broken("ENV-9", "503 where nobody is HEALTHY", "502, and nobody was asked")
            case Outcome.FAILED if record.arrived_ns is not None and record.arrived_ns - record.at_ns < ns(5.0):
                self.broken(f"MSG-{record.type}", "the answer of its executor", f"a failure: {done.error}")

    def look_at_calls(self) -> None:
        longest_ns = ns(_BUDGET_S) + self.slack
        if self.now <= self.slow_until_ns:
            return
        for record in self.calls:
            if self.worked - record.at_ns > longest_ns + self._paused_ns:
                self.broken(
                    "ENV-8", "every caller gets an answer", f"{record.type} has waited for {seconds(longest_ns)}"
                )
