"""What must hold of the core: after each event, and in each state. One small function an invariant.

    @after_event("AUD-1")
    def each_end_is_audited(seen: Seen) -> str | None: ...

gives None, or a sentence that says what is wrong. The clause is what the sentence refutes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from reference_relay.core import Core
from reference_relay.core import events as ev
from reference_relay.core.config import ns
from reference_relay.core.effects import Audit, Effect, Save
from reference_relay.core.records import Executor, ExecutorKey, Phase, Status
from simulator.explore.errors import Violation
from simulator.explore.model import Model
from simulator.explore.outside import Outside, key_of


class Seen(NamedTuple):
    """One event, what came of it, and both accounts afterwards."""

    event: ev.Event | str  # "restart" for the start of a new process
    effects: Sequence[Effect]
    core: Core
    outside: Outside
    model: Model


class At(NamedTuple):
    """One state."""

    core: Core
    outside: Outside
    model: Model
    due: bool  # a tick is due at this very moment: deadlines that are reached may still stand


AfterEvent = Callable[[Seen], str | None]
InState = Callable[[At], str | None]

AFTER_EVENT: list[tuple[str, AfterEvent]] = []
IN_STATE: list[tuple[str, InState]] = []


def after_event(clause: str) -> Callable[[AfterEvent], AfterEvent]:
    def register(function: AfterEvent) -> AfterEvent:
        AFTER_EVENT.append((clause, function))
        return function

    return register


def in_state(clause: str) -> Callable[[InState], InState]:
    def register(function: InState) -> InState:
        IN_STATE.append((clause, function))
        return function

    return register


def judge_event(seen: Seen) -> None:
    """Raises `Violation` for the first that does not hold."""
    for clause, function in AFTER_EVENT:
        if (wrong := function(seen)) is not None:
            raise Violation(clause, wrong)


def judge_state(core: Core, outside: Outside, model: Model) -> None:
    """Raises `Violation` for the first that does not hold."""
    due_ns = core.next_due_ns
    at = At(core, outside, model, due_ns is not None and due_ns <= outside.now_ns)
    for clause, function in IN_STATE:
        if (wrong := function(at)) is not None:
            raise Violation(clause, wrong)


# ---- after each event


@after_event("LIV-15")
def what_is_stored_is_what_is_listed(seen: Seen) -> str | None:
    """A crash at this moment forgets nobody and gives nobody another status, nor another grace period."""
    core, stored = seen.core, 0
    for (table, key), row in seen.outside.durable.items():
        if table == "executors" and isinstance(key, ExecutorKey):
            listed = core.executors.get(key)
            if listed is None:
                return f"{key[-1]} is stored and not listed"
            if seen.event != "restart" and _kept(row) != _kept(listed):
                return f"{key[-1]} is stored as {_kept(row)} and listed as {_kept(listed)}"
            stored += 1
        elif table == "remembered" and isinstance(key, ExecutorKey):
            if core.remembered.get(key) != row and seen.event != "restart":
                return f"{key[-1]} is stored as remembered and is not"
            stored += 1
    if stored != len(core.executors) + len(core.remembered):
        return "an executor is listed or remembered, and not stored"
    return None


def _kept(row: object) -> tuple[object, ...]:
    assert isinstance(row, Executor)
    return (row.status, row.dead_at_ns, row.info, row.recovery.cause if row.recovery is not None else None)


@after_event("AUD-1")
def each_end_of_a_recovery_has_its_entry(seen: Seen) -> str | None:
    """Deletions and the memory of a deleted id belong to one transaction (AUD-2, REC-25)."""
    for effect in seen.effects:
        if type(effect) is Save and effect.table == "executors" and effect.record is None:
            audits = [each for each in seen.effects if type(each) is Audit and each.operation == "executor.delete"]
            if not any(each.details.get("executorId") == effect.key[-1] for each in audits):
                return f"{effect.key[-1]} is deleted without an entry"
    return None


@after_event("LIV-16")
def nothing_stays_due(seen: Seen) -> str | None:
    """A tick does all that is due, so that the driver's timer never runs hot."""
    due_ns = seen.core.next_due_ns
    if type(seen.event) is ev.Tick and due_ns is not None and due_ns <= seen.outside.now_ns:
        return "a deadline is still due after the tick that it asked for"
    return None


# ---- in each state


@in_state("LIV-7")
def every_executor_is_what_it_must_be(at: At) -> str | None:
    """LIV-4 to LIV-8, LIV-11, LIV-13, LIV-15, LIV-19 and REC-6 in one: the two accounts agree on every status."""
    out, executors = at.outside, at.core.executors
    for key, life in out.lives.items():
        record = executors.get(key)
        if record is None:
            return f"{key.executor_id} must be {life.status} and is forgotten"
        if record.status is not life.status:
            return f"{key.executor_id} must be {life.status} and is {record.status}"
        if life.conn != record.conn:
            return f"{key.executor_id} must be reached by connection {life.conn}, not {record.conn}"
    if len(executors) > len(out.lives):
        for key, record in executors.items():
            if key not in out.lives:
                return f"{key.executor_id} is listed as {record.status} without a handshake, or still"
    return None


@in_state("LIV-7")
def nobody_stays_disconnected_beyond_its_grace(at: At) -> str | None:
    for key, life in at.outside.lives.items():
        if life.status is Status.DISCONNECTED and life.dead_by_ns <= at.outside.now_ns and not at.due:
            return f"{key.executor_id} is DISCONNECTED for longer than its grace period"
    return None


