"""ENV-9: calls that nobody can answer."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import HELD, ready_executor
from scenarios.world import World

_OPS = {"list": "", "search": "", "get": "wf-1", "steps": "wf-1", "cancel": "wf-1", "resume": "wf-1", "versions": ""}


@scenario(
    "ENV-9/none-connected",
    clauses=("ENV-9",),
    title="With no healthy executor a call that needs one is 503",
)
async def none_connected(world: World) -> None:
    app = await world.app()
    for op, workflow_id in _OPS.items():
        answer = await world.control.workflow(app, op, workflow_id)
        world.expect("ENV-9", "answer", f"{op}: nobody was ever connected", call=answer.call, status=[503])
    executor = await ready_executor(world, app)
    await executor.close()
    await world.until_status(executor, "DISCONNECTED", "DEAD", "GONE", within_s=world.timing.handshake_deadline_s)
    for op, workflow_id in _OPS.items():
        answer = await world.control.workflow(app, op, workflow_id)
        world.expect("ENV-9", "answer", f"{op}: the only executor is gone", call=answer.call, status=[503])


@scenario(
    "ENV-9/all-failed",
    clauses=("ENV-9",),
    title="When every healthy executor failed to answer, the call is 502",
    faults=(52,),
)
async def all_failed(world: World) -> None:
    app = await world.app()
    for _ in range(2):
        await ready_executor(world, app, HELD)
    calls = [world.spawn(world.control.workflow(app, op, workflow_id)) for op, workflow_id in _OPS.items()]
    for op, call in zip(_OPS, calls, strict=True):
        world.expect("ENV-9", "answer", f"{op}: connected, and deaf", call=(await call).call, status=[502])
