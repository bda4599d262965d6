"""A fleet on one SQLite file, with the ledger in a file of its own (Python alone; see `chaos.records`)."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path

from chaos.evidence.store import together
from chaos.records import Ledger, StatusLog
from evidence.cases import Case, Change, Checkpoint, Execution, Promise

__all__ = ["SqliteStore"]


class SqliteStore:
    """See `chaos.evidence.Store`. Faults that stop a process, or break a server, can't be had on it."""

    name = "sqlite"

    def __init__(self, folder: Path) -> None:
        self._system = folder / "system.sqlite"
        self.ledger = Ledger(folder / "ledger.sqlite")
        self.log: StatusLog | None = None
        self.database = str(self._system)

    async def open(self) -> None:
        """Its files are made by whoever opens them first."""

    async def watch(self) -> None:
        self.log = await asyncio.to_thread(StatusLog, self._system)

    def system_url(self, port: int | None = None) -> str:
        assert port is None, "a file has no port"
        return f"sqlite:///{self._system}"

    def evidence_url(self) -> str:
        return str(self.ledger.path)

    async def begun(self, executor: str) -> Mapping[str, int]:
        return self.ledger.begun(executor)

    async def reached(self, executor: str, step: str, phase: str) -> int:
        return self.ledger.reached(executor, step, phase)

    async def in_hand(self, executor: str) -> int:
        assert self.log is not None, "watch first"
        return await asyncio.to_thread(self.log.in_hand, executor)

    async def statuses(self) -> Mapping[str, str]:
        assert self.log is not None, "watch first"
        return await asyncio.to_thread(self.log.statuses)

    async def counts(self) -> Mapping[str, int]:
        return Counter((await self.statuses()).values())

    async def cases(self, app: str, promised: Mapping[str, Promise]) -> Sequence[Case]:
        assert self.log is not None, "watch first"
        changes: dict[str, list[Change]] = defaultdict(list)
        checkpoints: dict[str, list[Checkpoint]] = defaultdict(list)
        executions: dict[str, list[Execution]] = defaultdict(list)
        for row in await asyncio.to_thread(self.log.rows):
            seq, at_us = row["seq"], row["wall_ms"] * 1000
            if row["kind"] == "checkpoint":
                checkpoints[row["workflow"]].append(Checkpoint(seq, at_us, row["step"]))
                continue
            changes[row["workflow"]].append(
                Change(
                    seq, at_us, row["kind"], row.get("old_status", ""), row.get("new_status", ""),
                    row.get("old_executor", ""), row.get("new_executor", ""), row.get("attempts", 0),
                    bool(row.get("outcome_changed")), row.get("output"), row.get("error"),
                )
            )  # fmt: skip
        runs: Counter[tuple[str, str, str]] = Counter()
        offset_ns = self.ledger.wall_offset_ns
        for row in self.ledger.executions():
            key = (row["executor"], row["workflow"], row["step"])
            runs[key] += 1
            end_us = (row["end_ns"] + offset_ns) // 1000 if "end_ns" in row else None
            executions[row["workflow"]].append(
                Execution(row["executor"], row["step"], runs[key], (row["begin_ns"] + offset_ns) // 1000, end_us)
            )
        return together(app, promised, changes, checkpoints, executions)

    async def close(self) -> None:
        self.ledger.close()
        if self.log is not None:
            self.log.close()
