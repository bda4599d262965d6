"""A core that is watched: the same decisions, and each event counted by what it met."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from conductor.codec import decode_envelope, decode_response_as
from conductor.errors import DecodeError
from conductor.messages import ExistPendingWorkflowsResponse, RecoveryResponse
from reference_relay.core import Core, Stored
from reference_relay.core import events as ev
from reference_relay.core.effects import Effect
from reference_relay.core.records import AppKey, Connection, Executor, ExecutorKey, Pending, Phase, Purpose, Status
from simulator.coverage.cells import Cell, Column, Row

_PHASES = {
    Phase.WAITING: Row.WAITING,
    Phase.BACKOFF: Row.BACKOFF,
    Phase.DISPATCHED: Row.DISPATCHED,
    Phase.VERIFYING: Row.VERIFYING,
}
_ABOUT_ONE = (Purpose.RECOVERY, Purpose.VERIFY)


def observed(core: type[Core], counts: Counter[Cell]) -> type[Core]:
    """A subclass of ``core`` whose objects count into ``counts``; any driver may run it."""

    class Observed(core):  # type: ignore[valid-type,misc]
        def handle(self, event: ev.Event, now_ns: int, now_ms: int = 0) -> list[Effect]:
            rows = _rows(self)
            met = list(_met(self, event, now_ns, rows))
            stranger = type(event) is ev.Text and _is_stranger(self, event.conn)
            effects: list[Effect] = super().handle(event, now_ns, now_ms)
            counts.update(met)
            counts.update(_came_of(self, event, rows, stranger=stranger))
            return effects

        def load(self, stored: Stored, now_ns: int, now_ms: int = 0) -> list[Effect]:
            counts.update(Cell(_row(record), Column.RESTART) for record in stored.executors)
            there = {record.key for record in stored.executors}
            remembered = [Row.REMEMBERED for record in stored.remembered if record.key not in there]
            counts.update(Cell(row, Column.RESTART) for row in remembered)
            effects: list[Effect] = super().load(stored, now_ns, now_ms)
            return effects

    return Observed


def _row(record: Executor) -> Row:
    if record.status is Status.DEAD:
        return _PHASES[record.recovery.phase] if record.recovery is not None else Row.WAITING
    return Row.HEALTHY if record.status is Status.HEALTHY else Row.DISCONNECTED


def _rows(core: Core) -> dict[ExecutorKey, Row]:
    rows = dict.fromkeys(core.remembered, Row.REMEMBERED)
    rows.update((key, _row(record)) for key, record in core.executors.items())
    return rows


def _met(core: Core, event: ev.Event, now_ns: int, rows: dict[ExecutorKey, Row]) -> Iterator[Cell]:
    """By the state before the event."""
    match event:
        case ev.Tick():
            yield from _time(core, now_ns, rows)
        case ev.Text():
            yield from _text(core, event, rows)
        case ev.Closed():
            yield from _closed(core, core.connections.get(event.conn), rows)
        case ev.Binary():
            yield from _from_connection(core, event.conn, Column.BINARY)
        case ev.Ping():
            yield from _from_connection(core, event.conn, Column.PING)
        case ev.Pong():
            yield from _from_connection(core, event.conn, Column.PONG)
        case ev.Progress():
            yield from _from_connection(core, event.conn, Column.PROGRESS)
        case ev.CloseConnections():
            for conn in event.conns:
                yield from _from_connection(core, conn, Column.REVOKED)
        case ev.PutApplication() if event.application in core.applications:
            yield from _everybody(event.application, Column.SETTINGS, rows)
        case ev.DeleteApplication():
            yield from _everybody(event.application, Column.DELETED, rows)


def _everybody(application: AppKey, column: Column, rows: dict[ExecutorKey, Row]) -> Iterator[Cell]:
    return (Cell(row, column) for key, row in rows.items() if key.application == application)


def _from_connection(core: Core, conn: int, column: Column) -> Iterator[Cell]:
    connection = core.connections.get(conn)
    if connection is not None:
        yield Cell(Row.REGISTERED if connection.executor_id is not None else Row.STRANGER, column)


def _is_stranger(core: Core, conn: int) -> bool:
    connection = core.connections.get(conn)
    return connection is not None and connection.executor_id is None


def _time(core: Core, now_ns: int, rows: dict[ExecutorKey, Row]) -> Iterator[Cell]:
    for key, row in rows.items():
        yield Cell(row, Column.TIME)
        record = core.executors.get(key)
        if record is None:
            continue
        if record.dead_at_ns is not None and record.dead_at_ns <= now_ns:
            yield Cell(row, Column.GRACE_ENDS)
        recovery = record.recovery
        if recovery is not None and recovery.due_ns is not None and recovery.due_ns <= now_ns:
            yield Cell(row, Column.BACKOFF_ENDS)
        pending = core.pending.get(recovery.request_id or "") if recovery is not None else None
        if pending is not None and pending.due_ns <= now_ns:
            yield Cell(row, Column.EXPIRES)
    for connection in core.connections.values():
        if connection.handshake_by_ns is not None and connection.handshake_by_ns <= now_ns:
            yield Cell(Row.STRANGER, Column.TOO_LATE)


def _closed(core: Core, connection: Connection | None, rows: dict[ExecutorKey, Row]) -> Iterator[Cell]:
    if connection is None:
        yield Cell(Row.ENDED, Column.CLOSES)
        return
    yield from _from_connection(core, connection.conn, Column.CLOSES)
    for pending in core.pending.values():
        key = pending.executor
        if pending.conn == connection.conn and pending.purpose in _ABOUT_ONE and key is not None and not pending.moot:
            yield Cell(rows.get(key, Row.UNKNOWN), Column.PEER_LOST)
    if connection.executor_id is not None:
        key = ExecutorKey(*connection.application, connection.executor_id)
        record = core.executors.get(key)
        if record is not None and record.conn == connection.conn:
            yield Cell(rows[key], Column.ENDS)


def _text(core: Core, event: ev.Text, rows: dict[ExecutorKey, Row]) -> Iterator[Cell]:
    try:
        envelope = decode_envelope(event.data)
    except DecodeError:
        yield from _from_connection(core, event.conn, Column.BROKEN)
        return
    request_id = envelope.request_id or ""
    pending = core.pending.get(request_id)
    late = core.late.get(request_id) if pending is None else None
    asked = pending or late
    if asked is None or asked.conn != event.conn:
        yield from _from_connection(core, event.conn, Column.STRAY)
        return
    yield from _from_connection(core, event.conn, Column.ANSWERS)
    if asked.executor is None or asked.purpose not in _ABOUT_ONE:
        return
    row = rows.get(asked.executor, Row.UNKNOWN)
    right = envelope.type == asked.type
    if asked.purpose is Purpose.RECOVERY:
        success = right and _succeeded(event.data)
        if asked.moot:
            yield Cell(row, Column.MOOT)
        elif late is not None:
            yield Cell(row, Column.LATE_SUCCESS if success else Column.LATE_REFUSAL)
        else:
            yield Cell(row, Column.SUCCESS if success else Column.REFUSAL)
    elif _is_current(core, asked):
        yield Cell(row, _left(event.data) if right else Column.NOT_SAID)


def _is_current(core: Core, asked: Pending) -> bool:
    record = core.executors.get(asked.executor) if asked.executor is not None else None
    return record is not None and record.recovery is not None and record.recovery.request_id == asked.request_id


def _succeeded(data: bytes) -> bool:
    try:
        answer = decode_response_as(data, RecoveryResponse)
    except DecodeError:
        return False
    return answer.success is True and not answer.error_message


def _left(data: bytes) -> Column:
    try:
        answer = decode_response_as(data, ExistPendingWorkflowsResponse)
    except DecodeError:
        return Column.NOT_SAID
    if answer.exist is True:
        return Column.WORK_LEFT
    return Column.NOTHING_LEFT if answer.exist is False and not answer.error_message else Column.NOT_SAID


def _came_of(core: Core, event: ev.Event, before: dict[ExecutorKey, Row], *, stranger: bool) -> Iterator[Cell]:
    """By the difference that the event made."""
    if type(event) is ev.Text:
        connection = core.connections.get(event.conn)
        if stranger and connection is not None and connection.executor_id is not None:
            joined = ExecutorKey(*connection.application, connection.executor_id)
            yield Cell(before.get(joined, Row.UNKNOWN), Column.REGISTERS)
            for key, row in before.items():
                if key != joined and key.application == connection.application:
                    yield Cell(row, Column.PEER_JOINS)
        for key, row in before.items():
            if row is Row.REMEMBERED and key in core.executors and core.executors[key].status is Status.DEAD:
                yield Cell(row, Column.OWNS_AGAIN)
    elif type(event) is ev.Tick:
        for key, row in before.items():
            record = core.executors.get(key)
            if row is Row.HEALTHY and record is not None and record.status is Status.DISCONNECTED:
                yield Cell(row, Column.FALLS_SILENT)
