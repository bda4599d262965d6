"""MSG-recovery and MSG-exist_pending_workflows: what the relay sends on its own when an executor is DEAD."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, World


async def _die(world: World, app: App, version: str = "v1") -> tuple[Executor, Executor, int]:
    """One of two executors dies. Returns the peer, the dead one, and the event of its death."""
    peer = await ready_executor(world, app, version=version)
    mortal = await ready_executor(world, app, version=version)
    await mortal.drop("rst")
    timing = world.timing
    within_s = app.grace_s + timing.backoff_first_s + 2 * (timing.scan_s + timing.slack_s)
    if await world.until_frame(peer, "recovery", within_s=within_s) is None:
        raise Prerequisite("the relay asked nobody to recover the dead executor")
    return peer, mortal, world.last("fault", kind="drop", executor=mortal.id)


@scenario(
    "MSG-recovery/asked",
    clauses=("MSG-recovery",),
    title="A recovery request names the dead executor in executor_ids",
    variants={"plain": "v1", "odd-version": "v1/ä #"},
)
async def asked(world: World, version: str) -> None:
    app = await world.app()
    peer, mortal, died = await _die(world, app, version)
    world.expect(
        "MSG-recovery",
        "frame",
        "executor_ids is an array with the one id",
        executor=peer.id,
        type="recovery",
        after=died,
        latest="g + backoff + 2*scan + 2*slack",
        match={"executor_ids": [mortal.id]},
    )


@scenario(
    "MSG-exist_pending_workflows/asked",
    clauses=("MSG-exist_pending_workflows",),
    title="The question for what is left names the dead executor and its version",
    needs=("exist_pending",),
    variants={"plain": "v1", "odd-version": "v1/ä #"},
)
async def asked_what_is_left(world: World, version: str) -> None:
    app = await world.app()
    peer, mortal, died = await _die(world, app, version)
    within_s = world.timing.scan_s + world.timing.slack_s + world.timing.request_deadline_s
    await world.until_frame(peer, "exist_pending_workflows", within_s=within_s)
    world.expect(
        "MSG-exist_pending_workflows",
        "frame",
        "executor_id and application_version are those of the dead one",
        executor=peer.id,
        type="exist_pending_workflows",
        after=died,
        latest="g + backoff + request + 2*scan + 2*slack",
        match={"executor_id": mortal.id, "application_version": version},
    )
