"""Liveness: pings, silence, the grace period, and what a lost connection means (LIV-1 to LIV-19)."""

from __future__ import annotations

from msgspec.structs import replace

from reference_relay.core.calls import Calling
from reference_relay.core.effects import SendPing
from reference_relay.core.records import Connection, Executor, ExecutorKey, Pending, Phase, Purpose, Recovery, Status
from reference_relay.core.timers import Timer


class Living(Calling):
    """HEALTHY, DISCONNECTED, DEAD. Every frame counts as life: a Go executor answers no ping while a handler runs."""

    # ---- signs of life

    def _alive(self, connection: Connection) -> Connection:
        alive = replace(connection, last_frame_ns=self._now_ns)
        self._put("connections", connection.conn, alive)
        return alive

    def _ping_due(self, conn: int) -> None:
        connection = self.connections.get(conn)
        if connection is None:
            return
        if connection.next_ping_ns <= self._now_ns:
            self._emit(SendPing(conn, conn.to_bytes(8, "big")))
            # From the time it was due, so that pings do not drift; missed ones are not made up for.
            missed = (self._now_ns - connection.next_ping_ns) // self._interval_ns
            connection = replace(connection, next_ping_ns=connection.next_ping_ns + (missed + 1) * self._interval_ns)
            self._put("connections", conn, connection)
        self._arm(Timer.PING, (conn,), connection.next_ping_ns)

    def _silence_due(self, conn: int) -> None:
        """LIV-3: silent since the last frame for w."""
        connection = self.connections.get(conn)
        if connection is None:
            return
        due_ns = self._silent_at_ns(connection)
        if due_ns > self._now_ns:
            self._arm(Timer.SILENCE, (conn,), due_ns)
        else:
            self._close(connection, 1011, "silent for longer than the ping wait")

    def _silent_at_ns(self, connection: Connection) -> int:
        return connection.last_frame_ns + self._wait_ns

    # ---- losing a connection

    def _lost(self, connection: Connection, reason: str) -> None:
        self._unanswered += self._drop_connection(connection)
        if connection.executor_id is not None:
            executor = self.executors.get(ExecutorKey(*connection.application, connection.executor_id))
            if executor is not None and self._was_its_last(executor, connection):
                self._disconnected(executor, reason)

    def _was_its_last(self, executor: Executor, connection: Connection) -> bool:
        """A stale close, of a socket that was superseded, demotes nobody (LIV-11)."""
        return executor.status is Status.HEALTHY and executor.conn == connection.conn

    def _disconnected(self, executor: Executor, reason: str) -> None:
        """A fresh, whole grace period for each disconnection (LIV-8)."""
        gone = replace(
            executor,
            status=Status.DISCONNECTED,
            conn=None,
            updated_ms=self._now_ms,
            disconnected_ns=self._now_ns,
            dead_at_ns=self._dead_at_ns(executor),
        )
        self._save_executor(gone)
        self._arm_grace(gone)
        key = executor.key
        self._log("info", "executor disconnected", org=key.org, app=key.app, executor=key.executor_id, reason=reason)

    def _dead_at_ns(self, executor: Executor) -> int:
        return self._now_ns + self._grace_ns(executor.key.application)

    def _arm_grace(self, executor: Executor) -> None:
        assert executor.dead_at_ns is not None
        self._arm(Timer.GRACE, executor.key, executor.dead_at_ns)

    def _request_lost(self, pending: Pending) -> None:
        if pending.purpose is Purpose.CALL:
            self._call_failed(pending, "the executor disconnected before it answered")
        elif pending.purpose is Purpose.RECOVERY:
            self._dispatch_failed(pending, "peer lost")
        elif pending.purpose is Purpose.VERIFY:
            self._verification_failed(pending, peer_lost=True)

    # ---- the end of the grace period

    def _grace_due(self, key: ExecutorKey) -> None:
        executor = self.executors.get(key)
        if executor is None or executor.status is not Status.DISCONNECTED or executor.dead_at_ns is None:
            return
        if executor.dead_at_ns > self._now_ns:
            self._arm_grace(executor)
            return
        dead = replace(
            executor,
            status=Status.DEAD,
            updated_ms=self._now_ms,
            disconnected_ns=None,
            dead_at_ns=None,
            recovery=Recovery(Phase.WAITING),
        )
        self._save_executor(dead)
        self._log("info", "executor dead", org=key.org, app=key.app, executor=key.executor_id)
        self._seek_peer(key)
