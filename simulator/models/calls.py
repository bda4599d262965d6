"""Management calls that need an executor: what was asked, what executors answered, and what came back.

The relay is a pipe for them: the request reaches an executor as it was made, and the answer comes back as it was given.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any

import msgspec

from conductor.catalogue import CATALOGUE
from reference_relay.core.effects import CallDone
from reference_relay.core.events import Call
from reference_relay.core.records import AppKey
from simulator.clock import ns

if TYPE_CHECKING:
    from simulator.models.fleet import Fleet

_RECORD = {"WorkflowUUID": "w", "Status": "SUCCESS"}

Fields = dict[str, Any]

_OPERATIONS: tuple[tuple[str, Callable[[str], Fields], tuple[Fields, ...]], ...] = (
    ("get_workflow", lambda m: {"workflow_id": m, "load_input": False, "load_output": True},
     ({"output": _RECORD}, {"output": None}, {"output": {**_RECORD, "Status": "ERROR", "Error": "boom"}})),
    ("list_workflows", lambda m: {"body": {"workflow_name": m, "limit": 7, "offset": 3, "load_input": False,
     "load_output": False}}, ({"output": [_RECORD]}, {"output": []})),
    ("list_steps", lambda m: {"workflow_id": m, "load_output": True},
     ({"output": [{"function_id": 1, "function_name": "a"}, {"function_id": 2, "function_name": "b"}]},
      {"output": []})),
    ("list_queued_workflows", lambda m: {"body": {"workflow_name": m, "limit": 7, "load_input": False}},
     ({"output": [{**_RECORD, "Status": "ENQUEUED"}, _RECORD]}, {"output": []})),
    ("cancel", lambda m: {"workflow_id": m, "cancel_children": True}, ({"success": True}, {"success": False})),
    ("resume", lambda m: {"workflow_id": m, "queue_name": "q"}, ({"success": True}, {"success": False})),
    ("list_application_versions", lambda m: {},
     ({"output": [{"version_id": "1", "version_name": "v1", "version_timestamp": 5, "created_at": 2}]},)),
    ("set_latest_application_version", lambda m: {"version_name": f"{m}-Übung"},
     ({"success": True}, {"success": False})),
)  # fmt: skip
"""Type, its fields around a text of one's own, and what executors may answer."""


@dataclass(slots=True, eq=False)
class CallRecord:
    """One call, until its end."""

    number: int
    app: AppKey
    type: str
    fields: Fields
    request: object
    answer: Fields
    at_ns: int
    call_id: int = 0
    reached_ns: int | None = None  # when its request was last read by an executor
    answers: list[bytes] = field(default_factory=list)  # lawful ones, as they were sent
    arrived_ns: int | None = None  # when an answer in time reached the relay
    done: CallDone | None = None

    @property
    def marked(self) -> Fields:
        """The answer, with a field that nobody knows: it tells one call's answer from another's."""
        return {**self.answer, "marker": self.number}


class Caller:
    """Makes calls all along, at the workload's rate."""

    def __init__(self, fleet: Fleet) -> None:
        self.open: list[CallRecord] = []
        self.made = 0
        self._fleet = fleet
        self._random = Random(fleet.schedule.seed ^ 0xCA11)
        self._gap_s = 60.0 / rate if (rate := float(fleet.schedule.work()["calls"])) else 0.0

    def begin(self) -> None:
        if self._gap_s:
            self._fleet.clock.call(ns(2.0), self._next)

    def asked(self, frame: Mapping[str, Any], data: bytes, read_ns: int) -> CallRecord | None:
        """The open call whose request this is; it was read at ``read_ns``."""
        if not self.open:
            return None
        type_ = str(frame.get("type"))
        request = _request(type_, data)
        for record in self.open:
            if record.type == type_ and record.request == request and record.at_ns <= read_ns:
                record.reached_ns = self._fleet.clock.now_ns
                return record
        return None

    def arrived(self, data: bytes) -> None:
        """A text frame has reached the relay."""
        for record in self.open:
            if data in record.answers and record.arrived_ns is None:
                record.arrived_ns = self._fleet.clock.now_ns

    def _next(self) -> None:
        fleet = self._fleet
        if fleet.healed or fleet.finished:
            return  # those that are out end
        fleet.clock.call(max(1, int(ns(self._gap_s) * self._random.uniform(0.2, 1.8))), self._next)
        if not fleet.relay.up or fleet.relay.paused:
            return
        for _ in range(2 if self._random.random() < 0.3 else 1):  # at times two in the same instant
            self._call()

    def _call(self) -> None:
        fleet = self._fleet
        self.made += 1
        type_, make, answers = self._random.choice(_OPERATIONS)
        fields = make(f"c{self.made}")
        if type_ == "list_application_versions" and any(record.type == type_ for record in self.open):
            return  # nothing in it tells one from another
        answer = dict(self._random.choice(answers))
        if self._random.random() < 0.15:
            answer["error_message"] = "the executor says no"
        request = msgspec.convert({"type": type_, "request_id": "", **fields}, CATALOGUE[type_].request)
        app = self._random.choice(fleet.apps)
        record = CallRecord(self.made, app, type_, fields, request, answer, fleet.clock.now_ns)
        self.open.append(record)
        fleet.called(record)

        def make_call(call_id: int) -> Call:
            record.call_id = call_id
            return Call(call_id, app, type_, fields)

        fleet.relay.call(make_call, lambda done: self._ended(record, done))

    def _ended(self, record: CallRecord, done: CallDone | None) -> None:
        record.done = done
        if record in self.open:
            self.open.remove(record)
        self._fleet.answered(record)


@lru_cache(maxsize=8192)
def _request(type_: str, data: bytes) -> object:
    """The request without its id, so that it can be compared; None where it is no such request."""
    spec = CATALOGUE.get(type_)
    if spec is None:
        return None
    try:
        return msgspec.structs.replace(msgspec.json.decode(data, type=spec.request), request_id="")
    except (msgspec.DecodeError, UnicodeDecodeError):
        return None
