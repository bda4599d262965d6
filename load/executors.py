"""The executor user: dials, shakes hands, answers, loses its connection now and then, dials again."""

from __future__ import annotations

import random
from typing import Any
from uuid import uuid4

import gevent
import msgspec
from locust import User, constant

from load.calls import listed_status
from load.place import Place, from_environment
from load.socket import ExecutorSocket, Refused, monotonic_ms
from scenarios.scripting import Answerer, executor_info
from scenarios.world import Reply, Script

REDIAL_S = 1.0  # Python, TypeScript, Java: constant, without jitter (measured)
LIVES_S = (20.0, 60.0)  # how long a connection lasts before the user drops it
LISTED_POLL_S = 0.05

_ROW = {"WorkflowUUID": "w-1", "Status": "SUCCESS", "WorkflowName": "load"}
_REPLIES = {
    "list_workflows": Reply(fields={"output": [_ROW]}),
    "get_workflow": Reply(fields={"output": _ROW}),
}


class ExecutorUser(User):
    """Reports "handshake" (dial until executor_info is answered) and "time to HEALTHY" (until the list shows it)."""

    wait_time = constant(0)
    weight = 9

    def __init__(self, environment: Any) -> None:
        super().__init__(environment)
        self.place: Place = from_environment(self.host or environment.host)
        info = executor_info(
            str(uuid4()), version="v1", language="python", hostname="load", sdk_version="2.31.1", metadata=None
        )
        self.executor_id = str(info["executor_id"])
        self.answerer = Answerer(info, Script(replies=_REPLIES))
        self.random = random.Random(self.executor_id)

    def connect_once(self) -> None:
        """One connection from its dial to its end."""
        started = monotonic_ms()
        try:
            connection = ExecutorSocket(self.place.socket_url)
        except (OSError, Refused) as error:
            self.report("handshake", started, error)
            gevent.sleep(REDIAL_S)
            return
        life = gevent.spawn_later(self.random.uniform(*LIVES_S), connection.drop)
        try:
            self.serve(connection, started)
        except OSError:
            pass  # dropped while an answer was being written
        finally:
            life.kill()
            connection.drop()
        gevent.sleep(REDIAL_S)

    def serve(self, connection: ExecutorSocket, started: float) -> None:
        """Answer requests until the connection ends."""
        for text in connection.texts():
            plan = self.answerer.plan(text)
            if plan is None:
                continue
            for payload in plan.payloads:
                connection.send(payload)
            if msgspec.json.decode(text)["type"] == "executor_info":
                self.report("handshake", started)
                gevent.spawn(self.until_listed, started)

    def until_listed(self, started: float) -> None:
        """Ask the management API until it lists this executor as HEALTHY."""
        while monotonic_ms() - started < 30_000:
            if listed_status(self.place, self.executor_id) == "HEALTHY":
                self.report("time to HEALTHY", started)
                return
            gevent.sleep(LISTED_POLL_S)
        self.report("time to HEALTHY", started, TimeoutError("not HEALTHY within 30 s"))

    def report(self, name: str, started: float, error: Exception | None = None) -> None:
        self.environment.events.request.fire(
            request_type="WS",
            name=name,
            response_time=monotonic_ms() - started,
            response_length=0,
            exception=error,
            context={},
        )
