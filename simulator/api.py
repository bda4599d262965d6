"""The management API without HTTP: the relay's own operations, around the core in virtual time.

What an operation makes of its arguments, which message it sends, and what it makes of the answer is the server's code.
Only what lies below differs: the hub is the simulated one, and there is nobody to authenticate.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

import msgspec
from simpy.events import AnyOf
from simpy.events import Event as Happening

from reference_relay.core.core import Core
from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.events import Call, Event
from reference_relay.server.api.app import ANSWER_S  # importing it registers the operations
from reference_relay.server.api.operation import OPERATIONS, ApiRequest, Operation, Reply
from reference_relay.server.api.problems import Problem, invalid
from reference_relay.server.gate import Subject
from reference_relay.server.rules import Rules
from reference_relay.store import AuditEntry, Write
from simulator.clock import Clock, ns
from simulator.errors import RelayGone
from simulator.relay import Relay
from simulator.tasks import wait

_PARAMETER = re.compile(r"{(\w+)}")


class SimulatedHub:
    """What operations use of `reference_relay.server.hub.Hub`. Everything raises `RelayGone` once the relay is down."""

    def __init__(self, clock: Clock, relay: Relay) -> None:
        self._clock = clock
        self._relay = relay

    @property
    def core(self) -> Core:
        return self._relay.core

    async def call(self, event: Callable[[int], Call]) -> CallDone:
        self._require_up()
        ended = Happening(self._clock)
        call_id = self._relay.call(event, ended.succeed)
        await wait(AnyOf(self._clock, [ended, self._clock.timeout(ns(ANSWER_S))]))
        if not ended.triggered:
            self._relay.abandon(call_id)
            return CallDone(call_id, Outcome.FAILED, error="no answer in time")
        done: CallDone | None = ended.value
        if done is None:
            raise RelayGone("the relay died before it had an answer")
        return done

    def feed(self, event: Event, writes: Sequence[Write] = ()) -> None:
        self._require_up()
        self._relay.handle(event, writes)

    async def apply(self, event: Event, writes: Sequence[Write] = ()) -> None:
        self.feed(event, writes)
        await self.settled()

    async def commit(self, writes: Sequence[Write]) -> None:
        await self._durable(lambda done: self._relay.commit(writes, done))

    async def settled(self) -> None:
        await self._durable(self._relay.settled)

    async def _durable(self, begin: Callable[[Callable[[bool], object]], None]) -> None:
        self._require_up()
        ended = Happening(self._clock)
        begin(ended.succeed)
        if not await wait(ended):
            raise RelayGone("the relay died before the change was durable")

    def _require_up(self) -> None:
        if not self._relay.up:
            raise RelayGone("the relay died while it worked on a call")


class SimulatedRequest(ApiRequest):
    """A call whose ids and audit entry's time are the simulation's."""

    def __init__(
        self, relay: Relay, hub: SimulatedHub, rules: Rules, operation: Operation, params: dict[str, str]
    ) -> None:
        subject = Subject(params["orgName"], "scenario", frozenset(), None)
        context: Any = SimpleNamespace(hub=hub, rules=rules)
        super().__init__(context, operation, subject, params)
        self._relay = relay

    def new_id(self) -> str:
        return f"record-{self._relay.next_audit_id()}"

    def entry(self, *, success: bool) -> AuditEntry:
        entry = super().entry(success=success)
        return msgspec.structs.replace(entry, id=self._relay.next_audit_id(), emit_ms=self._relay.now_ms)


class Api:
    """Serves operations by name. A broken relay's core shows here as it would behind HTTP."""

    def __init__(self, clock: Clock, relay: Relay) -> None:
        self._relay = relay
        self._hub = SimulatedHub(clock, relay)
        self._rules = Rules()

    async def serve(self, name: str, params: Sequence[str], args: Mapping[str, Any]) -> tuple[int, Any]:
        """Status and decoded body; (0, None) while the relay is down, or where it dies before the answer.

        ``params`` are the values of the path's parameters in their order, more than it has of them are left over;
        ``args`` the query or the body by the API's names.
        """
        operation = OPERATIONS[name]
        named = dict(zip(_PARAMETER.findall(operation.path), params, strict=False))
        request = SimulatedRequest(self._relay, self._hub, self._rules, operation, named)
        try:
            try:
                return await self._run(request, args)
            except Problem as problem:
                if request.audits:
                    await self._hub.commit([request.entry(success=False)])
                return problem.status, msgspec.json.decode(problem.body())
        except RelayGone:
            return 0, None

    async def _run(self, request: SimulatedRequest, args: Mapping[str, Any]) -> tuple[int, Any]:
        operation = request.operation
        request.application  # noqa: B018 - raises Problem 404
        request.query = _converted(args, operation.query, "query", strict=False)
        request.body = _converted(args, operation.body, "body", strict=True)
        handler: Callable[[ApiRequest], Awaitable[Any]] = operation.handler
        result = await handler(request)
        if request.audits:
            await self._hub.commit([request.entry(success=True)])
        shown = result.body if isinstance(result, Reply) else result
        return operation.status, None if operation.answer is None else msgspec.json.decode(msgspec.json.encode(shown))


def _converted(args: Mapping[str, Any], kind: type[msgspec.Struct] | None, place: str, *, strict: bool) -> Any:
    """As the server reads a query (texts) or a body (JSON). Raises Problem 422."""
    if kind is None:
        return None
    given = dict(args) if strict else {name: _text(value) for name, value in args.items()}
    try:
        return msgspec.convert(given, kind, strict=strict)
    except msgspec.ValidationError as error:
        raise invalid(error, place, given) from error


def _text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
