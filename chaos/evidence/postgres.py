"""A fleet on a database of the run's PostgreSQL server, with the ledger on a server that no fault touches."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

import psycopg
from psycopg.rows import dict_row

from chaos.errors import DatabaseGone
from chaos.evidence.store import together
from chaos.postgres import PostgresServer
from evidence.cases import Case, Change, Checkpoint, Execution, Promise

__all__ = ["PostgresStore"]

_WATCHER = "relayproof"
_CHANGES = """
SELECT seq, (extract(epoch FROM at) * 1000000)::bigint AS at_us, kind, workflow, old_status, new_status, old_executor,
       new_executor, attempts, changed, output, error, digest, version, step, xid, xmin_seen
FROM relayproof.status_log ORDER BY seq
"""
_RUNS = """
SELECT workflow, step, attempt, executor, phase, (extract(epoch FROM at) * 1000000)::bigint AS at_us
FROM relayproof.step_runs ORDER BY seq
"""


class PostgresStore:
    """See `chaos.evidence.Store`. ``database`` is the fleet's own on both servers."""

    name = "postgresql"

    def __init__(self, system: PostgresServer, ledger: PostgresServer, database: str) -> None:
        self.database = database
        self._system = system
        self._ledger = ledger
        self._connections: dict[str, psycopg.AsyncConnection[dict[str, Any]]] = {}
        self._lock = asyncio.Lock()

    async def open(self) -> None:
        await self._system.create(self.database)
        await self._ledger.create(self.database)
        await self._ledger.execute(self.database, _sql("step_runs.sql"))

    async def watch(self) -> None:
        await self._system.execute(self.database, _sql("status_log.sql"))

    def system_url(self, port: int | None = None) -> str:
        return self._system.url(self.database, port=port)

    def evidence_url(self) -> str:
        return self._ledger.url(self.database)

    async def begun(self, executor: str) -> Mapping[str, int]:
        rows = await self._ask(
            "ledger", "SELECT workflow, count(*) AS times FROM relayproof.step_runs WHERE executor = %s"
            " AND phase = 'begin' GROUP BY workflow", (executor,),
        )  # fmt: skip
        return {row["workflow"]: row["times"] for row in rows}

    async def reached(self, executor: str, step: str, phase: str) -> int:
        rows = await self._ask(
            "ledger", "SELECT count(*) AS times FROM relayproof.step_runs WHERE executor = %s AND step = %s"
            " AND phase = %s", (executor, step, phase),
        )  # fmt: skip
        return int(rows[0]["times"])

    async def in_hand(self, executor: str) -> int:
        rows = await self._ask(
            "system", "SELECT count(*) AS times FROM dbos.workflow_status"
            " WHERE executor_id = %s AND status = 'PENDING'", (executor,),
        )  # fmt: skip
        return int(rows[0]["times"])

    async def statuses(self) -> Mapping[str, str]:
        rows = await self._ask("system", "SELECT workflow_uuid, status FROM dbos.workflow_status")
        return {row["workflow_uuid"]: row["status"] for row in rows}

    async def counts(self) -> Mapping[str, int]:
        rows = await self._ask("system", "SELECT status, count(*) AS times FROM dbos.workflow_status GROUP BY status")
        return {row["status"]: row["times"] for row in rows}

    async def cases(self, app: str, promised: Mapping[str, Promise]) -> Sequence[Case]:
        changes: dict[str, list[Change]] = defaultdict(list)
        checkpoints: dict[str, list[Checkpoint]] = defaultdict(list)
        for row in await self._ask("system", _CHANGES):
            if row["kind"] in ("checkpoint", "rewrite"):
                point = Checkpoint(
                    row["seq"],
                    row["at_us"],
                    row["step"] or "",
                    row["xid"],
                    row["digest"] or "",
                    row["kind"] == "rewrite",
                )
                checkpoints[row["workflow"]].append(point)
            else:
                changes[row["workflow"]].append(_change(row))
        executions = _executions(await self._ask("ledger", _RUNS))
        return together(app, promised, changes, checkpoints, executions)

    async def close(self) -> None:
        for connection in self._connections.values():
            await connection.close()

    async def _ask(self, server: str, statement: str, values: Sequence[Any] = ()) -> list[dict[str, Any]]:
        """On a connection that is kept; a lost one is made anew once. Raises `DatabaseGone`."""
        async with self._lock:
            for last in (False, True):
                try:
                    connection = await self._connection(server)
                    cursor = await connection.execute(statement.encode(), values or None)
                    return await cursor.fetchall()
                except psycopg.OperationalError as problem:
                    self._connections.pop(server, None)
                    if last:
                        raise DatabaseGone(f"database {self.database} does not answer: {problem}") from problem
        raise AssertionError("the second try returns or raises")

    async def _connection(self, server: str) -> psycopg.AsyncConnection[dict[str, Any]]:
        known = self._connections.get(server)
        if known is not None and not known.closed:
            return known
        at = self._system if server == "system" else self._ledger
        made = await psycopg.AsyncConnection.connect(
            at.url(self.database), autocommit=True, row_factory=dict_row, application_name=_WATCHER, connect_timeout=5
        )
        self._connections[server] = made
        return made


def _checkpoint(row: Mapping[str, Any]) -> Checkpoint:
    again = row["kind"] == "rewrite"
    return Checkpoint(row["seq"], row["at_us"], row["step"] or "", row["xid"], row["digest"] or "", again)


def _change(row: Mapping[str, Any]) -> Change:
    return Change(
        row["seq"], row["at_us"], row["kind"], row["old_status"] or "", row["new_status"] or "",
        row["old_executor"] or "", row["new_executor"] or "", row["attempts"] or 0, bool(row["changed"]), row["output"],
        row["error"], row["version"] or "", row["xid"], row["xmin_seen"],
    )  # fmt: skip


def _executions(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[Execution]]:
    found: dict[str, list[Execution]] = defaultdict(list)
    open_: dict[tuple[str, str, str, int], tuple[str, int]] = {}
    for row in rows:
        key = (row["workflow"], row["executor"], row["step"], row["attempt"])
        own = found[row["workflow"]]
        if row["phase"] == "begin":
            open_[key] = (row["workflow"], len(own))
            own.append(Execution(row["executor"], row["step"], row["attempt"], row["at_us"]))
        elif key in open_:
            _, place = open_.pop(key)
            begun = own[place]
            own[place] = Execution(begun.executor, begun.step, begun.attempt, begun.begin_us, row["at_us"])
    return found


def _sql(name: str) -> str:
    return files("chaos.evidence").joinpath(name).read_text(encoding="utf-8")
