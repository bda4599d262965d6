"""The audit log: each dispatch before its frame, each end, each deletion, in time (AUD)."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from conductor.timing import Timing
from reference_relay.core.effects import Effect, Send
from reference_relay.core.records import Application, Executor
from reference_relay.store import AuditEntry, SaveRecord, Write
from simulator.clock import Clock
from simulator.models.client import decoded
from simulator.models.relay import FleetRelay
from simulator.search.monitor.allowances import Allowances
from simulator.search.monitor.base import Asked, Conn

Entry = tuple[str, str, str]  # "dispatch", "end" or "delete"; the dead executor; its peer


class Audits(Allowances):
    """Counts entries as they become durable, and compares with what they must be of."""

    def __init__(self, clock: Clock, timing: Timing, *, stop: bool) -> None:
        super().__init__(clock, timing, stop=stop)
        self.relay: FleetRelay | None = None
        self.registered: Callable[[str], None] = lambda executor_id: None  # the relay has it on record, durably
        self.entries: dict[Entry, int] = {}
        self.dispatched: dict[Entry, int] = {}
        self.ends: dict[Entry, int] = {}
        self.owed: list[tuple[int, str, Entry, int]] = []  # by when, clause, which entry, how many of it by then

    def does(self, effect: Effect) -> None:
        if isinstance(effect, Send) and effect.type == "recovery":
            conn = self.conns.get(effect.conn)
            ids = decoded(effect.data).get("executor_ids")
            if conn is None or conn.key is None or not isinstance(ids, list) or not ids:
                return
            entry = ("dispatch", str(ids[0]), conn.key.executor_id)
            self.dispatched[entry] = self.dispatched.get(entry, 0) + 1
            if self.entries.get(entry, 0) < self.dispatched[entry]:
                self.broken("AUD-5", "the entry is durable before the frame leaves", "it is not")

    def wrote(self, writes: Sequence[Write]) -> None:
        for write in writes:
            if isinstance(write, SaveRecord) and isinstance(write.record, Executor):
                self.registered(write.record.key.executor_id)
            if isinstance(write, SaveRecord) and isinstance(write.record, Application):
                self.unsaved.pop(write.record.key, None)
            if isinstance(write, AuditEntry):
                details = write.details or {}
                name = {"executor.dispatch_recovery": "dispatch", "executor.recover": "end",
                        "executor.delete": "delete"}.get(write.operation)  # fmt: skip
                if write.operation == "executor.wait_for_peer":
                    self.surfaced_ids.add(str(details.get("executorId")))
                if name is not None:
                    peer = str(details.get("peerExecutorId")) if name != "delete" else ""
                    key = (name, str(details.get("executorId")), peer)
                    self.entries[key] = self.entries.get(key, 0) + 1

    def owe(self, clause: str, key: tuple[str, str, str]) -> None:
        self.ends[key] = self.ends.get(key, 0) + 1
        self.owed.append((self.worked + 2 * self.slack, clause, key, self.ends[key]))

    def ask_ended(self, conn: Conn, asked: Asked) -> None:
        if asked.about is not None and conn.key is not None and self.worked < asked.due_ns:
            self.owe("AUD-1", ("end", asked.about.executor_id, conn.key.executor_id))

    def look_at_audit(self) -> None:
        worked = self.worked
        if self.relay is None or not self.relay.up or self.now <= self.slow_until_ns:
            return
        still = []
        for due_ns, clause, key, count in self.owed:
            if due_ns > worked or self._writing():
                still.append((due_ns, clause, key, count))
            elif self.entries.get(key, 0) < count:
                self.broken(clause, "the audit log says so", f"no entry of {key[0]} {key[1]} {key[2]}".rstrip())
        self.owed = still

    def _writing(self) -> bool:
        return self.relay is not None and self.relay._writer.busy
