"""ENV-1: type and request_id of what the relay sends."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import HELD, found, ready_executor
from scenarios.world import World

_CALLS = 8


@scenario(
    "ENV-1/outstanding-ids",
    clauses=("ENV-1",),
    title="Requests that are outstanding at once on one connection have different request ids",
)
async def outstanding_ids(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    names = [f"wf-{number}" for number in range(_CALLS)]
    calls = [world.spawn(world.control.workflow(app, "get", name)) for name in names]
    within_s = world.timing.request_deadline_s
    requests: list[Any] = []
    for name in names:
        request = await world.until_frame(executor, "get_workflow", within_s=within_s, match={"workflow_id": name})
        if request is not None:
            requests.append(request)
    for request in requests:
        await executor.send(found(request))
    for call in calls:
        await call
    ids = [request.get("request_id") for request in requests]
    texts = [id for id in ids if isinstance(id, str) and id]
    world.expect("ENV-1", "equal", "every call reached the executor", name="requests", want=_CALLS, got=len(ids))
    world.expect("ENV-1", "equal", "non-empty texts", name="usable request ids", want=_CALLS, got=len(texts))
    world.expect(
        "ENV-1", "equal", "no two of them are equal", name="distinct request ids", want=_CALLS, got=len(set(texts))
    )


@scenario(
    "ENV-1/across-types",
    clauses=("ENV-1",),
    title="Outstanding requests of different types have different request ids too",
)
async def across_types(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    asked = {"get": "get_workflow", "steps": "list_steps", "cancel": "cancel", "list": "list_workflows"}
    calls = [world.spawn(world.control.workflow(app, op, "" if op == "list" else "wf-1")) for op in asked]
    requests = [
        await world.until_frame(executor, type, within_s=world.timing.request_deadline_s) for type in asked.values()
    ]
    await executor.close()
    for call in calls:
        await call
    ids = {request["request_id"] for request in requests if request is not None}
    world.expect("ENV-1", "equal", "no two of them are equal", name="distinct ids", want=len(asked), got=len(ids))
