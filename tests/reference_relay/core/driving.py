"""A driver for the core in tests: scripted peers, virtual time, everything that left the core by kind."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from reference_relay.core import Core, CoreConfig
from reference_relay.core import effects as fx
from reference_relay.core import events as ev
from reference_relay.core.config import NS
from reference_relay.core.records import AppKey, Executor, ExecutorKey, Settings

APP = AppKey("org", "app")
Answer = Callable[[dict[str, Any]], dict[str, Any] | None]

SUCCESS: dict[str, dict[str, Any]] = {
    "recovery": {"success": True},
    "exist_pending_workflows": {"exist": False},
    "get_workflow_aggregates": {"output": []},
    "list_application_versions": {"output": []},
    "list_workflows": {"output": []},
    "cancel": {"success": True},
}


class Driver:
    """Runs a core. Peers answer by ``answers[executor_id][type]``; None: silence."""

    def __init__(self, core: Core | None = None, *, now_s: float = 100.0) -> None:
        self.core = core or Core(CoreConfig())
        self.now_ns = round(now_s * NS)
        self.effects: list[tuple[float, fx.Effect]] = []
        self.conns = 0
        self.alive: dict[int, str] = {}  # connections whose peer answers pings
        self.answers: dict[str, dict[str, Answer]] = {}
        self.calls = 0
        self.names: dict[int, str] = {}  # executor id behind each connection, for good

    @property
    def now_s(self) -> float:
        return self.now_ns / NS

    def event(self, event: ev.Event) -> list[fx.Effect]:
        effects = self.core.handle(event, self.now_ns, self.now_ns // 1_000_000)
        self.take(effects)
        return effects

    def take(self, effects: list[fx.Effect]) -> None:
        for effect in effects:
            self.effects.append((self.now_s, effect))
        for effect in effects:
            match effect:
                case fx.SendPing() if effect.conn in self.alive:
                    self.event(ev.Pong(effect.conn, effect.payload))
                case fx.Close():
                    self.alive.pop(effect.conn, None)
                    self.event(ev.Closed(effect.conn, "closed by the relay"))
                case fx.Send() if effect.conn in self.alive:
                    self.answer(effect)

    def answer(self, frame: fx.Send) -> None:
        peer = self.alive[frame.conn]
        custom = self.answers.get(peer, {}).get(frame.type)
        fields = custom(json.loads(frame.data)) if custom else SUCCESS.get(frame.type)
        if fields is not None:
            self.reply(frame, **fields)

    def reply(self, frame: fx.Send, **fields: Any) -> list[fx.Effect]:
        body = {"type": frame.type, "request_id": frame.request_id, **fields}
        return self.event(ev.Text(frame.conn, json.dumps(body).encode()))

    def app(self, key: AppKey = APP, **settings: Any) -> AppKey:
        self.event(ev.PutApplication(key, f"id-{key.app}", Settings(**settings)))
        return key

    def open(self, app: AppKey = APP) -> fx.Send:
        """An upgrade; returns the relay's executor_info request."""
        self.conns += 1
        effects = self.event(ev.Opened(self.conns, app))
        return next(effect for effect in effects if isinstance(effect, fx.Send))

    def join(self, executor_id: str, *, version: str = "v1", language: str = "python", app: AppKey = APP) -> int:
        """A connected executor that answers pings. Returns its connection number."""
        asked = self.open(app)
        self.alive[asked.conn] = self.names[asked.conn] = executor_id
        info = {"application_version": version, "language": language, "hostname": "h", "dbos_version": "1"}
        self.reply(asked, executor_id=executor_id, **info)
        return asked.conn

    def lose(self, conn: int) -> None:
        self.alive.pop(conn, None)
        self.event(ev.Closed(conn, "reset"))

    def mute(self, conn: int) -> None:
        """The peer falls silent; its socket stays open."""
        self.alive.pop(conn, None)

    def run(self, seconds: float) -> None:
        """Let time pass, ticking whenever the core asks for it."""
        end_ns = self.now_ns + round(seconds * NS)
        while (due_ns := self.core.next_due_ns) is not None and due_ns <= end_ns:
            self.now_ns = max(self.now_ns, due_ns)
            self.event(ev.Tick())
        self.now_ns = end_ns

    def call(self, type_: str, fields: dict[str, object] | None = None, *, version: str | None = None) -> int:
        self.calls += 1
        self.event(ev.Call(self.calls, APP, type_, fields or {}, version))
        return self.calls

    def done(self, call_id: int) -> fx.CallDone | None:
        return next((e for _, e in self.effects if isinstance(e, fx.CallDone) and e.call_id == call_id), None)

    def sent(self, type_: str) -> list[tuple[float, fx.Send]]:
        return [(at, e) for at, e in self.effects if isinstance(e, fx.Send) and e.type == type_]

    def recoveries(self) -> list[tuple[float, str, list[str]]]:
        """(time, peer, executor_ids) of each recovery frame."""
        return [(at, self.peer_of(e.conn), json.loads(e.data)["executor_ids"]) for at, e in self.sent("recovery")]

    def peer_of(self, conn: int) -> str:
        return self.names.get(conn, "")

    def audits(self, operation: str) -> list[dict[str, Any]]:
        return [e.details for _, e in self.effects if isinstance(e, fx.Audit) and e.operation == operation]

    def status(self, executor_id: str, app: AppKey = APP) -> str:
        record = self.record(executor_id, app)
        return record.status if record else "GONE"

    def record(self, executor_id: str, app: AppKey = APP) -> Executor | None:
        return self.core.executors.get(ExecutorKey(*app, executor_id))
