"""The events of a history as connections, requests, lists and moments, each put together once."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeVar

import msgspec

from evidence.errors import RuleMisuse
from evidence.events import (
    Answer,
    App,
    AuditPage,
    Base,
    Closed,
    Fault,
    Frame,
    Jitter,
    Open,
    Poll,
    Refused,
    Relay,
    Request,
    Setting,
    Surfaced,
    Upgraded,
)
from evidence.lists import Lists
from evidence.views import Ask, Connection, Message, Sight, Tenant, Who
from evidence.window import Span

__all__ = ["Timeline"]

E = TypeVar("E", bound=Base)

_RELAY_ENDS = ("killing", "killed", "stopped", "exited")
GRACE_SETTING = "executorTimeoutSecs"


class Timeline:
    """Views over events in the order of their numbers. Nothing in here judges."""

    def __init__(self, events: Sequence[Base]) -> None:
        self.events = tuple(events)

    def of(self, kind: type[E]) -> tuple[E, ...]:
        """All events of one kind."""
        return self._by_kind.get(kind, ())  # type: ignore[return-value]

    @cached_property
    def _by_kind(self) -> dict[type[Base], tuple[Base, ...]]:
        kinds: dict[type[Base], list[Base]] = {}
        for event in self.events:
            kinds.setdefault(type(event), []).append(event)
        return {kind: tuple(events) for kind, events in kinds.items()}

    # ---------------------------------------------------------------- connections and frames

    @cached_property
    def connections(self) -> Mapping[int, Connection]:
        """Every dial by its number."""
        made: dict[int, Connection] = {}
        for event in self.events:
            match event:
                case Open():
                    made[event.conn] = Connection(event, event.executor)
                case Upgraded() | Refused() | Frame() | Closed() if event.conn in made:
                    self._carry(made[event.conn], event)
                case Fault():
                    for each in made.values():
                        if _hit(event, each) and each.fault_ns is None:
                            each.fault_ns = event.t
                case Relay(what=what) if what in _RELAY_ENDS:
                    for each in made.values():
                        _end(each, event)
        return made

    def _carry(self, conn: Connection, event: Upgraded | Refused | Frame | Closed) -> None:
        match event:
            case Upgraded():
                conn.upgraded_ns = event.t
            case Refused():
                conn.refused = event
                _end(conn, event)
            case Closed():
                conn.closed = event
                if event.by == "relay" and conn.relay_end is None:
                    conn.relay_end = event
                _end(conn, event)
            case _:
                conn.frames.append(event)
                if event.op == "close" and event.by == "relay" and conn.relay_end is None:
                    conn.relay_end = event
                elif event.by == "executor" and conn.handshake_ns is None:
                    self._shake(conn, event)

    def _shake(self, conn: Connection, frame: Frame) -> None:
        message = self.message(frame)
        if message is None or message.type != "executor_info":
            return
        asked = {
            known.request_id
            for each in conn.frames
            if each.by == "relay" and (known := self.message(each)) is not None and known.type == "executor_info"
        }
        if message.request_id not in asked:
            return
        reported = message.fields.get("executor_id")
        if isinstance(reported, str) and reported and not message.fields.get("error_message"):
            conn.handshake_ns = frame.t
            conn.executor = reported

    def connection(self, number: int) -> Connection:
        """Raises `RuleMisuse` for a number that nobody dialled."""
        if number not in self.connections:
            raise RuleMisuse(f"there is no connection {number}; dialled were {sorted(self.connections)}")
        return self.connections[number]

    def conns_of(self, who: Who) -> Sequence[Connection]:
        """The executor's dials, oldest first."""
        return self._dials.get(who, [])

    @cached_property
    def _dials(self) -> dict[Who, list[Connection]]:
        dials: dict[Who, list[Connection]] = {}
        for conn in self.connections.values():
            dials.setdefault(conn.who, []).append(conn)
        return dials

    def who(self, executor: str, *, app: str | None = None, org: str | None = None) -> Who:
        """The application that an executor id dialled first. Raises `RuleMisuse` for an id that never dialled there."""
        for conn in self.connections.values():
            if executor not in (conn.executor, conn.opened.executor):
                continue
            if app in (None, conn.opened.app) and org in (None, conn.opened.org):
                return Who(conn.opened.org, conn.opened.app, executor)
        if len(self.tenants) == 1 or (app is not None and org is not None):
            tenant = next(iter(self.tenants)) if app is None or org is None else Tenant(org, app)
            return Who(tenant.org, tenant.app, executor)
        known = [tenant.app for tenant in self.tenants]
        raise RuleMisuse(f"executor {executor!r} never dialled; give app=, one of {known}")

    @cached_property
    def tenants(self) -> tuple[Tenant, ...]:
        """Every application that was made, dialled or polled, in order of appearance."""
        found: dict[Tenant, None] = {}
        for event in self.events:
            if isinstance(event, App | Open | Poll):
                found.setdefault(Tenant(event.org, event.app))
        return tuple(found)

    def tenant(self, app: str, org: str | None = None) -> Tenant:
        """The first application of this name. Raises `RuleMisuse` if there is none."""
        for tenant in self.tenants:
            if tenant.app == app and org in (None, tenant.org):
                return tenant
        raise RuleMisuse(f"there is no application {app!r}; known are {[each.app for each in self.tenants]}")

    def message(self, frame: Frame) -> Message | None:
        """The frame as one JSON object; None for anything else, and for a frame that was cut short."""
        if frame.n not in self._messages:
            self._messages[frame.n] = _decoded(frame)
        return self._messages[frame.n]

    @cached_property
    def _messages(self) -> dict[int, Message | None]:
        return {}

    @cached_property
    def asks(self) -> tuple[tuple[Connection, Ask], ...]:
        """Every request of the relay with its answer, in order of the requests."""
        found = []
        for conn in self.connections.values():
            answers: dict[str, list[Message]] = {}
            asks: list[Message] = []
            for message in filter(None, map(self.message, conn.frames)):
                if message.frame.by == "executor":
                    answers.setdefault(message.request_id, []).append(message)
                elif message.type:
                    asks.append(message)
            found += [(conn, Ask(ask, _answer(ask, answers.get(ask.request_id, [])))) for ask in asks]
        return tuple(sorted(found, key=lambda pair: pair[1].request.frame.n))

    def asks_of(self, type: str) -> Sequence[tuple[Connection, Ask]]:
        """The relay's requests of one type."""
        return self._asks_by_type.get(type, [])

    @cached_property
    def _asks_by_type(self) -> dict[str, list[tuple[Connection, Ask]]]:
        found: dict[str, list[tuple[Connection, Ask]]] = {}
        for conn, ask in self.asks:
            found.setdefault(ask.request.type, []).append((conn, ask))
        return found

    def recoveries(self, executor: str, tenant: Tenant) -> Sequence[tuple[Connection, Ask]]:
        """Recovery requests that name the executor, on connections of its application."""
        return self._recoveries.get(Who(*tenant, executor), [])

    @cached_property
    def _recoveries(self) -> dict[Who, list[tuple[Connection, Ask]]]:
        found: dict[Who, list[tuple[Connection, Ask]]] = {}
        for conn, ask in self.asks_of("recovery"):
            for name in dict.fromkeys(ask.names):
                found.setdefault(Who(*conn.tenant, name), []).append((conn, ask))
        return found

    # ---------------------------------------------------------------- lists

    @cached_property
    def _lists(self) -> dict[Tenant, Lists]:
        polls: dict[Tenant, list[Poll]] = {}
        for poll in self.of(Poll):
            if not poll.error:
                polls.setdefault(Tenant(poll.org, poll.app), []).append(poll)
        return {tenant: Lists(had) for tenant, had in polls.items()}

    def lists_of(self, tenant: Tenant) -> Lists:
        """The lists that were really had, to be searched by time."""
        return self._lists.get(tenant) or Lists(())

    def polls_of(self, tenant: Tenant) -> Sequence[Sight]:
        """The lists that were really had, in order of their answers."""
        return self.lists_of(tenant).all

    # ---------------------------------------------------------------- moments

    def span(self, n: int) -> Span:
        """When the thing happened that event ``n`` shows: an instant, or as long as asking for it took.

        A list or an answer shows what happened since the question left; a list's change may be as old as the asking
        of the list before it.
        """
        event = self.event(n)
        match event:
            case Poll():
                lists = self.polls_of(Tenant(event.org, event.app))
                place = bisect_left(lists, n, key=lambda sight: sight.poll.n)
                return Span(lists[place - 1].asked_ns if place else event.asked, event.t)
            case Setting() | AuditPage() | Surfaced():
                return Span(event.asked, event.t)
            case Answer():
                request = self.request_of(event.call)
                return Span(event.t if request is None else request.t, event.t)
        return Span.at(event.t)

    def event(self, n: int) -> Base:
        """Raises `RuleMisuse` for a number that the history doesn't have."""
        if isinstance(n, bool) or not isinstance(n, int) or not 0 <= n < len(self.events):
            raise RuleMisuse(f"there is no event {n!r}; the last one is {len(self.events) - 1}")
        return self.events[n]

    def worst_jitter(self, start_ns: int, end_ns: int) -> int:
        """How late the observer's loop woke at the worst between two moments, ns."""
        # Each event tells of the time since the one before it.
        first = bisect_left(self._jitter_ns, start_ns)
        last = bisect_right(self._jitter_ns, end_ns)
        return max((event.worst for event in self.of(Jitter)[first : last + 1]), default=0)

    @cached_property
    def _jitter_ns(self) -> list[int]:
        return [event.t for event in self.of(Jitter)]

    def grace_s(self, tenant: Tenant) -> float | None:
        """The application's grace as it was made; None where the history doesn't tell."""
        return self._graces_s.get(tenant)

    @cached_property
    def _graces_s(self) -> dict[Tenant, float | None]:
        return {Tenant(event.org, event.app): event.grace_s for event in reversed(self.of(App))}

    def least_grace_s(self, tenant: Tenant, otherwise: float) -> float:
        """The shortest grace that the application ever had."""
        made = self.grace_s(tenant)
        return min(otherwise if made is None else made, *self._patched_graces_s.get(tenant, [math.inf]))

    @cached_property
    def _patched_graces_s(self) -> dict[Tenant, list[float]]:
        patched: dict[Tenant, list[float]] = {}
        for event in self.of(Setting):
            grace_s = event.changes.get(GRACE_SETTING)
            if isinstance(grace_s, int | float):
                patched.setdefault(Tenant(event.org, event.app), []).append(float(grace_s))
        return patched

    @cached_property
    def durations_s(self) -> dict[tuple[str, Tenant | None, float | None], float]:
        """What windows came to: `evidence.rules.base.seconds` fills it, and asks it thousands of times."""
        return {}

    def relay_stops(self) -> list[int]:
        """Moments, ns, at which a relay process ended."""
        return [event.t for event in self.of(Relay) if event.what in _RELAY_ENDS]

    def request_of(self, call: int) -> Request | None:
        """The question of a management call."""
        return self._requests.get(call)

    def answer_of(self, call: int) -> Answer | None:
        """The first answer to a management call."""
        return self._answers.get(call)

    @cached_property
    def _requests(self) -> dict[int, Request]:
        return {event.call: event for event in reversed(self.of(Request))}

    @cached_property
    def _answers(self) -> dict[int, Answer]:
        return {event.call: event for event in reversed(self.of(Answer))}

    def last_audit(self, org: str | None = None) -> AuditPage | None:
        """The newest reading of the organisation's audit log (None: of any)."""
        pages = [page for page in self.of(AuditPage) if org in (None, page.org)]
        return pages[-1] if pages else None


def _hit(fault: Fault, conn: Connection) -> bool:
    if conn.end_ns is not None:
        return False
    if fault.conn is not None:
        return fault.conn == conn.number
    return not fault.executor or fault.executor in (conn.executor, conn.opened.executor)


def _end(conn: Connection, event: Base) -> None:
    if conn.end_ns is None:
        conn.end_ns, conn.end_n = event.t, event.n


def _decoded(frame: Frame) -> Message | None:
    if frame.op != "text" or frame.b64 or frame.size is not None:
        return None
    try:
        fields: Any = msgspec.json.decode(frame.data)
    except (msgspec.DecodeError, RecursionError):
        return None
    return Message(frame, fields) if isinstance(fields, dict) else None


def _answer(request: Message, answers: Sequence[Message]) -> Message | None:
    """The first answer after the request; a request without an id has none."""
    if not request.request_id:
        return None
    place = bisect_right(answers, request.frame.n, key=lambda answer: answer.frame.n)
    return answers[place] if place < len(answers) else None