@in_state("LIV-3")
def silence_is_noticed(at: At) -> str | None:
    """HSK-9 too: a connection that never says who it is ends."""
    out = at.outside
    if at.due:
        return None
    wait_ns, handshake_ns = ns(at.model.timing.ping_wait_s), ns(at.model.timing.handshake_deadline_s)
    for conn in out.conns.values():
        if out.now_ns - conn.heard_ns >= wait_ns:
            return f"{conn.member.id} is silent for {(out.now_ns - conn.heard_ns) / 1e9:g} s and still connected"
        if not conn.introduced and out.now_ns - conn.opened_ns >= handshake_ns:
            return f"a connection of {conn.member.id} goes on without a handshake"
    return None


@in_state("LIV-1")
def everybody_is_pinged(at: At) -> str | None:
    out = at.outside
    interval_ns = ns(at.model.timing.ping_interval_s)
    for conn in out.conns.values():
        if out.now_ns - conn.pinged_ns >= interval_ns and not at.due:
            return f"{conn.member.id} was not pinged for {(out.now_ns - conn.pinged_ns) / 1e9:g} s"
    return None


@in_state("LIV-18")
def one_connection_an_executor(at: At) -> str | None:
    registered = [key_of(conn.member) for conn in at.outside.conns.values() if conn.introduced]
    for key in registered:
        if registered.count(key) > 1:
            return f"{key.executor_id} has two connections with a handshake"
    return None


@in_state("REC-10")
def one_recovery_at_a_time(at: At) -> str | None:
    out = at.outside
    asked: dict[ExecutorKey, str] = {}
    for frame in out.frames.values():
        if frame.type == "recovery" and frame.due_ns > out.now_ns and frame.about is not None and not frame.moot:
            if frame.about in asked:
                return f"two peers are asked to recover {frame.about.executor_id}"
            asked[frame.about] = frame.request_id
    return None


@in_state("REC-11")
def nobody_dead_is_stuck(at: At) -> str | None:
    """REC-1, REC-7 to REC-9, REC-11, REC-12, REC-15, REC-27: each DEAD executor waits for something that will come."""
    for key, life in at.outside.lives.items():
        if life.status is Status.DEAD and (wrong := _stuck(at, key, told=life.told)) is not None:
            return f"{key.executor_id} is DEAD and {wrong}"
    return None


def _stuck(at: At, key: ExecutorKey, *, told: bool) -> str | None:
    out, timing = at.outside, at.model.timing
    recovery = at.core.executors[key].recovery
    if recovery is None:
        return "nothing is done about it"
    if recovery.phase in (Phase.DISPATCHED, Phase.VERIFYING):
        frame = out.frames.get(recovery.request_id or "")
        if frame is None or frame.about != key or (frame.due_ns <= out.now_ns and not at.due):
            return f"{recovery.phase.value}, but nobody is being asked"
        return None
    if recovery.phase is Phase.BACKOFF:
        due_ns = recovery.due_ns
        if due_ns is None or not out.now_ns <= due_ns <= out.now_ns + ns(timing.backoff_cap_s):
            return "is tried again at no time, or too late"
        return None if due_ns > out.now_ns or at.due else "is not tried again though it is time"
    member = next(each for each in at.model.members if key_of(each) == key)
    seek_ns = at.core.applications[key.application].seek_ns
    sought = seek_ns is not None and seek_ns <= out.now_ns + ns(timing.backoff_first_s)
    if out.eligible(member) and not sought:
        return "waits though a peer is there"
    return None if told or sought else "waits, and nobody was told"


@in_state("ENV-8")
def every_request_has_somebody_who_may_answer(at: At) -> str | None:
    """And a deadline; and each caller has such a request."""
    out, core = at.outside, at.core
    for pending in core.pending.values():
        if pending.conn not in out.conns:
            return f"{pending.type} is awaited on a connection that has ended"
        if pending.due_ns <= out.now_ns and not at.due:
            return f"{pending.type} is awaited beyond its deadline"
    for pending in core.late.values():
        if pending.conn not in out.conns:
            return "a late answer is awaited on a connection that has ended"
    waiting = {pending.call_id for pending in core.pending.values()}
    for call_id in out.calls:
        if call_id not in waiting:
            return f"call {call_id} hangs"
    return None


@in_state("LIV-16")
def there_is_always_a_next_time(at: At) -> str | None:
    """Whoever waits for time to pass has a deadline, and no deadline is further away than the longest of them."""
    core, out, timing = at.core, at.outside, at.model.timing
    due_ns = core.next_due_ns
    waits = bool(out.conns) or any(life.status is Status.DISCONNECTED for life in out.lives.values())
    if due_ns is None:
        return "somebody waits for time to pass, and no tick is asked for" if waits else None
    graces = [settings.executor_timeout_s for settings in at.model.settings]
    longest_s = max(
        timing.ping_interval_s, timing.ping_wait_s, timing.recovery_deadline_s, timing.backoff_cap_s, *graces
    )
    if due_ns > out.now_ns + ns(longest_s):
        return f"the next tick is asked for in {(due_ns - out.now_ns) / 1e9:g} s"
    return None


@in_state("REC-18")
def the_indexes_agree_with_the_records(at: At) -> str | None:
    """The sorted tuples beside the tables, by which peers are found, say what the tables say."""
    core = at.core
    for application in core.applications:
        mine = sorted((key, each) for key, each in core.executors.items() if key.application == application)
        for name, wanted in (
            ("members", mine),
            ("ready", [each for each in mine if each[1].status is Status.HEALTHY]),
            ("dead", [each for each in mine if each[1].status is Status.DEAD]),
        ):
            if getattr(core, name).get(application, ()) != tuple(key.executor_id for key, _ in wanted):
                return f"the index {name!r} of {application.app} is wrong"
    return None
