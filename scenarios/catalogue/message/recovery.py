"""MSG-recovery and MSG-exist_pending_workflows: what the relay sends on its own when an executor is DEAD."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.errors import Prerequisite, Unsupported
from scenarios.world import Executor, World


async def _die(world: World, version: str) -> tuple[Executor, Executor, Mapping[str, Any]]:
    """One of two executors dies. Returns the peer, the dead one, and the recovery request that the peer gets."""
    app = await world.app()
    peer = await ready_executor(world, app, version=version)
    mortal = await ready_executor(world, app, version=version)
    await mortal.drop("rst")
    timing = world.timing
    within_s = app.grace_s + timing.backoff_first_s + 2 * (timing.scan_s + timing.slack_s)
    asked = await world.until_frame(peer, "recovery", within_s=within_s)
    if asked is None:
        raise Prerequisite("the relay asked nobody to recover the dead executor")
    return peer, mortal, asked


@scenario(
    "MSG-recovery/asked",
    clauses=("MSG-recovery",),
    title="A recovery request names the dead executor in executor_ids",
    variants={"plain": "v1", "odd-version": "v1/ä #"},
)
async def asked(world: World, version: str) -> None:
    _, mortal, request = await _die(world, version)
    world.expect(
        "MSG-recovery",
        "equal",
        "an array with the one id",
        name="executor_ids",
        want=[mortal.id],
        got=request.get("executor_ids"),
    )


@scenario(
    "MSG-exist_pending_workflows/asked",
    clauses=("MSG-exist_pending_workflows",),
    title="The question for what is left names the dead executor and its version",
    needs=("exist_pending",),
    variants={"plain": "v1", "odd-version": "v1/ä #"},
)
async def asked_what_is_left(world: World, version: str) -> None:
    peer, mortal, _ = await _die(world, version)
    within_s = world.timing.scan_s + world.timing.slack_s + world.timing.request_deadline_s
    request = await world.until_frame(peer, "exist_pending_workflows", within_s=within_s)
    if request is None:
        raise Unsupported("the relay asks nobody for what is left: the message is judged when it is sent")
    world.expect(
        "MSG-exist_pending_workflows",
        "equal",
        "those of the dead executor",
        name="executor_id and application_version",
        want={"executor_id": mortal.id, "application_version": version},
        got={name: request.get(name) for name in ("executor_id", "application_version")},
    )
