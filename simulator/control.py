"""The management side in virtual time: `scenarios.world.Control` mapped onto the core. No HTTP, the same outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from simpy.events import Event

from evidence.events import Answer as AnswerEvent
from evidence.events import AuditPage, Request, Seen, Setting, Surfaced
from evidence.history import Recorder
from reference_relay.core.events import PutApplication
from reference_relay.core.records import AppKey, Settings
from scenarios.errors import ControlError, Prerequisite, Unsupported
from scenarios.operations import ROUTES
from scenarios.profile import Profile
from scenarios.world import Answer, App
from simulator.api import Api
from simulator.clock import Clock
from simulator.poller import Poller
from simulator.relay import Relay
from simulator.tasks import wait

CALL_DEADLINE_S = 30.0
"""What the public clients wait for an answer (measured with dbos-mcp 0.8.0)."""

_OPERATIONS = {
    "list": ("list_workflows", "list_workflows"),
    "search": ("search_workflows", "search_workflows"),
    "get": ("get_workflow", "get_workflow"),
    "steps": ("list_steps", "list_workflow_steps"),
    "cancel": ("cancel_workflow", "cancel_workflow"),
    "resume": ("resume_workflow", "resume_workflow"),
    "versions": ("list_versions", "list_app_versions"),
}
"""Short name: its names in histories and in the API document."""

_NO_HTTP = "the simulated world has no HTTP: run it in the wire world"
_NO_KEYS = "the simulated world has no keys: run it in the wire world"


class Surroundings(Protocol):
    """What the control needs of its world."""

    clock: Clock
    recorder: Recorder
    profile: Profile

    def latency_ns(self) -> int: ...

    def poller(self, app: App) -> Poller: ...

    async def wait(self, true: Callable[[], bool], within_s: float) -> bool: ...


class SimulatedControl:
    """Every call is recorded as Request and Answer; status 0 where the relay is down or dies meanwhile."""

    def __init__(self, world: Surroundings, relay: Relay) -> None:
        self._world = world
        self._relay = relay
        self._api = Api(world.clock, relay)
        self._calls = 0

    async def register(self, app: App) -> None:
        """Make the application known, with default settings. Raises `Prerequisite` while the relay is down."""
        call = self._request("register_app", app)
        await self._travel()
        key = AppKey(app.org, app.name)
        status = 0
        if self._relay.up:
            self._relay.handle(PutApplication(key, f"{app.org}-{app.name}", Settings()))
            settled = Event(self._world.clock)
            self._relay.settled(settled.succeed)
            status = 204 if await wait(settled) else 0
        await self._travel()
        self._answer(call, status, None)
        if not status:
            raise Prerequisite(f"application {app.name} can't be registered: the relay is down")

    # ---- scenarios.world.Control

    async def patch_settings(self, app: App, changes: Mapping[str, Any]) -> Answer:
        asked_ns = self._world.clock.now_ns
        answer = await self._call("patch_settings", "update_app", app, changes, named=changes)
        if answer.status // 100 == 2:
            self._world.recorder.add(Setting, org=app.org, app=app.name, asked=asked_ns, changes=dict(changes))
            app.grace_s = float(changes.get("executorTimeoutSecs", app.grace_s))
        return answer

    async def executors(self, app: App) -> Sequence[Seen]:
        poller = self._world.poller(app)
        asked_ns = self._world.clock.now_ns
        poller.ask()
        answered = await self._world.wait(lambda: poller.answered_ns >= asked_ns, CALL_DEADLINE_S)
        if not answered or poller.error:
            raise ControlError(f"the executors of {app.name} can't be listed: {poller.error or 'no answer'}")
        return poller.list

    async def audit(self, org: str) -> Sequence[Mapping[str, Any]]:
        asked_ns = self._world.clock.now_ns
        await self._travel()
        entries = tuple(self._relay.audit(org)) if self._relay.up else None
        await self._travel()
        if entries is None:
            raise Prerequisite(f"the audit log of {org} can't be read: the relay is down")
        self._world.recorder.add(AuditPage, org=org, asked=asked_ns, entries=entries)
        return entries

    async def surfaced(self, app: App) -> Sequence[str]:
        asked_ns = self._world.clock.now_ns
        await self._travel()
        waiting = self._relay.core.surfaced(AppKey(app.org, app.name)) if self._relay.up else None
        await self._travel()
        if waiting is None:
            raise Prerequisite(f"the surfaced recoveries of {app.name} can't be read: the relay is down")
        ids = tuple(record.info.executor_id for record in waiting)
        self._world.recorder.add(Surfaced, org=app.org, app=app.name, asked=asked_ns, executors=ids)
        return ids

    async def workflow(self, app: App, op: str, workflow_id: str = "", **args: Any) -> Answer:
        if op not in _OPERATIONS:
            raise ValueError(f"workflow operation {op!r}: give {', '.join(_OPERATIONS)}")
        recorded, served = _OPERATIONS[op]
        named = {"workflow_id": workflow_id} if workflow_id else {}
        return await self._call(recorded, served, app, args, workflow_id, named={**named, **args})

    async def operation(
        self, app: App, name: str, subject: str = "", *, query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:  # fmt: skip
        route = ROUTES[name]
        args = {**(query or {}), **(body or {})}
        named = {route.parameter: subject} if route.parameter else {}
        return await self._call(name, name, app, args, subject, named={**named, **args})

    async def http(
        self, method: str, path: str, *, json: Any = None, token: str | None = "", raw: bytes | None = None,
        content_type: str | None = None, org: str | None = None, headers: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        raise Unsupported(_NO_HTTP)

    async def create_key(
        self, org: str, apps: Sequence[str] = (), permissions: Sequence[str] | None = None
    ) -> tuple[str, str]:
        raise Unsupported(_NO_KEYS)

    async def revoke_key(self, org: str, name: str) -> Answer:
        raise Unsupported(_NO_KEYS)

    # ---- within

    async def _call(
        self,
        recorded: str,
        served: str,
        app: App,
        args: Mapping[str, Any],
        subject: str = "",
        *,
        named: Mapping[str, Any],
    ) -> Answer:
        """``recorded``: the operation's name in histories; ``served``: the API's. ``subject``: what it is about."""
        call = self._request(recorded, app, **named)
        await self._travel()
        status, body = await self._api.serve(served, (app.org, app.name, subject), args)
        await self._travel()
        return self._answer(call, status, body)

    async def _travel(self) -> None:
        """One way over the network."""
        await wait(self._world.clock.timeout(self._world.latency_ns()))

    def _request(self, op: str, app: App, **args: Any) -> int:
        self._calls += 1
        self._world.recorder.add(Request, call=self._calls, op=op, args={"org": app.org, "app": app.name, **args})
        return self._calls

    def _answer(self, call: int, status: int, body: Any) -> Answer:
        content_type = "" if body is None else "application/problem+json" if status >= 400 else "application/json"
        error = "" if status else "connection refused"
        self._world.recorder.add(
            AnswerEvent, call=call, status=status, body=body, content_type=content_type, error=error
        )
        return Answer(call, status, body)
