"""ENV-2: whose answer is whose."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import HELD, expect_served, found, ready_executor, request_of, workflow_record
from scenarios.world import Script, World


@scenario(
    "ENV-2/order",
    clauses=("ENV-2",),
    title="Concurrent calls each get their own answer, in whatever order the answers come",
    faults=(67,),
    variants={
        "reversed": [4, 3, 2, 1, 0],
        "asked": [0, 1, 2, 3, 4],
        "mixed": [2, 0, 4, 1, 3],
    },
)
async def order(world: World, sequence: list[int]) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    names = [f"wf-{number}" for number in range(len(sequence))]
    calls = [world.spawn(world.control.workflow(app, "get", name)) for name in names]
    requests = [
        await request_of(world, executor, "get_workflow", clause="ENV-2", match={"workflow_id": name}) for name in names
    ]
    for place in sequence:
        await executor.send(found(requests[place]))
    for name, call in zip(names, calls, strict=True):
        expect_served(world, "ENV-2", (await call).call, name, "its own answer")


@scenario(
    "ENV-2/same-question-twice",
    clauses=("ENV-2",),
    title="Two callers ask the same at once: each gets the answer to its own request",
)
async def same_question_twice(world: World) -> None:
    """The executor answers the second request first, with another status: the answers swap unless ids decide."""
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    first = world.spawn(world.control.workflow(app, "get", "wf-1"))
    one = await request_of(world, executor, "get_workflow", clause="ENV-2", count=1)
    second = world.spawn(world.control.workflow(app, "get", "wf-1"))
    two = await request_of(world, executor, "get_workflow", clause="ENV-2", count=2)
    await executor.send(found(two, output=workflow_record("wf-1", Status="SUCCESS")))
    await executor.send(found(one, output=workflow_record("wf-1", Status="PENDING")))
    for call, status in ((await first, "PENDING"), (await second, "SUCCESS")):
        world.expect("ENV-2", "answer", call=call.call, status=[200], body={"workflowId": "wf-1", "status": status})


@scenario(
    "ENV-2/types-interleaved",
    clauses=("ENV-2",),
    title="Calls of different kinds at once, answered last first, each get their own answer",
)
async def types_interleaved(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    get = world.spawn(world.control.workflow(app, "get", "wf-1"))
    asked_get = await request_of(world, executor, "get_workflow", clause="ENV-2")
    steps = world.spawn(world.control.workflow(app, "steps", "wf-2"))
    asked_steps = await request_of(world, executor, "list_steps", clause="ENV-2")
    cancel = world.spawn(world.control.workflow(app, "cancel", "wf-3"))
    asked_cancel = await request_of(world, executor, "cancel", clause="ENV-2")
    step = {"function_id": 4, "function_name": "charge", "output": "7"}
    await executor.send({"type": "cancel", "request_id": asked_cancel["request_id"], "success": True})
    await executor.send({"type": "list_steps", "request_id": asked_steps["request_id"], "output": [step]})
    await executor.send(found(asked_get))
    expect_served(world, "ENV-2", (await get).call, "wf-1", "the workflow")
    world.expect(
        "ENV-2",
        "answer",
        "the steps",
        call=(await steps).call,
        status=[200],
        body=[{"stepId": 4, "stepName": "charge", "output": "7"}],
    )
    world.expect("ENV-2", "answer", "the cancellation", call=(await cancel).call, status=["2xx"])


@scenario(
    "ENV-2/storm",
    clauses=("ENV-2",),
    title="Forty calls at once on a connection that pings without a pause: each gets its own answer",
    faults=(67,),
)
async def storm(world: World) -> None:
    """The relay writes requests, pings and pongs at once on one connection."""
    app = await world.app()
    executor = await ready_executor(world, app, Script(replies=HELD.replies, client_ping_s=0.01))
    names = [f"wf-{number}" for number in range(40)]
    calls = [world.spawn(world.control.workflow(app, "get", name)) for name in names]
    requests = [
        await request_of(world, executor, "get_workflow", clause="ENV-2", match={"workflow_id": name}) for name in names
    ]
    for request in sorted(requests, key=lambda request: str(request["workflow_id"])[::-1]):
        await executor.send(found(request))
    for name, call in zip(names, calls, strict=True):
        expect_served(world, "ENV-2", (await call).call, name, "its own answer")


@scenario(
    "ENV-2/two-executors",
    clauses=("ENV-2",),
    title="Requests at several executors at once: each caller gets its own answer",
    faults=(67,),
)
async def two_executors(world: World) -> None:
    """Each executor belongs to an application of its own, so it is known who is asked what."""
    apps = [await world.app(), await world.app()]
    executors = [await ready_executor(world, app, HELD) for app in apps]
    names = ["wf-a", "wf-b"]
    calls = [world.spawn(world.control.workflow(app, "get", name)) for app, name in zip(apps, names, strict=True)]
    requests = [await request_of(world, executor, "get_workflow", clause="ENV-2") for executor in executors]
    for executor, request in reversed(list(zip(executors, requests, strict=True))):
        await executor.send(found(request))
    for name, call in zip(names, calls, strict=True):
        expect_served(world, "ENV-2", (await call).call, name, "its own answer")
