"""The management side in virtual time: `scenarios.world.Control` mapped onto the core. No HTTP, the same outcomes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from simpy.events import Event

from evidence.events import Answer as AnswerEvent
from evidence.events import AuditPage, Request, Seen, Setting, Surfaced
from evidence.history import Recorder
from reference_relay.core.effects import CallDone
from reference_relay.core.records import AppKey, Settings
from scenarios.errors import ControlError, Prerequisite, Unsupported
from scenarios.profile import Profile
from scenarios.world import Answer, App
from simulator.clock import Clock
from simulator.operations import Operation, answer_to, operation, problem
from simulator.poller import Poller
from simulator.relay import Relay
from simulator.settings import InvalidSettings, changed_settings
from simulator.tasks import wait

CALL_DEADLINE_S = 30.0
"""What the public clients wait for an answer (measured with dbos-mcp 0.8.0)."""

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
        self._calls = 0

    async def register(self, app: App) -> Answer:
        """Make the application known, with default settings."""
        call = self._request("register_app", app)
        await self._travel()
        status = 204 if await self._put(AppKey(app.org, app.name), Settings()) else 0
        await self._travel()
        return self._answer(call, status, None)

    # ---- scenarios.world.Control

    async def patch_settings(self, app: App, changes: Mapping[str, Any]) -> Answer:
        asked_ns = self._world.clock.now_ns
        call = self._request("patch_settings", app, **changes)
        await self._travel()
        status, body = await self._change(AppKey(app.org, app.name), changes)
        await self._travel()
        answer = self._answer(call, status, body)
        if status == 204:
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
        asked = operation(op, workflow_id, args)
        named = {"workflow_id": workflow_id} if workflow_id else {}
        call = self._request(asked.name, app, **named, **args)
        await self._travel()
        status, body = await self._ask(AppKey(app.org, app.name), asked)
        await self._travel()
        return self._answer(call, status, body)

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

    async def _change(self, key: AppKey, changes: Mapping[str, Any]) -> tuple[int, Any]:
        if not self._relay.up:
            return 0, None
        known = self._relay.core.applications.get(key)
        if known is None:
            return 404, problem(404, f"there is no application {key.app!r}")
        try:
            settings = changed_settings(known.settings, changes, self._world.profile.all_names())
        except InvalidSettings as invalid:
            return 422, problem(422, str(invalid))
        return (204 if await self._put(key, settings) else 0), None

    async def _put(self, key: AppKey, settings: Settings) -> bool:
        """Create or change an application; True once it is durable, False if the relay is down or dies."""
        applied = Event(self._world.clock)
        self._relay.put_application(key, f"{key.org}-{key.app}", settings, applied.succeed)
        durable: bool = await wait(applied)
        return durable

    async def _ask(self, key: AppKey, asked: Operation) -> tuple[int, Any]:
        if not self._relay.up:
            return 0, None
        if key not in self._relay.core.applications:
            return 404, problem(404, f"there is no application {key.app!r}")
        ended = Event(self._world.clock)
        self._relay.call(asked.call(key), ended.succeed)
        done: CallDone | None = await wait(ended)
        return (0, None) if done is None else answer_to(asked, done)

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
