"""MSG-*: every message that an operation sends, both ways, for one table after the other.

Three scenarios a type: what it is asked with and what becomes of the answer, a reported failure, odd values.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import FAILURE, ready_executor
from scenarios.catalogue.message.exchange import Exchanges, ask, expect_asked, expect_shown
from scenarios.catalogue.message.of_copies import COPIES
from scenarios.catalogue.message.of_payloads import COUNTING, PAYLOADS
from scenarios.catalogue.message.of_places import PLACES
from scenarios.catalogue.message.of_schedules import SCHEDULES
from scenarios.catalogue.message.of_workflows import CHANGING, READING
from scenarios.errors import Unsupported
from scenarios.world import World

EXCHANGES: Mapping[str, Exchanges] = {
    each.type: each for each in (*CHANGING, *READING, *PAYLOADS, *COUNTING, *COPIES, *SCHEDULES, *PLACES)
}
"""By message type, in the order of the protocol page."""

_TRACE = 'Traceback:\n  File "app.py"\nValueError: "ä" <b>'


async def _asked(world: World, exchanges: Exchanges) -> None:
    for case in exchanges.cases:
        app = await world.app()
        executor = await ready_executor(world, app)
        answer = await ask(world, app, executor, case.call, exchanges.type, case.answered)
        if exchanges.type == "list_queued_workflows":
            await _require_queued(world, executor)
        await expect_asked(world, executor, exchanges, case, answer)
        expect_shown(world, exchanges, case, case.call, answer)


async def _require_queued(world: World, executor: Any) -> None:
    """A relay may search queued workflows through list_workflows: MSG-list_workflows sees to that."""
    listed = await world.until_frame(executor, "list_workflows", within_s=0)
    if listed is not None:
        raise Unsupported(
            "the relay asks for queued workflows by list_workflows: this message is judged when it is sent"
        )


async def _failed(world: World, exchanges: Exchanges) -> None:
    """Alone, beside nothing useful, and beside what a success would hold."""
    case = exchanges.cases[0]
    app = await world.app()
    executor = await ready_executor(world, app)
    for fields in ({}, {"success": False, "output": []}, case.answered):
        answered = {**fields, "error_message": _TRACE}
        answer = await ask(world, app, executor, case.call, exchanges.type, answered)
        if exchanges.type == "list_queued_workflows":
            await _require_queued(world, executor)
        world.expect(
            exchanges.clause, "answer", "a reported failure is one to the caller", call=answer.call, status=FAILURE
        )


async def _odd_values(world: World, exchanges: Exchanges) -> None:
    app = await world.app()
    executor = await ready_executor(world, app)
    for odd in exchanges.odd:
        call = odd.call or exchanges.cases[0].call
        answer = await ask(world, app, executor, call, exchanges.type, odd.answered)
        if exchanges.type == "list_queued_workflows":
            await _require_queued(world, executor)
        expect_shown(world, exchanges, odd, call, answer)


def _register(exchanges: Exchanges) -> None:
    async def asked(world: World) -> None:
        await _asked(world, exchanges)

    async def failed(world: World) -> None:
        await _failed(world, exchanges)

    async def odd_values(world: World) -> None:
        await _odd_values(world, exchanges)

    type, clause, needs = exchanges.type, exchanges.clause, ("workflows",)
    shown = any(200 in odd.status for odd in exchanges.odd)
    scenario(
        f"{clause}/asked",
        clauses=(clause, "API-4"),
        title=f"{type}: its request in full, and the values of the answer as the API shows them",
        needs=needs,
    )(asked)
    scenario(
        f"{clause}/error", clauses=(clause,), title=f"{type}: error_message is a failure to the caller", needs=needs
    )(failed)
    scenario(
        f"{clause}/odd-values",
        clauses=(clause, "API-4") if shown else (clause,),
        title=f"{type}: empty, null, absent, large and non-ASCII values",
        needs=needs,
    )(odd_values)


for _each in EXCHANGES.values():
    _register(_each)
