"""ENV-8: an executor that leaves while somebody waits for its answer."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import (
    FAILURE,
    HELD,
    expect_still_serving,
    ready_executor,
    request_of,
    workflow_record,
)
from scenarios.world import Executor, Reply, Script, World

_WAYS = ("close", "fin", "rst", "freeze")
_DEADLINE = "request + scan + 2*slack"


async def _leave(executor: Executor, how: str) -> None:
    if how == "close":
        await executor.close()
    elif how == "freeze":
        await executor.freeze()
    else:
        await executor.drop(how)


async def _is_gone(world: World, executor: Executor) -> None:
    """A frozen one is HEALTHY until the ping wait is over, and may still be asked first."""
    timing = world.timing
    longest_s = timing.ping_wait_s + timing.ping_interval_s + timing.scan_s + 2 * timing.slack_s
    if world.profile.can("list"):
        await world.until_status(executor, "DISCONNECTED", "DEAD", "GONE", within_s=longest_s)


@scenario(
    "ENV-8/alone",
    clauses=("ENV-8",),
    title="The only executor leaves: each caller gets an error in time, and no waiter is left behind",
    faults=(24,),
    variants=_WAYS,
)
async def alone(world: World, how: str) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    names = [f"wf-{number}" for number in range(6)]
    calls = [world.spawn(world.control.workflow(app, "get", name)) for name in names]
    for name in names:
        await request_of(world, executor, "get_workflow", match={"workflow_id": name})
    await _leave(executor, how)
    for call in calls:
        world.expect("ENV-8", "answer", "an error, in time", call=(await call).call, status=FAILURE, latest=_DEADLINE)
    await _is_gone(world, executor)
    heir = await ready_executor(world, app, HELD)
    await expect_still_serving(world, app, "ENV-8", heir)


@scenario(
    "ENV-8/with-peer",
    clauses=("ENV-8",),
    title="One of two executors leaves: each caller gets an error or the other's answer in time",
    faults=(24, 45),
    variants=_WAYS,
)
async def with_peer(world: World, how: str) -> None:
    """The second executor joins once the first holds the request, so it is known who is asked first."""
    app = await world.app()
    leaver = await ready_executor(world, app, HELD)
    call = world.spawn(world.control.workflow(app, "get", "wf-1"))
    await request_of(world, leaver, "get_workflow", match={"workflow_id": "wf-1"})
    cancel = world.spawn(world.control.workflow(app, "cancel", "wf-1"))
    await request_of(world, leaver, "cancel", match={"workflow_id": "wf-1"})
    answers = {"get_workflow": Reply(fields={"output": workflow_record("wf-1")})}
    await ready_executor(world, app, Script(replies=answers))
    await _leave(leaver, how)
    either = ["2xx", *FAILURE]
    for waiting in (call, cancel):
        world.expect("ENV-8", "answer", call=(await waiting).call, status=either, latest=_DEADLINE)
    await _is_gone(world, leaver)
    again = await world.control.workflow(app, "get", "wf-1")
    world.expect("ENV-8", "answer", "calls go on", call=again.call, status=either, latest=_DEADLINE)


@scenario(
    "ENV-8/comes-back",
    clauses=("ENV-8",),
    title="An executor that comes back and answers what it was asked on its old connection completes nothing wrongly",
    variants=("fin", "rst"),
)
async def comes_back(world: World, how: str) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    call = world.spawn(world.control.workflow(app, "get", "wf-1"))
    request = await request_of(world, executor, "get_workflow", match={"workflow_id": "wf-1"})
    await executor.drop(how)
    world.expect("ENV-8", "answer", call=(await call).call, status=["2xx", *FAILURE], latest=_DEADLINE)
    await executor.connect()
    await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    stale = {"type": "get_workflow", "request_id": request["request_id"], "output": workflow_record("stale")}
    await executor.send(stale)
    await expect_still_serving(world, app, "ENV-8", executor)


@scenario(
    "ENV-8/silent",
    clauses=("ENV-8",),
    title="An executor that stays and never answers: the caller gets an error in time",
    faults=(52,),
)
async def silent(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    calls = [world.spawn(world.control.workflow(app, op, "wf-1")) for op in ("get", "steps", "cancel", "resume")]
    for call in calls:
        world.expect("ENV-8", "answer", "an error", call=(await call).call, status=FAILURE, latest=_DEADLINE)
    await expect_still_serving(world, app, "ENV-8", executor)
