"""The tables of the core, as persistent maps: a snapshot costs nothing, a change costs one path.

What follows from the tables and is looked at only through them is a plain dictionary, made anew where a snapshot is
put back: `by_conn` here, the deadlines in `reference_relay.core.timers`.

Maps are never iterated for a decision (their order depends on the process's hash seed); whatever
needs an order keeps sorted `Ids` beside them.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeVar

import msgspec
from immutables import Map

from reference_relay.core.digest import Sums, relative_form
from reference_relay.core.ids import NO_IDS, Ids
from reference_relay.core.records import (
    AppKey,
    Application,
    CallState,
    Connection,
    Executor,
    ExecutorKey,
    Pending,
    Remembered,
    Status,
)

INDEXES = ("members", "ready", "dead", "remembered_ids", "peers")
TABLES = ("applications", "executors", "connections", "pending", "calls", "late", "remembered")


K = TypeVar("K")


class Group(NamedTuple):
    org: str
    app: str
    version: str
    language: str | None


class State(msgspec.Struct, frozen=True):
    """An immutable snapshot. Assign it to `Core.state` to go back to it."""

    tables: tuple[Map[Any, Any], ...]  # in the order of TABLES
    indexes: tuple[Map[Any, Any], ...]  # in the order of INDEXES
    sent: int
    sums: Sums | None


def group_of(executor: Executor) -> Group:
    """Executors that may take over one another's work: same application, version and language (REC-23)."""
    return Group(*executor.key.application, executor.info.application_version, executor.info.language)


def _with(index: Map[K, Ids], key: K, executor_id: str) -> Map[K, Ids]:
    return index.set(key, index.get(key, NO_IDS).with_id(executor_id))


def _without(index: Map[K, Ids], key: K, executor_id: str) -> Map[K, Ids]:
    left = index.get(key, NO_IDS).without(executor_id)
    if left:
        return index.set(key, left)
    return index.delete(key) if key in index else index


class Tables:
    """The state of the core and the only ways to change it."""

    def __init__(self) -> None:
        self.applications: Map[AppKey, Application] = Map()
        self.executors: Map[ExecutorKey, Executor] = Map()
        self.connections: Map[int, Connection] = Map()
        self.pending: Map[str, Pending] = Map()
        self.calls: Map[int, CallState] = Map()
        self.late: Map[str, Pending] = Map()  # recovery requests past their deadline (REC-24)
        self.remembered: Map[ExecutorKey, Remembered] = Map()
        self.members: Map[AppKey, Ids] = Map()  # all executor ids, sorted
        self.ready: Map[AppKey, Ids] = Map()  # executor ids that may be asked, sorted
        self.dead: Map[AppKey, Ids] = Map()  # executor ids that are DEAD, sorted
        self.by_conn: dict[int, dict[str, None]] = {}  # request ids, outstanding or late, of each connection
        self.remembered_ids: Map[AppKey, Ids] = Map()
        self.peers: Map[Group, Ids] = Map()  # HEALTHY executor ids by version and language, sorted
        self.sent = 0  # requests sent so far: makes their ids
        self._sums: Sums | None = None  # None until a digest is first asked for
        self._before: dict[tuple[str, Any], Any] = {}  # records as they stand in _sums, where changed since

    # ---- writing

    def _put(self, table: str, key: Any, record: Any) -> None:
        """Set (or, with None, remove) one record of one table."""
        rows: Map[Any, Any] = getattr(self, table)
        if self._sums is not None:
            self._before.setdefault((table, key), rows.get(key))
        if record is not None:
            setattr(self, table, rows.set(key, record))
        elif key in rows:
            setattr(self, table, rows.delete(key))

    def _index_remembered(self, key: ExecutorKey, *, present: bool) -> None:
        change = _with if present else _without
        self.remembered_ids = change(self.remembered_ids, key.application, key.executor_id)

    def _put_executor(self, key: ExecutorKey, record: Executor | None) -> None:
        """Set or remove an executor and keep the sorted ids true."""
        before = self.executors.get(key)
        was = before.status if before else None
        is_now = record.status if record else None
        self._put("executors", key, record)
        if before is not None and record is not None and was is is_now and before.info is record.info:
            return
        app, executor_id = key.application, key.executor_id
        if before is None and record is not None:
            self.members = _with(self.members, app, executor_id)
        elif record is None and before is not None:
            self.members = _without(self.members, app, executor_id)
        if was == is_now and (before is None or record is None or group_of(before) == group_of(record)):
            return
        if before and was is Status.HEALTHY:
            self.ready = _without(self.ready, app, executor_id)
            self.peers = _without(self.peers, group_of(before), executor_id)
        elif was is Status.DEAD:
            self.dead = _without(self.dead, app, executor_id)
        if record and is_now is Status.HEALTHY:
            self.ready = _with(self.ready, app, executor_id)
            self.peers = _with(self.peers, group_of(record), executor_id)
        elif is_now is Status.DEAD:
            self.dead = _with(self.dead, app, executor_id)

    # ---- snapshots

    @property
    def state(self) -> State:
        self._fold()
        tables = tuple(getattr(self, table) for table in TABLES)
        indexes = tuple(getattr(self, index) for index in INDEXES)
        return State(tables, indexes, self.sent, self._sums)

    @state.setter
    def state(self, state: State) -> None:
        for table, rows in zip(TABLES, state.tables, strict=True):
            setattr(self, table, rows)
        for index, rows in zip(INDEXES, state.indexes, strict=True):
            setattr(self, index, rows)
        self.sent, self._sums = state.sent, state.sums
        self._before.clear()
        self._restored()

    def digest(self, now_ns: int) -> str:
        """Equal for two states that behave alike from now on, whenever now is. Costs what changed."""
        if self._sums is None:
            sums = Sums()
            for table in TABLES:
                for record in getattr(self, table).values():
                    sums = sums.add(table, record)
            self._sums = sums
        self._fold()
        return self._sums.relative_to(now_ns)

    def normal_form(self, now_ns: int) -> tuple[tuple[object, ...], ...]:
        """All records with their times relative to now, sorted: for people and for tests of `digest`."""
        forms = [relative_form(t, record, now_ns) for t in TABLES for record in getattr(self, t).values()]
        return tuple(sorted(forms, key=repr))

    def _restored(self) -> None:
        """A snapshot was put back: make anew what is no part of it."""
        self.by_conn = {}
        for pending in (*self.pending.values(), *self.late.values()):
            self.by_conn.setdefault(pending.conn, {})[pending.request_id] = None

    def _fold(self) -> None:
        sums = self._sums
        if sums is None or not self._before:
            return
        for (table, key), before in self._before.items():
            after = getattr(self, table).get(key)
            if after is before:
                continue
            if before is not None:
                sums = sums.remove(table, before)
            if after is not None:
                sums = sums.add(table, after)
        self._sums = sums
        self._before.clear()
