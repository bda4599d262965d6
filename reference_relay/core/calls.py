"""Calls of the management API: which executor to ask, and whose answer it is (ENV-2 to ENV-9)."""

from __future__ import annotations

import msgspec
from msgspec.structs import replace

from conductor.errors import EncodeError
from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.events import Call, CallAbandoned
from reference_relay.core.records import CallState, ExecutorKey, Pending, Purpose
from reference_relay.core.sweep import Sweeping


class Calling(Sweeping):
    """One executor after the other, within one budget of time for the whole call."""

    def _call(self, event: Call) -> None:
        assert event.call_id not in self.calls, f"call {event.call_id} is there already"
        due_ns = self._now_ns + self._call_budget_ns
        self._ask_next(
            CallState(event.call_id, event.application, event.type, event.fields, due_ns, event.version, event.failover)
        )

    def _ask_next(self, call: CallState) -> None:
        """Send the request to the next executor, or end the call."""
        peer = self._executor_for(call) if call.failover or not call.asked else None
        if peer is None:
            if call.asked:
                self._finish(call, CallDone(call.call_id, Outcome.FAILED, error=call.error, asked=len(call.asked)))
            else:
                self._finish(call, CallDone(call.call_id, Outcome.NO_EXECUTOR))
            return
        self._put("calls", call.call_id, replace(call, asked=(*call.asked, peer.executor_id)))
        try:
            self._request(
                self._executor_conn(peer),
                call.type,
                call.fields,
                Purpose.CALL,
                min(self._request_ns, call.due_ns - self._now_ns),
                call_id=call.call_id,
            )
        except (EncodeError, msgspec.ValidationError) as error:
            self._finish(call, CallDone(call.call_id, Outcome.FAILED, error=str(error)))

    def _executor_for(self, call: CallState) -> ExecutorKey | None:
        """A HEALTHY executor of the application that this call has not asked yet; spread by the call's number."""
        ready = self.ready.get(call.application, ())
        org, app = call.application
        size = len(ready)
        for at in range(call.call_id, call.call_id + size):
            executor_id = ready[at % size]
            if executor_id in call.asked:
                continue
            key = ExecutorKey(org, app, executor_id)
            if call.version is None or self.executors[key].info.application_version == call.version:
                return key
        return None

    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        call = self.calls.get(pending.call_id or 0)
        if call is None:
            return
        asked = len(call.asked)
        if error_message:  # an answer, and no success (ENV-3)
            self._finish(call, CallDone(call.call_id, Outcome.REFUSED, data, error_message, asked))
        else:
            self._finish(call, CallDone(call.call_id, Outcome.ANSWERED, data, asked=asked))

    def _call_failed(self, pending: Pending, error: str) -> None:
        """This executor gave no answer: the next one (ENV-8)."""
        call = self.calls.get(pending.call_id or 0)
        if call is not None:
            self._ask_next(replace(call, error=error))

    def _call_timed_out(self, call_id: int) -> None:
        """The budget of the whole call is spent: its last request had no longer than that."""
        call = self.calls.get(call_id)
        if call is not None:
            error = call.error or "no answer in time"
            self._finish(call, CallDone(call_id, Outcome.FAILED, error=error, asked=len(call.asked)))

    def _abandon(self, event: CallAbandoned) -> None:
        call = self.calls.get(event.call_id)
        if call is not None:
            self._forget_request_of(call)
            self._put("calls", call.call_id, None)

    def _forget_request_of(self, call: CallState) -> None:
        """No waiter may leak (ENV-8): the last executor asked may still have this call's request."""
        if not call.asked:
            return
        executor = self.executors.get(ExecutorKey(*call.application, call.asked[-1]))
        if executor is None or executor.conn is None:
            return
        for pending in self._requests_on(executor.conn):
            if pending.call_id == call.call_id:
                self._settle(pending)

    def _finish(self, call: CallState, done: CallDone) -> None:
        self._put("calls", call.call_id, None)
        self._emit(done)
