"""Builds histories by hand, event by event, for the judge's tests. Times in seconds."""

from __future__ import annotations

import itertools
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import spec
from evidence import events
from evidence.history import History, Recorder
from evidence.judge import judge
from evidence.verdict import Finding, ScenarioResult, Verdict

ORG = "acme"
APP = "shop"
TIMING = {
    "i": 0.5,
    "w": 1.25,
    "g": 2.0,
    "scan": 0.1,
    "slack": 0.3125,
    "handshake": 1.25,
    "request": 1.5,
    "recovery": 2.5,
    "backoff": 0.25,
    "backoff_cap": 1.0,
    "redial": 0.1,
}
"""Of its own, so that the numbers of the tests stand whatever the runs are timed by."""
NAMES = {"recovery": "executor.recover", "deletion": "executor.delete", "surfaced": "executor.surface"}


class Play:
    """One history in the making, timed by `TIMING`."""

    def __init__(self, *clauses: str, path: Path | None = None, **header: Any) -> None:
        self.now_s = 0.0
        self._conns = itertools.count(1)
        self._calls = itertools.count(1)
        self._requests = itertools.count(1)
        self.recorder = Recorder(path, clock=lambda: round(self.now_s * 1e9))
        fields: dict[str, Any] = {
            "scenario": "TEST-1/play",
            "title": "a play",
            "clauses": clauses,
            "world": "simulated",
            "relay": "reference",
            "profile_digest": "0",
            "timing": TIMING,
            "capabilities": {},
            "names": NAMES,
            "seed": 1,
            "started": "2026-01-01T00:00:00+00:00",
        }
        self.recorder.header(**(fields | header))

    def at(self, now_s: float) -> Play:
        self.now_s = now_s
        return self

    def add(self, event: type[events.Base], /, **fields: Any) -> int:
        return self.recorder.add(event, **fields)

    def app(self, app: str = APP, org: str = ORG, grace_s: float = 2.0) -> int:
        return self.add(events.App, org=org, app=app, grace_s=grace_s)

    def dial(
        self,
        executor: str,
        *,
        app: str = APP,
        org: str = ORG,
        upgrade: bool = True,
        shake: bool = True,
        **info: Any,
    ) -> int:
        """Open, Upgraded and the handshake, all now. Returns the connection's number."""
        conn = next(self._conns)
        self.add(events.Open, conn=conn, org=org, app=app, executor=executor)
        if upgrade:
            self.add(events.Upgraded, conn=conn)
            if shake:
                ask = self.ask(conn, "executor_info")
                self.reply(conn, ask, executor_id=executor, **info)
        return conn

    def ask(self, conn: int, type: str, **fields: Any) -> int:
        """A request of the relay. Returns the number of its frame."""
        request_id = fields.pop("request_id", f"r-{next(self._requests)}")
        return self.text(conn, {"type": type, "request_id": request_id} | fields, by="relay")

    def recover(self, conn: int, *executors: str, **fields: Any) -> int:
        return self.ask(conn, "recovery", executor_ids=list(executors), **fields)

    def reply(self, conn: int, ask: int, **fields: Any) -> int:
        """The executor's answer to the request in frame ``ask``."""
        asked = self.recorder.events[ask]
        assert isinstance(asked, events.Frame)
        request = json.loads(asked.data)
        return self.text(conn, {"type": request["type"], "request_id": request["request_id"]} | fields, by="executor")

    def text(self, conn: int, frame: dict[str, Any] | str, *, by: str = "relay") -> int:
        return self.frame(conn, "text", by=by, data=frame if isinstance(frame, str) else json.dumps(frame))

    def frame(self, conn: int, op: str, *, by: str = "relay", **fields: Any) -> int:
        return self.add(events.Frame, conn=conn, by=by, op=op, **fields)

    def ping(self, conn: int, *, pong: bool = True) -> int:
        """The relay's ping, and its pong."""
        n = self.frame(conn, "ping", data="p")
        if pong:
            n = self.frame(conn, "pong", by="executor", data="p")
        return n

    def end(self, conn: int, by: str = "executor", how: str = "close", code: int | None = None) -> int:
        return self.add(events.Closed, conn=conn, by=by, how=how, code=code)

    def poll(self, *, app: str = APP, org: str = ORG, took_s: str = "0", **statuses: str) -> int:
        """A list that shows exactly these executors, asked ``took_s`` ago."""
        asked = round((self.now_s - float(took_s)) * 1e9)
        seen = tuple(events.Seen(executor, status) for executor, status in statuses.items())
        return self.add(events.Poll, org=org, app=app, asked=asked, executors=seen)

    def polls(
        self, start_s: float, end_s: float, step_s: float = 0.05, *, pinged: Sequence[int] = (), **statuses: str
    ) -> int:
        """Lists that all show the same, from ``start_s`` up to and without ``end_s``. Returns the last one's number.

        The connections of ``pinged`` are pinged twice a second, and answer.
        """
        n, moment_s = -1, start_s
        while moment_s < end_s - 1e-9:
            n = self.at(moment_s).poll(**statuses)
            for conn in pinged if moment_s % 0.5 < step_s else ():
                self.ping(conn)
            moment_s += step_s
        return n

    def audit(self, *entries: dict[str, Any], org: str = ORG) -> int:
        return self.add(events.AuditPage, org=org, asked=round(self.now_s * 1e9), entries=entries)

    def call(self, op: str = "list_workflows", **fields: Any) -> int:
        call = next(self._calls)
        self.add(events.Request, call=call, op=op, **fields)
        return call

    def expect(self, clause: str, rule: str, text: str = "", **args: Any) -> int:
        return self.add(events.Expect, clause=clause, rule=rule, args=args, text=text)

    def history(self) -> History:
        self.recorder.close("complete")
        return self.recorder.history()

    def judge(self) -> ScenarioResult:
        return judge(self.history(), spec.clauses())

    def found(self, rule: str) -> Finding:
        """The one finding of this rule."""
        findings = [each for each in self.judge().findings if each.rule == rule]
        assert len(findings) == 1, findings
        return findings[0]

    def verdict(self, rule: str) -> Verdict:
        return self.found(rule).verdict


def recovered(executor: str, peer: str, **more: Any) -> dict[str, Any]:
    """An entry of the audit log about the end of a dispatch."""
    return {"operation": "executor.recover", "details": {"executorId": executor, "peerExecutorId": peer} | more}


def deleted(executor: str) -> dict[str, Any]:
    return {"operation": "executor.delete", "details": {"executorId": executor}}
