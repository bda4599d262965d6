"""From the upgrade to a HEALTHY executor (HSK-1 to HSK-9, LIV-12, LIV-13, LIV-18, LIV-19)."""

from __future__ import annotations

from typing import Any

from msgspec.structs import replace

from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from conductor.messages import ExecutorInfoResponse
from reference_relay.core.config import ns
from reference_relay.core.events import Opened
from reference_relay.core.liveness import Living
from reference_relay.core.records import Connection, Executor, ExecutorInfo, ExecutorKey, Purpose, Status
from reference_relay.core.state import group_of
from reference_relay.core.timers import Timer

LONGEST_ID = 1024  # characters; ids are UUIDs
DEEPEST_METADATA = 32  # levels; what is deeper than an encoder can follow would make the whole record unreadable


class Shaking(Living):
    """Asks executor_info first, and registers only who answers it well."""

    def _opened(self, event: Opened) -> None:
        if event.application not in self.applications:
            # The application was deleted between the gate's look-up and now.
            self._close(
                Connection(event.conn, event.application, self._now_ns, self._now_ns), 1008, "no such application"
            )
            return
        connection = Connection(
            conn=event.conn,
            application=event.application,
            last_frame_ns=self._now_ns,
            next_ping_ns=self._now_ns + self._interval_ns,
            handshake_by_ns=self._now_ns + self._handshake_ns,
        )
        self._put("connections", event.conn, connection)
        self._arm(Timer.PING, (event.conn,), connection.next_ping_ns)
        self._arm(Timer.SILENCE, (event.conn,), self._silent_at_ns(connection))
        self._arm(Timer.HANDSHAKE, (event.conn,), self._now_ns + self._handshake_ns)
        self._request(event.conn, "executor_info", {}, Purpose.HANDSHAKE, self._handshake_ns)

    def _handshake_due(self, conn: int) -> None:
        """HSK-9: not at once after a bad answer, since a Go SDK redials without delay."""
        connection = self.connections.get(conn)
        if connection is None or connection.handshake_by_ns is None:
            return
        if connection.handshake_by_ns > self._now_ns:
            self._arm(Timer.HANDSHAKE, (conn,), connection.handshake_by_ns)
        else:
            self._close(connection, 1008, "executor_info was not answered")

    def _handshake_answered(self, connection: Connection, data: bytes) -> None:
        info = self._usable(data)
        if info is not None:
            self._register(connection, info)

    def _usable(self, data: bytes) -> ExecutorInfo | None:
        """What the executor says of itself, or None where it must not be registered (HSK-4)."""
        try:
            answer = decode_response_as(data, ExecutorInfoResponse)
        except DecodeError as error:
            self._log("warning", "executor_info is unusable", error=str(error))
            return None
        executor_id = answer.executor_id
        if answer.error_message or not isinstance(executor_id, str) or not 0 < len(executor_id) <= LONGEST_ID:
            self._log("warning", "executor_info is unusable", error="no executor_id, or error_message set")
            return None
        return ExecutorInfo(
            executor_id=executor_id,
            application_version=_text(answer.application_version) or "",
            hostname=_text(answer.hostname),
            language=_text(answer.language),
            dbos_version=_text(answer.dbos_version),
            metadata=_shallow(answer.executor_metadata),
        )

    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        """HEALTHY at once, whatever it was before; the newest connection wins."""
        key = ExecutorKey(*connection.application, info.executor_id)
        before = self.executors.get(key)
        self._put(
            "connections",
            connection.conn,
            replace(connection, executor_id=info.executor_id, handshake_by_ns=None),
        )
        if before is not None and before.recovery is not None:
            self._call_off_recovery(before)
        executor = Executor(
            key=key,
            info=info,
            status=Status.HEALTHY,
            conn=connection.conn,
            created_ms=before.created_ms if before else self._now_ms,
            updated_ms=self._now_ms,
        )
        self._joined(executor)
        self._save_executor(executor)
        if before is not None and before.conn is not None and before.conn != connection.conn:
            self._supersede(before.conn)
        self._seek_soon(connection.application, ns(self.config.timing.backoff_first_s))

    def _supersede(self, conn: int) -> None:
        """LIV-18: the older socket goes, without waiting for its closing handshake."""
        older = self.connections.get(conn)
        if older is not None:
            self._close(older, 1008, "superseded by a newer connection of the same executor")

    def _call_off_recovery(self, dead: Executor) -> None:
        """It is back: a frame that is out cannot be taken back, but its answer deletes nothing (LIV-13)."""
        assert dead.recovery is not None
        if dead.recovery.request_id is not None:
            self._make_moot(dead.recovery.request_id)
        self._forget_late(dead.recovery.late)

    def _joined(self, executor: Executor) -> None:
        """What the application learns from it: its language, and perhaps a new latest version."""
        application = self.applications[executor.key.application]
        known = group_of(executor) in self.peers
        latest_version = application.latest_version if known else None
        language = executor.info.language
        if (application.language, application.latest_version) != (language, latest_version):
            changed = replace(application, language=language, latest_version=latest_version)
            if application.language not in (None, language):
                self._warn_of_languages(executor, application.language)
            self._put("applications", application.key, changed)

    def _warn_of_languages(self, executor: Executor, other: str | None) -> None:
        """REC-23: one language's rows, dequeued by another's executor, end in ERROR or are stranded."""
        app, version = executor.key.application, executor.info.application_version
        if group_of(executor)._replace(language=other) in self.peers:
            self._log(
                "warning",
                "two languages share an application and a version",
                org=app.org,
                app=app.app,
                version=version,
                languages=sorted(str(language) for language in (other, executor.info.language)),
            )


def _shallow(metadata: object) -> dict[str, Any] | None:
    """The metadata object, or None where there is none that can be kept."""
    if not isinstance(metadata, dict):
        return None
    level: list[object] = [metadata]
    for _ in range(DEEPEST_METADATA):
        inner = [part for value in level for part in _parts(value)]
        if not inner:
            return metadata
        level = inner
    return None


def _parts(value: object) -> list[object]:
    """The containers directly inside a container."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [item for item in items if isinstance(item, dict | list)]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None
