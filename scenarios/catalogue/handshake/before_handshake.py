"""HSK-7: until it has said who it is, a connection is nobody's executor."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.handshake.answers import SILENT
from scenarios.catalogue.observing import recorded
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, World


async def _keep_dialing(world: World, executor: Executor, conns: list[int]) -> None:
    """A relay may close it at the handshake deadline: some connection without handshake shall always be there."""
    while True:
        conns.append(await executor.connect(wait=False))
        await world.until_closed(executor, conn=conns[-1], within_s=10 * world.timing.handshake_deadline_s)
        await world.sleep(world.timing.redial_s)


async def _stranger(world: World, app: App) -> tuple[Executor, list[int]]:
    """An executor that always has a connection without handshake, and the growing list of its connections."""
    executor = await world.executor(app, script=SILENT, connect=False)
    conns: list[int] = []
    world.spawn(_keep_dialing(world, executor, conns))
    if await world.until_frame(executor, "executor_info", within_s=world.timing.handshake_deadline_s) is None:
        raise Prerequisite("the relay never sent executor_info")
    return executor, conns


def _expect_left_alone(world: World, conns: list[int], since: int) -> None:
    for conn in conns:
        if not recorded(world, "upgraded", conn=conn):
            continue  # the last of them may still be dialing
        world.expect(
            "HSK-7",
            "quiet",
            "nothing but executor_info before the handshake",
            conn=conn,
            since=since,
            until=None,
            allow=["executor_info"],
        )


@scenario(
    "HSK-7/no-candidate",
    clauses=("HSK-7",),
    title="A connection without handshake is not asked to recover a dead executor",
)
async def no_candidate(world: World) -> None:
    app = await world.app()
    timing = world.timing
    mortal = await world.executor(app)
    since = world.note("one executor is registered; another connection says nothing")
    stranger, conns = await _stranger(world, app)
    await mortal.drop("fin")
    dead_s = app.grace_s + timing.scan_s + timing.slack_s
    await world.until_status(mortal, "DEAD", within_s=dead_s + timing.scan_s)
    await world.until_frame(stranger, "recovery", within_s=timing.backoff_first_s + timing.scan_s + timing.slack_s)
    world.expect("HSK-7", "no_frame", "no recovery", executor=stranger.id, type="recovery", since=since, until=None)
    _expect_left_alone(world, conns, since)


@scenario(
    "HSK-7/no-api-requests",
    clauses=("HSK-7",),
    title="An API call is not passed to a connection without handshake",
)
async def no_api_requests(world: World) -> None:
    app = await world.app()
    since = world.note("only a connection without handshake is there")
    _, conns = await _stranger(world, app)
    for op, workflow_id in (("list", ""), ("get", "wf-1"), ("cancel", "wf-1")):
        await world.control.workflow(app, op, workflow_id)
    _expect_left_alone(world, conns, since)
