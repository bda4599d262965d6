"""What all parts of the core share: time, effects, request frames and how they end."""

from __future__ import annotations

from typing import Any

import msgspec
from msgspec.structs import replace

from conductor.catalogue import CATALOGUE
from conductor.codec import encode
from reference_relay.core.config import CoreConfig, ns
from reference_relay.core.effects import Audit, Close, Effect, Log, Save, Send
from reference_relay.core.records import (
    AppKey,
    Application,
    Connection,
    Executor,
    ExecutorKey,
    Pending,
    Purpose,
    Remembered,
)
from reference_relay.core.state import Tables
from reference_relay.core.timers import Key, Timer, TimerHeap


class Engine(Tables):
    """Time and effects of the call of `handle` that is running; requests out and what became of them."""

    def __init__(self, config: CoreConfig | None = None) -> None:
        super().__init__()
        self.config = config or CoreConfig()
        timing = self.config.timing
        self._interval_ns = ns(timing.ping_interval_s)
        self._wait_ns = ns(timing.ping_wait_s)
        self._handshake_ns = ns(timing.handshake_deadline_s)
        self._request_ns = ns(timing.request_deadline_s)
        self._recovery_ns = ns(timing.recovery_deadline_s)
        self._remember_ns = ns(timing.remember_s)
        self._call_budget_ns = self.config.call_budget_ns
        self._prefix = self.config.request_prefix
        self._timers = TimerHeap()
        self._now_ns = 0
        self._now_ms = 0
        self._effects: list[Effect] = []
        self._unanswered: list[Pending] = []  # their connections have ended; see `_go_on_without_answers`

    # ---- effects

    def _emit(self, effect: Effect) -> None:
        self._effects.append(effect)

    def _save_executor(self, record: Executor) -> None:
        """Put and store."""
        self._put_executor(record.key, record)
        self._emit(Save(record.key, record, "executors"))

    def _save_application(self, record: Application) -> None:
        self._put("applications", record.key, record)
        self._emit(Save(record.key, record, "applications"))

    def _save_remembered(self, key: ExecutorKey, record: Remembered | None) -> None:
        self._put("remembered", key, record)
        self._index_remembered(key, present=record is not None)
        self._emit(Save(key, record, "remembered"))

    def _audit(self, operation: str, key: ExecutorKey, *, success: bool = True, **details: Any) -> None:
        self._emit(
            Audit(key.org, operation, success, key.app, {"executorId": key.executor_id, **_without_none(details)})
        )

    def _log(self, level: str, event: str, **fields: Any) -> None:
        self._emit(Log(level, event, fields))

    def _arm(self, kind: Timer, key: Key, due_ns: int) -> None:
        self._timers.arm(kind, key, due_ns)

    def _shift(self, by_ns: int) -> None:
        """Put off every deadline: time has passed that must not count.

        What is left of a grace period is stored: else a crash would take the forgiveness back (LIV-15).
        """
        for table in ("applications", "executors", "connections", "pending", "calls"):
            for key, record in list(getattr(self, table).items()):
                later = {name: at + by_ns for name in record.TIMES if (at := getattr(record, name)) is not None}
                if getattr(record, "recovery", None) is not None and record.recovery.due_ns is not None:
                    later["recovery"] = replace(record.recovery, due_ns=record.recovery.due_ns + by_ns)
                if later and table == "executors":
                    self._save_executor(replace(record, **later))
                elif later:
                    self._put(table, key, replace(record, **later))

    # ---- requests

    def _executor_conn(self, key: ExecutorKey) -> int:
        """Connection number of a HEALTHY executor."""
        conn = self.executors[key].conn
        assert conn is not None, f"{key} is HEALTHY without a connection"
        return conn

    def _request(
        self,
        conn: int,
        type_: str,
        fields: dict[str, Any],
        purpose: Purpose,
        within_ns: int,
        *,
        executor: ExecutorKey | None = None,
        call_id: int | None = None,
        attempt: int = 0,
    ) -> Pending:
        """Send a request frame and wait for its answer until ``within_ns`` from now. Raises EncodeError."""
        self.sent += 1
        request_id = self._request_id()
        data = self._encode(type_, request_id, fields)
        due_ns = self._now_ns + within_ns
        peer = self.connections[conn].executor_id or ""
        # By position: this is the hot path, and names cost.
        pending = Pending(request_id, conn, type_, purpose, due_ns, executor, call_id, peer, attempt)
        self._put("pending", request_id, pending)
        self._on_conn(conn, request_id)
        if purpose is Purpose.CALL:
            self._timers.arm_call(request_id, due_ns)
        else:
            self._arm(Timer.REQUEST, (request_id,), due_ns)
        self._effects.append(Send(conn, type_, request_id, data))
        return pending

    def _request_id(self) -> str:
        return f"{self._prefix}-{self.sent}"

    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        message = {"type": type_, "request_id": request_id, **fields}
        return encode(msgspec.convert(message, CATALOGUE[type_].request))

    def _settle(self, pending: Pending) -> None:
        """Its answer is no longer waited for."""
        request_id, conn = pending.request_id, pending.conn
        self._put("pending", request_id, None)
        if self.late:
            self._put("late", request_id, None)
        self._timers.disarm_call(request_id)
        rows = self.by_conn.get(conn)
        if rows is not None:
            rows.pop(request_id, None)
            if not rows:
                del self.by_conn[conn]

    def _let_lapse(self, pending: Pending) -> None:
        """Its deadline is over, its answer still counts (REC-24)."""
        self._put("pending", pending.request_id, None)
        self._put("late", pending.request_id, pending)

    def _on_conn(self, conn: int, request_id: str) -> None:
        self.by_conn.setdefault(conn, {})[request_id] = None

    def _requests_on(self, conn: int) -> list[Pending]:
        """Outstanding requests of a connection, oldest first."""
        rows = self.by_conn.get(conn)
        if not rows:
            return []
        found = [self.pending[request_id] for request_id in rows if request_id in self.pending]
        return sorted(found, key=lambda pending: (len(pending.request_id), pending.request_id))

    # ---- connections

    def _drop_connection(self, connection: Connection) -> list[Pending]:
        """Forget a connection; returns the requests that it leaves unanswered."""
        conn = connection.conn
        left = self._requests_on(conn)
        for pending in left:
            self._settle(pending)
        for request_id in self.by_conn.get(conn, ()):
            self._put("late", request_id, None)
        self.by_conn.pop(conn, None)
        self._put("connections", conn, None)
        return left

    def _go_on_without_answers(self) -> None:
        """Ask others, once it is clear who else is gone: never somebody whose end comes in the same event (REC-5)."""
        while self._unanswered:
            self._request_lost(self._unanswered.pop(0))

    def _close(self, connection: Connection, code: int, reason: str) -> None:
        """End a connection now. The driver's later `Closed` finds nothing and changes nothing."""
        self._emit(Close(connection.conn, code, reason))
        self._lost(connection, reason)

    def _grace_ns(self, application: AppKey) -> int:
        """g of the application (LIV-9)."""
        return ns(self.applications[application].settings.executor_timeout_s)

    # ---- what the parts above decide

    def _lost(self, connection: Connection, reason: str) -> None:
        """The connection is gone, by whose act ever."""
        raise NotImplementedError

    def _request_lost(self, pending: Pending) -> None:
        """The connection ended before the answer."""
        raise NotImplementedError


def _without_none(details: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in details.items() if value is not None}
