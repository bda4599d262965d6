"""One management call, the request that it makes the relay send, the executor's answer, and what the caller gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from conductor.sendable import violations
from scenarios.catalogue.api.shapes import deviations
from scenarios.catalogue.message.records import epoch_ms, expect_times
from scenarios.errors import Unsupported
from scenarios.world import Answer, Executor, Reply, Script, World

__all__ = ["Call", "Case", "Exchanges", "Odd", "ask", "expect_asked", "expect_shown"]

NOT_THERE = (404, 405, 501)
"""What a relay answers for an operation that it doesn't have, before it asks anybody."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Call:
    """A management call: one of `scenarios.operations.ROUTES` with what it is about."""

    operation: str
    subject: str = ""
    query: Mapping[str, Any] = field(default_factory=dict)
    body: Mapping[str, Any] | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Case:
    """``sent``: fields of the request, nested as in the protocol page, others may be beside them. ``shown``: a subset
    of the answer's body; ``times``: RFC 3339 times of it (or of its first row) in epoch milliseconds."""

    call: Call
    sent: Mapping[str, Any]
    answered: Mapping[str, Any]
    status: int = 200
    shown: Any = None
    times: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True, slots=True)
class Odd:
    """An answer with values that are easily taken for others. ``call`` None: that of the first case."""

    what: str
    answered: Mapping[str, Any]
    shown: Any = None
    status: Sequence[int | str] = (200,)
    times: Mapping[str, int] = field(default_factory=dict)
    call: Call | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Exchanges:
    """All that is tried with one message type."""

    type: str
    cases: Sequence[Case]
    odd: Sequence[Odd] = ()

    @property
    def clause(self) -> str:
        return f"MSG-{self.type}"


async def ask(world: World, app: Any, executor: Executor, call: Call, type: str, answered: Mapping[str, Any]) -> Answer:
    """Make the call; the executor answers requests of this type with these fields."""
    executor.script(Script(replies={type: Reply(fields=answered)}))
    return await world.control.operation(app, call.operation, call.subject, query=call.query, body=call.body)


async def expect_asked(world: World, executor: Executor, exchanges: Exchanges, case: Case, answer: Answer) -> None:
    """The request is there, with the fields of the case and in a form that every SDK reads.

    Raises `Unsupported` where the relay doesn't have the operation.
    """
    request = await world.until_frame(executor, exchanges.type, within_s=0)
    if request is None and answer.status in NOT_THERE:
        raise Unsupported(f"the relay has no {case.call.operation}: it answers {answer.status} and asks nobody")
    got = None if request is None else _picked(case.sent, request)
    world.expect(
        exchanges.clause, "equal", f"the request that {case.call.operation} leads to", name=f"{exchanges.type} fields",
        want=_canonical(case.sent), got=got,
    )  # fmt: skip
    if request is not None:
        found = [each.message for each in violations("text", msgspec.json.encode(request))]
        world.expect(exchanges.clause, "equal", "in a form that every SDK reads", name="misread", want=[], got=found)


def expect_shown(world: World, exchanges: Exchanges, case: Case | Odd, call: Call, answer: Answer) -> None:
    """The answer's values reach the caller, under the names and in the shapes of the API document."""
    statuses = [case.status] if isinstance(case, Case) else list(case.status)
    text = f"{call.operation}: {case.what}" if isinstance(case, Odd) else f"{call.operation}: the values of the answer"
    world.expect(exchanges.clause, "answer", text, call=answer.call, status=statuses, body=case.shown)
    if case.times:
        expect_times(world, exchanges.clause, answer, case.times, *([0] if isinstance(answer.body, list) else []))
    if answer.status // 100 == 2:
        found = deviations(call.operation, answer.body)
        world.expect("API-4", "equal", f"the shape of {call.operation}", name="deviations", want=[], got=found)


def _picked(wanted: Mapping[str, Any], request: Mapping[str, Any]) -> dict[str, Any]:
    """The same fields of the request, in the same form."""
    found: dict[str, Any] = {}
    for name, value in wanted.items():
        given = request.get(name)
        if isinstance(value, Mapping) and name == "body":
            found[name] = _picked(value, given if isinstance(given, Mapping) else {})
        elif isinstance(value, list) and isinstance(given, str):
            found[name] = [given]  # a filter may be one name or several
        else:
            found[name] = _moment(given)
    return found


def _canonical(wanted: Mapping[str, Any]) -> dict[str, Any]:
    return {
        name: _canonical(value) if isinstance(value, Mapping) and name == "body" else _moment(value)
        for name, value in wanted.items()
    }


def _moment(value: Any) -> Any:
    """A time counts, not how it is written."""
    found = epoch_ms(value)
    return value if found is None else {"epoch_ms": found}
