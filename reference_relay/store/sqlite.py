"""The embedded store: one SQLite file in WAL mode.

With synchronous=FULL a commit survives SIGKILL and power loss. The directory is locked while a relay has it. The
database carries an application id and a schema version.
"""

from __future__ import annotations

import fcntl
import os
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from msgspec.structs import replace

from reference_relay.core.records import AppKey, Application, Executor, ExecutorKey, Remembered
from reference_relay.errors import DataInUse, ForeignData, NewerData, StoreError, StoreUnavailable
from reference_relay.store import (
    AuditEntry,
    AuditQuery,
    AuditRow,
    Clock,
    DropMetrics,
    ForgetApplication,
    KeyRecord,
    MarkPatched,
    MetricPoint,
    PolicyRecord,
    RuleRecord,
    SaveKey,
    SavePolicy,
    SaveRecord,
    SaveRule,
    Stored,
    Write,
)

SCHEMA_VERSION = 2
_SCRIPTS = ("schema.sql", "schema_2.sql")  # each takes a file to the next version
APPLICATION_ID = 0x52504C59  # "RPLY"
_DECODERS: dict[type[Any], msgspec.json.Decoder[Any]] = {
    t: msgspec.json.Decoder(t) for t in (Application, Executor, Remembered, KeyRecord, RuleRecord, PolicyRecord)
}
_encode = msgspec.json.Encoder().encode
_KEYS: dict[str, tuple[str, ...]] = {
    "applications": AppKey._fields,
    "executors": ExecutorKey._fields,
    "remembered": ExecutorKey._fields,
}
# Not REPLACE: it would lose the application's `patched` column.
_UPSERTS = {
    table: f"INSERT INTO {table} ({', '.join(key)}, record) VALUES ({'?, ' * len(key)}?) "
    f"ON CONFLICT ({', '.join(key)}) DO UPDATE SET record = excluded.record"
    for table, key in _KEYS.items()
}
_DELETES = {
    table: f"DELETE FROM {table} WHERE {' AND '.join(f'{column} = ?' for column in key)}"
    for table, key in _KEYS.items()
}
_AUDIT_COLUMNS = AuditEntry.__struct_fields__
_INSERT_AUDIT = f"INSERT INTO audit ({', '.join(_AUDIT_COLUMNS)}) VALUES ({', '.join('?' * len(_AUDIT_COLUMNS))})"

T = TypeVar("T")


