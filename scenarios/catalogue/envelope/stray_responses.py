"""ENV-4: responses that nobody waits for."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import (
    FAILURE,
    HELD,
    expect_served,
    expect_still_serving,
    found,
    ready_executor,
    request_of,
    workflow_record,
)
from scenarios.catalogue.handshake.answers import info_answer
from scenarios.catalogue.observing import look
from scenarios.world import App, Executor, World

_UNASKED: dict[str, Callable[[str], Mapping[str, Any]]] = {
    "get": lambda id: {"type": "get_workflow", "request_id": "unasked", "output": workflow_record("stray")},
    "get-failed": lambda id: {"type": "get_workflow", "request_id": "unasked", "error_message": "stray"},
    "recovery": lambda id: {"type": "recovery", "request_id": "unasked", "success": True},
    "exist-pending": lambda id: {"type": "exist_pending_workflows", "request_id": "unasked", "exist": False},
    "empty-id": lambda id: {"type": "get_workflow", "request_id": "", "output": workflow_record("stray")},
    "executor-info": lambda id: info_answer(id, "unasked"),
    "other-executor-info": lambda id: info_answer(id + "-other", "unasked", application_version="v9"),
}


def _expect_undisturbed(world: World, executor: Executor, since: int) -> None:
    world.expect("ENV-4", "open", "it closes no connection", conn=executor.conn, since=since, until=None)
    world.expect("ENV-4", "stays", executor=executor.id, statuses=["HEALTHY"], since=since, until=None)


async def _served_in_spite(world: World, app: App, executor: Executor, stray: Mapping[str, Any]) -> None:
    """A call is outstanding while the stray response arrives, and gets its own answer afterwards."""
    call = world.spawn(world.control.workflow(app, "get", "asked"))
    request = await request_of(world, executor, "get_workflow", match={"workflow_id": "asked"})
    await executor.send(stray)
    await executor.send(found(request))
    expect_served(world, "ENV-4", (await call).call, "asked", "the outstanding call gets its own answer")
    await look(world, app)


@scenario(
    "ENV-4/unsolicited",
    clauses=("ENV-4",),
    title="A response to no request completes nothing and closes nothing",
    faults=(77,),
    variants=_UNASKED,
)
async def unsolicited(world: World, stray: Callable[[str], Mapping[str, Any]]) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    _expect_undisturbed(world, executor, world.note("connected and HEALTHY"))
    await _served_in_spite(world, app, executor, stray(executor.id))
    await expect_still_serving(world, app, "ENV-4", executor)


@scenario(
    "ENV-4/duplicate",
    clauses=("ENV-4",),
    title="A response that comes again completes no other request",
    variants={"same": "asked", "changed": "stray"},
)
async def duplicate(world: World, repeated: str) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    _expect_undisturbed(world, executor, world.note("connected and HEALTHY"))
    first = world.spawn(world.control.workflow(app, "get", "first"))
    request = await request_of(world, executor, "get_workflow", match={"workflow_id": "first"})
    await executor.send(found(request))
    await executor.send(found(request))
    expect_served(world, "ENV-4", (await first).call, "first", "one of the two answers")
    name = "first" if repeated == "asked" else repeated
    await _served_in_spite(world, app, executor, found(request, output=workflow_record(name)))


@scenario(
    "ENV-4/late",
    clauses=("ENV-4",),
    title="A response after its request was given up completes no other request",
    faults=(19,),
)
async def late(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    _expect_undisturbed(world, executor, world.note("connected and HEALTHY"))
    given_up = world.spawn(world.control.workflow(app, "get", "first"))
    request = await request_of(world, executor, "get_workflow", match={"workflow_id": "first"})
    answer = await given_up
    world.expect("ENV-4", "answer", "the caller was told of a failure", call=answer.call, status=FAILURE)
    await _served_in_spite(world, app, executor, found(request))


@scenario(
    "ENV-4/on-another-connection",
    clauses=("ENV-4",),
    title="A response on another executor's connection completes no request of this one",
)
async def on_another_connection(world: World) -> None:
    """The other executor guesses the request_id; it is connected to the same application, or to another."""
    for app, elsewhere in [((mine := await world.app()), mine), (await world.app(), await world.app())]:
        asked = await ready_executor(world, app, HELD)
        call = world.spawn(world.control.workflow(app, "get", "asked"))
        request = await request_of(world, asked, "get_workflow", match={"workflow_id": "asked"})
        guesser = await ready_executor(world, elsewhere, HELD)
        since = world.note("the other executor answers in this one's place")
        world.expect("ENV-4", "open", conn=guesser.conn, since=since, until=None)
        await guesser.send(found(request, output=workflow_record("guessed")))
        await look(world, elsewhere)
        await asked.send(found(request))
        expect_served(world, "ENV-4", (await call).call, "asked", "the answer of the executor that was asked")
