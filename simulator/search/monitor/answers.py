"""Management calls: the request as it was made reaches an executor that may have it, and the answer of the executor
that was asked comes back as it was given, in time (ENV, MSG, API-7)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conductor.timing import Timing
from reference_relay.core.effects import CallDone, Outcome, Send
from reference_relay.core.records import Status
from simulator.clock import Clock, ns
from simulator.models.calls import CallRecord, form_of
from simulator.models.client import decoded
from simulator.search.monitor.audit import Audits
from simulator.search.monitor.base import Conn, seconds

_BUDGET_S = 25.0
"""A whole call with its fail-overs: what the relay's core allows itself."""

_OWN_GROUPS = {"group_by_executor_id", "group_by_application_version", "select_count", "status"}
"""The body of a relay's own question who owns PENDING work (REC-25); callers always name what they count."""


class Answers(Audits):
    """The relay is a pipe for calls."""

    def __init__(self, clock: Clock, timing: Timing, *, stop: bool) -> None:
        super().__init__(clock, timing, stop=stop)
        self.calls: list[CallRecord] = []

    def called(self, record: CallRecord) -> None:
        self.calls.append(record)

    def call_decided(self, conn: Conn, effect: Send, frame: Mapping[str, Any]) -> None:
        """A request leaves, perhaps a call's: then it must be the one of a caller, to the last field."""
        asking = [record for record in self.calls if record.type == effect.type and record.app == conn.app]
        if not asking or _is_own(effect.type, frame):
            return
        form = form_of(frame)
        record = next((each for each in asking if each.is_asked_by(form)), None)
        if record is None:
            self.broken(
                f"MSG-{effect.type}", f"the request of a caller, as it was made: {_short(asking[0].form)}",
                f"another one leaves: {_short(form)}",
            )  # fmt: skip
            return
        peer = self.shown.get(conn.key) if conn.key is not None else None
        if record.version is not None and peer is not None and peer.info.application_version != record.version:
            self.broken(
                "API-7", f"an executor of version {record.version} is asked",
                f"asked is one of {peer.info.application_version}",
            )  # fmt: skip

    def answered(self, record: CallRecord) -> None:
        done = record.done
        if record in self.calls:
            self.calls.remove(record)
        if done is None:
            return
        match done.outcome:
            case Outcome.ANSWERED | Outcome.REFUSED:
                self._answer(record, done)
            case Outcome.NO_EXECUTOR if self._ready(record) and self.now - record.at_ns < self.slack:
                self.broken("ENV-9", "503 only where nobody is HEALTHY", f"somebody is: {record.type}")
            case Outcome.FAILED if done.asked == 0 and record.reached_ns is None:
                if self._ready(record):
                    self.broken(f"MSG-{record.type}", "a lawful request reaches an executor", f"{done.error}")
                else:
                    self.broken("ENV-9", "503 where nobody is HEALTHY", "502, and nobody was asked")
            case Outcome.FAILED if record.arrived_ns is not None and record.arrived_ns - record.at_ns < ns(5.0):
                self.broken(f"MSG-{record.type}", "the answer of its executor", f"a failure: {done.error}")

    def _answer(self, record: CallRecord, done: CallDone) -> None:
        frame = decoded(done.data or b"")
        given = done.data in record.answers or _said(frame) in [_said(decoded(each)) for each in record.answers]
        if not given:
            clause = "ENV-2"  # another call's
            if record.reached_ns is None or (not record.answers and frame.get("marker") == record.number):
                clause = "ENV-5"  # of nobody who was asked, or of another type
            elif frame.get("marker") == record.number:
                clause = f"MSG-{record.type}"
            self.broken(clause, f"the answer that its executor gave: {_short(*record.answers[:1])}", _short(done.data))
            return
        error = frame.get("error_message")
        if (done.outcome is Outcome.REFUSED) != bool(error):
            self.broken("ENV-3", "an answer with error_message is a failure", f"reported as {done.outcome}")
        elif error and done.error != error:
            self.broken("ENV-3", f"the failure as its executor tells it: {error}", f"{done.error}")

    def _ready(self, record: CallRecord) -> bool:
        """Whether anybody is HEALTHY who may have the call."""
        return any(
            shown.status is Status.HEALTHY and key.application == record.app
            and record.version in (None, shown.info.application_version)
            for key, shown in self.shown.items()
        )  # fmt: skip

    def look_at_calls(self) -> None:
        longest_ns = ns(_BUDGET_S) + self.slack
        if self.now <= self.slow_until_ns:
            return
        for record in self.calls:
            if self.worked - record.at_ns > longest_ns + self._paused_ns:
                self.broken(
                    "ENV-8", "every caller gets an answer", f"{record.type} has waited for {seconds(longest_ns)}"
                )


def _is_own(type_: str, frame: Mapping[str, Any]) -> bool:
    body = frame.get("body")
    return type_ == "get_workflow_aggregates" and isinstance(body, dict) and set(body) <= _OWN_GROUPS


def _said(frame: Mapping[str, Any]) -> bytes:
    """What an answer says: no error and error null are the same (protocol page)."""
    return form_of({name: value for name, value in frame.items() if (name, value) != ("error_message", None)})


def _short(data: bytes | None = None) -> str:
    return "none" if data is None else data[:160].decode(errors="replace")
