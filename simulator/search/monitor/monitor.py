"""The monitor: what the driver of the core shows it (`simulator.models.relay.Watch`), and the checks in order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from conductor.sendable import violations as form_violations
from conductor.timing import Timing
from reference_relay.core import events
from reference_relay.core.core import Core
from reference_relay.core.effects import Audit, Close, Effect, Save, Send, SendPing
from reference_relay.core.records import AppKey, Executor, ExecutorKey, Status
from simulator.clock import Clock, ns
from simulator.models.client import Client, decoded
from simulator.models.relay import FleetRelay
from simulator.search.monitor.answers import Answers
from simulator.search.monitor.base import Asked, Conn

LOOK_NS = 20_000_000_000
_HEARTBEATS = (events.Pong, events.Ping, events.Progress, events.Tick)


class Monitor(Answers):
    """One run's. ``stop``: the first violation ends the run (raises `Broken`)."""

    def __init__(self, clock: Clock, timing: Timing, *, stop: bool = True) -> None:
        super().__init__(clock, timing, stop=stop)
        self.arrived: Callable[[bytes], None] = lambda data: None
        self.listed: Callable[[dict[ExecutorKey, Executor]], None] | None = None  # for the history
        self.recoveries = 0
        self._records: object = None
        self._before: dict[ExecutorKey, Executor] = {}
        self._changed_ns: dict[ExecutorKey, int] = {}
        self._killed_ns = self._killed_at_ns = 0
        self._left_ns: dict[ExecutorKey, int] = {}  # of the grace periods at the crash, as the relay had them
        clock.call(LOOK_NS, self._look_again)

    # ---- simulator.models.relay.Watch: the process

    def started(self, relay: FleetRelay) -> None:
        self.relay = relay
        self.trace.append((self.now, "started"))
        self._records = None
        after = self._list_of(relay.core)
        for key, record in self._before.items():
            self._kept(key, record, after.get(key))
        self.shown = {}
        self.deaths.clear()
        for key, record in after.items():
            if key in self.known or key in self.deleted:
                self.shown[key] = record
            if record.status is Status.DEAD:
                self.died(key)
                self.deaths[key].told = True
        self.handled(relay.core)
        self.reckon()

    def killed(self) -> None:
        self.look()
        self.trace.append((self.now, "killed"))
        self._killed_ns, self._killed_at_ns = self.worked, self.now
        self._before = dict(self.shown)
        self._left_ns = {
            key: record.dead_at_ns - self.relay.clock_ns
            for key, record in self.shown.items()
            if record.dead_at_ns is not None and self.relay is not None
        }
        for conn in self.open_conns():
            self.ended(conn)
        self.conns.clear()
        self.unsaved_settings_are_lost()
        for known in self.known.values():
            known.seen = True
        self.owed.clear()
        self.forget_allowances()
        self.ends = dict(self.entries)  # what was not written down by now never will be
        self.dispatched = dict(self.entries)

    def crashed(self, failure: Exception) -> None:
        self.broken("ROB-3", "the relay goes on whatever it is told", f"{type(failure).__name__}: {failure}"[:200])

    def dialled(self, conn: int, client: Client, app: AppKey) -> None:
        self.conns[conn] = Conn(conn, client, app, self.worked, self.now, self.worked)

    # ---- what the core is told

    def told(self, event: events.Event) -> None:
        if isinstance(event, events.Pong | events.Ping | events.Progress):
            if (conn := self.conns.get(event.conn)) is not None:
                conn.heard_ns, conn.silent_pings = self.now, 0
            return
        if isinstance(event, events.Tick):
            return
        self.trace.append((self.now, type(event).__name__, getattr(event, "conn", None)))
        match event:
            case events.Text(number, data):
                if (conn := self.conns.get(number)) is not None:
                    conn.heard_ns, conn.silent_pings = self.now, 0
                    self.arrived(data)
                    self._text(conn, data)
            case events.Closed(number):
                if (conn := self.conns.get(number)) is not None and conn.ended_ns is None:
                    self.ended(conn)
                    self._requests_lost(conn)
            case events.Binary(number):
                if (conn := self.conns.get(number)) is not None:
                    conn.offended = True
            case events.PutApplication(app, _, settings):
                known = app in self.grace_ns
                newly = settings.recover_to_latest_version and not self.latest_allowed.get(app)
                self.settings_told(app, settings)
                if known:
                    self.grace_changed()
                    self.reckon({app})
                    if newly:
                        self.allowed(app)

    def _text(self, conn: Conn, data: bytes) -> None:
        frame = dict(decoded(data))
        if not frame:
            conn.offended = True
            return
        asked = conn.asked.get(str(frame.get("request_id")))
        if asked is None:
            return
        del conn.asked[str(frame.get("request_id"))]
        if frame.get("type") != asked.type:
            if asked.type == "executor_info":
                return
            frame = {"type": asked.type, "error_message": "an answer of another type"}
        match asked.type:
            case "executor_info":
                id = frame.get("executor_id")
                if isinstance(id, str) and id and not frame.get("error_message"):
                    self.introduced(conn, frame)
            case "recovery":
                self.ask_ended(conn, asked)
                self.recovery_answered(asked, frame)
            case "exist_pending_workflows":
                self.check_answered(asked, frame)
            case "list_application_versions":
                output = frame.get("output")
                own = "marker" not in frame  # asked by the relay itself, not by a caller
                if own and isinstance(output, list) and output and not frame.get("error_message"):
                    best = max(output, key=lambda row: (row["version_timestamp"], row["version_name"]))
                    self.version_told(conn.app, best["version_name"])
        self.reckon()

    def _requests_lost(self, conn: Conn) -> None:
        for asked in conn.asked.values():
            if asked.type == "exist_pending_workflows":
                self.check_lost(asked)
            elif asked.type == "recovery":
                self.ask_ended(conn, asked)
        self.reckon()

    # ---- what the core does

    def decided(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Send):
                self._send_decided(effect)
            elif isinstance(effect, Close) and (conn := self.conns.get(effect.conn)) is not None:
                self.trace.append((self.now, "Close", effect.conn))
                if conn.ended_ns is None:
                    self.closes(conn)
                    self._requests_lost(conn)
            elif isinstance(effect, SendPing):
                if (conn := self.conns.get(effect.conn)) is not None:
                    self.pinged(conn)
            elif isinstance(effect, Audit | Save):
                self.trace.append((self.now, type(effect).__name__))

    def _send_decided(self, effect: Send) -> None:
        self.trace.append((self.now, effect.type, effect.conn))
        conn = self.conns.get(effect.conn)
        if conn is None:
            clause = "REC-5" if effect.type == "recovery" else "ENV-8"
            self.broken(clause, "requests go to open connections", f"{effect.type} goes nowhere")
            return
        if effect.type == "restart":
            self.broken("MSG-restart", "restart is never sent", "it is")
        frame = dict(decoded(effect.data))
        self._form(conn, effect, frame)
        due_s = self.timing.recovery_deadline_s if effect.type == "recovery" else self.timing.request_deadline_s
        asked = Asked(effect.type, frame, self.worked, self.worked + ns(due_s), self.now + ns(due_s))
        request_id = str(frame.get("request_id"))
        earlier = conn.asked.get(request_id)
        if earlier is not None and self.worked < earlier.due_ns - self.slack:
            self.broken("ENV-1", "no id is outstanding twice on a connection", f"{request_id} is")
        conn.asked[request_id] = asked
        conn.spoken = True
        if effect.type == "recovery":
            self.recoveries += 1
            self.recovery_decided(conn, asked)
        elif effect.type == "exist_pending_workflows":
            self.check_decided(conn, asked)
        elif effect.type == "list_application_versions":
            self.versions_asked(conn.app)
        elif self.calls:
            self.call_decided(conn, effect, frame)

    def _form(self, conn: Conn, effect: Send, frame: dict[str, Any]) -> None:
        if not conn.spoken and effect.type != "executor_info":
            self.broken("HSK-1", "executor_info comes first", f"{effect.type} does")
        elif conn.key is None and effect.type != "executor_info":
            self.broken("HSK-7", "nothing else before the handshake", f"{effect.type} is sent")
        found = _form(effect.type, effect.data)
        if found:
            self.broken(found[0], "a form that every SDK survives, as the catalogue has it", found[1])

    # ---- the list

    def handled(self, core: Core) -> None:
        records = core.executors
        if records is self._records:
            return
        self._records = records
        before, after = self.shown, self._list_of(core)
        self.shown = after
        joined: set[AppKey] = set()
        changed = False
        for key in sorted({*before, *after}):
            old, new = before.get(key), after.get(key)
            if old is new or (
                old is not None and new is not None and old.status is new.status and old.info is new.info
            ):
                continue
            changed = True
            self._changed_ns[key] = self.worked
            if new is None and old is not None:
                self.owe("AUD-2", ("delete", key.executor_id, ""))
                self.removed(key, old)
                continue
            self.changed(key, old, new)
            if new is not None and new.status is Status.HEALTHY:
                joined.add(key.application)
                self.returned(key)
            elif new is not None and new.status is Status.DEAD and (old is None or old.status is not Status.DEAD):
                self.died(key)
        if changed:
            self.trace.append(
                (self.now, "list", [(key.executor_id, str(r.status)) for key, r in sorted(after.items())])
            )
            if self.listed is not None:
                self.listed(after)
            self.look_at_states()
            self.reckon(joined)

    def _list_of(self, core: Core) -> dict[ExecutorKey, Executor]:
        return dict(core.executors)

    def _kept(self, key: ExecutorKey, before: Executor, after: Executor | None) -> None:
        """LIV-15: what the relay knew before it was killed."""
        known = self.known.get(key)
        settled = self._changed_ns.get(key, 0) < self._killed_ns - ns(2.0) and self._killed_at_ns > self.slow_until_ns
        if known is None or not settled:
            if known is not None and after is not None and after.status is Status.DISCONNECTED:
                self.lost(known)
                known.restarts += 1
                known.least_grace_ns = 0
            return
        wanted = Status.DEAD if before.status is Status.DEAD else Status.DISCONNECTED
        if after is None or after.status is not wanted:
            got = after.status if after else "forgotten"
            self.broken("LIV-15", f"{key.executor_id}, {before.status} at the crash, is {wanted}", f"it is {got}")
            return
        if wanted is Status.DISCONNECTED:
            lost_ns, worked_ns = known.lost_ns, self._killed_ns - known.lost_worked_ns
            least_ns, most_ns = known.least_grace_ns, known.most_grace_ns
            losses, (least_spent_ns, most_spent_ns) = known.losses, known.spent_ns
            self.lost(known)
            if before.status is Status.DISCONNECTED and lost_ns is not None:
                # A pause without a deadline in it can't be noticed: then the relay had less left, by true time.
                noticed_ns = max(least_ns - (self._killed_at_ns - lost_ns), self._left_ns.get(key, 0))
                known.least_grace_ns = max(0, min(least_ns - worked_ns, noticed_ns))
                known.most_grace_ns = max(0, most_ns - worked_ns)
                by_true_time_ns = max(worked_ns, self._killed_at_ns - lost_ns)
                known.spent_ns = (least_spent_ns + worked_ns, most_spent_ns + by_true_time_ns)
            known.losses, known.restarts = losses, known.restarts + 1

    @property
    def calm(self) -> bool:
        """Nobody is on the way to anything: all that is listed is HEALTHY."""
        return not self.owed and all(record.status is Status.HEALTHY for record in self.shown.values())

    # ---- from time to time

    def _look_again(self) -> None:
        self.clock.call(LOOK_NS, self._look_again)
        self.look()

    def look(self) -> None:
        """At what should have happened by now."""
        relay = self.relay
        if relay is None or not relay.up or relay.paused:
            return
        self.look_at_states()
        self.look_at_recoveries(relay.core)
        self.look_at_allowances()
        self.look_at_audit()
        self.look_at_calls()


@lru_cache(maxsize=65536)
def _form(type_: str, data: bytes) -> tuple[str, str] | None:
    found = form_violations("text", data)
    if not found:
        return None
    rule = found[0].rule
    clause = "ENV-12" if rule in ("type-string", "known-type", "request-id-string") else f"MSG-{type_}"
    return clause, found[0].message