class SqliteStore:
    """The `Store` Protocol on ``<directory>/relay.sqlite``. Its start raises a `StoreError` that names the way out."""

    def __init__(self, directory: Path) -> None:
        try:
            directory.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise StoreError(
                f"can't create the data directory {directory}: {error.strerror}; choose another"
            ) from error
        self._path = directory / "relay.sqlite"
        self._lock_file = _lock(directory)
        self._reading = threading.Lock()
        try:
            self._writer = self._connect()
            with self._undamaged():
                self._prepare()
            self._reader = self._connect()
        except BaseException:
            os.close(self._lock_file)
            raise

    def load(self) -> Stored:
        with self._reads() as db:
            return Stored(
                applications=_records(db, "applications", Application),
                executors=_records(db, "executors", Executor),
                remembered=_records(db, "remembered", Remembered),
                clock_ns=next((row[0] for row in db.execute("SELECT now_ns FROM clock")), 0),
            )

    def keys(self) -> list[KeyRecord]:
        with self._reads() as db:
            return list(_records(db, "keys", KeyRecord))

    def rules(self) -> list[RuleRecord]:
        with self._reads() as db:
            return list(_records(db, "rules", RuleRecord))

    def policies(self) -> list[PolicyRecord]:
        with self._reads() as db:
            return list(_records(db, "policies", PolicyRecord))

    def metrics(self, application: AppKey, start_ms: int, end_ms: int) -> list[MetricPoint]:
        sql = (
            "SELECT type, name, granularity_s, bucket_ms, value FROM metrics "
            "WHERE org = ? AND app = ? AND bucket_ms >= ? AND bucket_ms < ? ORDER BY bucket_ms, type, name"
        )
        with self._reads() as db:
            rows = db.execute(sql, (*application, start_ms, end_ms)).fetchall()
        return [
            MetricPoint(application=application, type=t, name=n, granularity_s=g, bucket_ms=b, value=v)
            for t, n, g, b, v in rows
        ]

    def patched(self) -> dict[AppKey, frozenset[str]]:
        with self._reads() as db:
            rows = db.execute("SELECT org, app, patched FROM applications WHERE patched != '[]'").fetchall()
        return {AppKey(org, app): frozenset(msgspec.json.decode(fields)) for org, app, fields in rows}

    def commit(self, writes: Sequence[Write]) -> None:
        db = self._writer
        try:
            db.execute("BEGIN IMMEDIATE")
            clock: Clock | None = None  # of a group only the newest counts
            for write in writes:
                if type(write) is Clock:
                    clock = write
                else:
                    self._apply(db, write)
            if clock is not None:
                db.execute("INSERT OR REPLACE INTO clock VALUES (1, ?)", (clock.now_ns,))
            db.execute("COMMIT")
        except sqlite3.OperationalError as error:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise StoreUnavailable(f"{self._path}: {error}") from error
        except BaseException:
            if db.in_transaction:
                db.execute("ROLLBACK")
            raise

    def audit(self, org: str, query: AuditQuery) -> list[AuditRow]:
        conditions, values = _conditions(org, query)
        sql = (
            f"SELECT seq, {', '.join(_AUDIT_COLUMNS)} FROM audit WHERE {' AND '.join(conditions)} "
            "ORDER BY emit_ms DESC, seq DESC LIMIT ? OFFSET ?"
        )
        with self._reads() as db:
            rows = db.execute(sql, (*values, query.limit, query.offset)).fetchall()
        return [_audit_row(row) for row in rows]

    def close(self) -> None:
        with self._reading:
            self._reader.close()
        self._writer.close()
        os.close(self._lock_file)

    def _connect(self) -> sqlite3.Connection:
        try:
            db = sqlite3.connect(self._path, isolation_level=None, check_same_thread=False, timeout=1.0)
        except sqlite3.Error as error:
            raise StoreError(f"can't open {self._path}: {error}; start with another --data") from error
        try:
            db.execute("PRAGMA journal_mode=WAL")
            db.execute("PRAGMA synchronous=FULL")
        except sqlite3.DatabaseError as error:
            db.close()
            raise ForeignData(
                f"{self._path} is no database of this relay ({error}); start with another --data"
            ) from error
        return db

    def _prepare(self) -> None:
        """Check whose file it is; bring its schema up to date, whole or not at all."""
        db = self._writer
        (version,) = db.execute("PRAGMA user_version").fetchone()
        (application_id,) = db.execute("PRAGMA application_id").fetchone()
        (tables,) = db.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if not tables and not version:
            self._upgrade(0)
        elif application_id != APPLICATION_ID:
            raise ForeignData(f"{self._path} was written by another program; start with another --data")
        elif version > SCHEMA_VERSION:
            raise NewerData(
                f"{self._path} has schema {version}, this release knows up to {SCHEMA_VERSION}: "
                "start a newer release, or another --data"
            )
        elif version < SCHEMA_VERSION:
            self._upgrade(version)

    def _upgrade(self, version: int) -> None:
        folder = files("reference_relay.store")
        scripts = " ".join(folder.joinpath(name).read_text(encoding="utf-8") for name in _SCRIPTS[version:])
        mark = f"PRAGMA application_id={APPLICATION_ID}; PRAGMA user_version={SCHEMA_VERSION};"
        self._writer.executescript(f"BEGIN IMMEDIATE; {scripts} {mark} COMMIT;")

    @contextmanager
    def _reads(self) -> Iterator[sqlite3.Connection]:
        with self._reading, self._undamaged():
            try:
                yield self._reader
            except sqlite3.OperationalError as error:
                raise StoreUnavailable(f"{self._path}: {error}") from error

    @contextmanager
    def _undamaged(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError:
            raise
        except sqlite3.DatabaseError as error:
            raise ForeignData(
                f"{self._path} is damaged ({error}): put a copy of it in its place, or start with another --data"
            ) from error

    def _apply(self, db: sqlite3.Connection, write: Write) -> None:
        match write:
            case SaveRecord(table, key, None):
                db.execute(_DELETES[table], key)
            case SaveRecord(table, key, record):
                db.execute(_UPSERTS[table], (*key, _json(record)))
            case MarkPatched(application, fields):
                self._mark_patched(db, application, fields)
            case SaveKey(org, name, None):
                db.execute("DELETE FROM keys WHERE org = ? AND name = ?", (org, name))
            case SaveKey(org, name, record):
                db.execute("INSERT OR REPLACE INTO keys VALUES (?, ?, ?)", (org, name, _encode(record).decode()))
            case SaveRule(application, rule_id, None):
                db.execute("DELETE FROM rules WHERE org = ? AND app = ? AND id = ?", (*application, rule_id))
            case SaveRule(application, rule_id, rule):
                row = (*application, rule_id, _encode(rule).decode())
                db.execute("INSERT OR REPLACE INTO rules VALUES (?, ?, ?, ?)", row)
            case SavePolicy(application, None):
                db.execute("DELETE FROM policies WHERE org = ? AND app = ?", application)
            case SavePolicy(application, policy):
                json = _encode(policy).decode()
                db.execute("INSERT OR REPLACE INTO policies VALUES (?, ?, ?)", (*application, json))
            case MetricPoint():
                point = (write.bucket_ms, write.type, write.name, write.granularity_s, write.value)
                db.execute("INSERT OR REPLACE INTO metrics VALUES (?, ?, ?, ?, ?, ?, ?)", (*write.application, *point))
            case DropMetrics(before_ms):
                db.execute("DELETE FROM metrics WHERE bucket_ms < ?", (before_ms,))
            case ForgetApplication(application):
                for table in ("rules", "policies", "metrics"):
                    db.execute(f"DELETE FROM {table} WHERE org = ? AND app = ?", application)
            case AuditEntry():
                entry = msgspec.structs.astuple(write)
                details = None if write.details is None else _encode(write.details).decode()
                db.execute(_INSERT_AUDIT, (*entry[:-1], details))

    def _mark_patched(self, db: sqlite3.Connection, application: AppKey, fields: tuple[str, ...]) -> None:
        found = db.execute("SELECT patched FROM applications WHERE org = ? AND app = ?", application).fetchone()
        if found is not None:
            merged = sorted({*msgspec.json.decode(found[0]), *fields})
            values = (_encode(merged).decode(), *application)
            db.execute("UPDATE applications SET patched = ? WHERE org = ? AND app = ?", values)


def _lock(directory: Path) -> int:
    """Hold an advisory lock, which the kernel drops when the process ends, however it ends."""
    path = directory / "relay.lock"
    try:
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as error:
        raise StoreError(f"can't open {path}: {error.strerror}; remove it, or start with another --data") from error
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        owner = os.read(handle, 20).decode(errors="replace").strip() or "unknown"
        os.close(handle)
        raise DataInUse(
            f"the data directory {directory} is in use by another relay (process {owner}): "
            "stop it, or start this one with another --data"
        ) from error
    os.ftruncate(handle, 0)
    os.pwrite(handle, f"{os.getpid()}\n".encode(), 0)
    return handle


def _json(record: Application | Executor | Remembered | None) -> str:
    """As JSON, without metadata that nests as deep as the decoder could follow: the record around it is too much."""
    try:
        return _encode(record).decode()
    except RecursionError:
        assert isinstance(record, Executor), "only executors carry free-form values"
        return _encode(replace(record, info=replace(record.info, metadata=None))).decode()


def _records(db: sqlite3.Connection, table: str, kind: type[T]) -> tuple[T, ...]:
    decode = _DECODERS[kind].decode
    try:
        return tuple(decode(row[0]) for row in db.execute(f"SELECT record FROM {table}"))
    except msgspec.MsgspecError as error:
        raise ForeignData(f"the store's table {table} is damaged ({error}); start with another --data") from error


def _conditions(org: str, query: AuditQuery) -> tuple[list[str], list[Any]]:
    given: list[tuple[str, Any]] = [
        ("emit_ms >= ?", query.start_ms),
        ("emit_ms < ?", query.end_ms),
        ("operation = ?", query.operation),
        ("? IN (subject_id, subject_display)", query.subject),
        ("target_id = ?", query.target),
        ("application = ?", query.application),
    ]
    used = [(condition, value) for condition, value in given if value is not None]
    return ["org = ?", *(condition for condition, _ in used)], [org, *(value for _, value in used)]


def _audit_row(row: tuple[Any, ...]) -> AuditRow:
    fields = dict(zip(_AUDIT_COLUMNS, row[1:], strict=True))
    fields["success"] = bool(fields["success"])
    if fields["details"] is not None:
        fields["details"] = msgspec.json.decode(fields["details"])
    return AuditRow(row[0], AuditEntry(**fields))
