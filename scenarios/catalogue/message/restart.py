"""MSG-restart: a deprecated message that Go doesn't know."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.world import World


@scenario(
    "MSG-restart/never-sent",
    clauses=("MSG-restart",),
    title="No operation on a workflow makes the relay send restart",
)
async def never_sent(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app)
    since = world.note("an executor that would answer restart")
    for op in ("get", "steps", "cancel", "resume"):
        await world.control.workflow(app, op, "wf-1")
    world.expect("MSG-restart", "no_frame", executor=executor.id, type="restart", since=since, until=None)


@scenario(
    "MSG-restart/former-operation",
    clauses=("MSG-restart",),
    title="The restart operation that the API once had makes the relay send no restart",
    simulated=False,
    needs=("workflows",),
)
async def former_operation(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app)
    since = world.note("an executor that would answer restart")
    await world.control.http("POST", app_path(app, "workflows", "wf-1", "restart"), json={}, org=app.org)
    world.expect("MSG-restart", "no_frame", executor=executor.id, type="restart", since=since, until=None)
