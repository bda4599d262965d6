"""Management calls that need an executor: what was asked, what executors answered, and what came back.

The relay is a pipe for them: the request reaches an executor as it was made, and the answer comes back as it was given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec

from conductor.catalogue import CATALOGUE
from reference_relay.core.effects import CallDone
from reference_relay.core.events import Call
from reference_relay.core.records import AppKey
from scenarios.schedule.call import OPERATIONS, CallAt
from scenarios.schedule.file import Schedule
from simulator.clock import ns
from simulator.models.operations import draw_answer, draw_request
from simulator.models.values import Fields

if TYPE_CHECKING:
    from simulator.models.fleet import Fleet

_BEGIN_S = 2.0
_form = msgspec.json.Encoder(order="deterministic").encode


class Planned(NamedTuple):
    """A call that will be made, unless the relay is down then."""

    at_s: float
    app: str
    type: str
    fields: Fields
    answer: Fields
    version: str | None  # only executors of it may be asked


def planned(schedule: Schedule) -> Iterator[Planned]:
    """Its calls in order: those that it lists, else drawn ones at the workload's rate. They depend on it alone, not on
    the course of the run."""
    if schedule.calls:
        for call in sorted(schedule.calls, key=lambda each: each.at_s):
            fields = call.fields
            if CATALOGUE[call.type].nesting == "body":
                fields.setdefault("body", {})  # one may be left out, and is sent nevertheless
            yield Planned(call.at_s, call.app, call.type, fields, call.answers, call.version)
    elif rate := float(schedule.work()["calls"]):
        yield from _drawn(schedule, 60.0 / rate)


def listed(schedule: Schedule) -> tuple[CallAt, ...]:
    """The same, as a schedule lists them."""
    return tuple(
        CallAt(call.type, call.at_s, call.app, _text(call.fields), _text(call.answer), call.version)
        for call in planned(schedule)
    )


def _drawn(schedule: Schedule, gap_s: float) -> Iterator[Planned]:
    random = Random(schedule.seed ^ 0xCA11)
    apps = schedule.apps
    versions = {app: [m.version for m in schedule.executors if m.app == app] for app in apps}
    at_s, number = _BEGIN_S, 0
    while (at_s := round(at_s + gap_s * random.uniform(0.2, 1.8), 3)) < schedule.duration_s:
        for _ in range(2 if random.random() < 0.3 else 1):  # at times two in the same instant
            number += 1
            type_, app = random.choice(OPERATIONS), random.choice(apps) if len(apps) > 1 else apps[0]
            request, answer = draw_request(type_, random, f"c{number}"), draw_answer(type_, random, f"a{number}")
            # Whoever resumes has asked before which version is the latest; that one may have died out since.
            version = random.choice(versions[app]) if type_ == "resume" else None
            yield Planned(at_s, app, type_, request, answer, version)


@dataclass(slots=True, eq=False)
class CallRecord:
    """One call, until its end."""

    number: int
    app: AppKey
    type: str
    version: str | None
    answer: Fields
    at_ns: int
    form: bytes  # of its request, without type and id
    reached_ns: int | None = None  # when its request was last read by an executor
    answers: list[bytes] = field(default_factory=list)  # lawful ones, as they were sent
    arrived_ns: int | None = None  # when an answer in time reached the relay
    done: CallDone | None = None

    @property
    def marked(self) -> Fields:
        """The answer, with a field that nobody knows: it tells one call's answer from another's."""
        return {**self.answer, "marker": self.number}

    def is_asked_by(self, form: bytes) -> bool:
        """Whether a request of this form is this call's, to the last field: 1 is neither 1.0 nor true."""
        return form == self.form


def form_of(frame: Mapping[str, Any]) -> bytes:
    """A frame without type and id, so that it can be compared."""
    return _form({name: value for name, value in frame.items() if name not in ("type", "request_id")})


class Caller:
    """Makes the calls of a schedule, until it is healed."""

    def __init__(self, fleet: Fleet) -> None:
        self.open: list[CallRecord] = []
        self.made = 0
        self._fleet = fleet
        self._plan = planned(fleet.schedule)
        self._apps = {place.member.app: place.app for place in fleet.places.values()}
        self._numbers = 0

    def begin(self) -> None:
        self._await_next()

    def asked(self, frame: Mapping[str, Any], read_ns: int) -> CallRecord | None:
        """The open call whose request this is; it was read at ``read_ns``."""
        type_ = frame.get("type")
        form = b""
        for record in self.open:
            if record.type == type_ and record.at_ns <= read_ns:
                form = form or form_of(frame)
                if record.is_asked_by(form):
                    record.reached_ns = self._fleet.clock.now_ns
                    return record
        return None

    def arrived(self, data: bytes) -> None:
        """A text frame has reached the relay."""
        for record in self.open:
            if data in record.answers and record.arrived_ns is None:
                record.arrived_ns = self._fleet.clock.now_ns

    def _await_next(self) -> None:
        if (call := next(self._plan, None)) is not None:
            self._fleet.clock.call(max(0, ns(call.at_s) - self._fleet.clock.now_ns), self._next, call)

    def _next(self, call: Planned) -> None:
        fleet = self._fleet
        if fleet.healed or fleet.finished:
            return  # those that are out end
        self._numbers += 1
        if fleet.relay.up and not fleet.relay.paused:
            self._make(call, self._numbers)
        self._await_next()

    def _make(self, call: Planned, number: int) -> None:
        fleet = self._fleet
        form = _form(call.fields)
        if any(record.type == call.type and record.form == form for record in self.open):
            return  # nothing in it would tell one from another
        self.made += 1
        app = self._apps[call.app]
        record = CallRecord(number, app, call.type, call.version, call.answer, fleet.clock.now_ns, form)
        self.open.append(record)
        fleet.watch.called(record)
        fleet.relay.call(
            lambda call_id: Call(call_id, app, call.type, call.fields, call.version),
            lambda done: self._ended(record, done),
        )

    def _ended(self, record: CallRecord, done: CallDone | None) -> None:
        record.done = done
        if record in self.open:
            self.open.remove(record)
        self._fleet.watch.answered(record)


def _text(fields: Fields) -> str:
    return msgspec.json.encode(fields).decode()
