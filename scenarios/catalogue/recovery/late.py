"""REC-17, REC-24: answers that come after their deadline."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    gone,
    healthy,
    leave,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.catalogue.recovery.dispatches import HOLDS, Dispatches, accept, answer, hold
from scenarios.errors import Prerequisite
from scenarios.world import Reply, World

AFTER_TIMEOUT = "recovery + backoff + slack"


@scenario(
    "REC-17/late-answer",
    clauses=("REC-17",),
    title="An earlier candidate's late answer closes nothing and loses nothing",
    faults=(2, 19, 77),
    variants={
        "success-before-the-next-one": ({"success": True}, True),
        "success-after-the-next-one": ({"success": True}, False),
        "refusal": ({"success": False}, True),
        "error": ({"success": False, "error_message": "too late"}, True),
    },
)
async def late_answer(world: World, kind: tuple[dict[str, object], bool]) -> None:
    """The second candidate has its request when the first one's answer comes, and agrees before or after it."""
    fields, before = kind
    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(2)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [hold, hold, accept])
    left = await leave(world, executor)
    first = await dispatches.first()
    if not await dispatches.until(2, within=AFTER_TIMEOUT):
        raise Prerequisite("no second candidate was asked after the first one's deadline")
    second = dispatches.seen[1]
    since = world.note("the late answer comes")
    for dispatch in (first, second) if before else (second, first):
        await answer(world, dispatch, **(fields if dispatch is first else {"success": True}))
        await world.sleep(seconds(world, "slack"))
    await gone(world, executor, within="recovery + request")
    await world.sleep(seconds(world, "slack + scan"))
    until = world.note("all answers are in")
    for peer in peers:
        world.expect("REC-17", "open", "no connection is closed", conn=peer.conn, since=since, until=until)
    if world.profile.can("list"):
        world.expect(
            "REC-17", "transition", "the executor is recovered once", executor=executor.id, to="GONE", after=left,
            latest=f"g + scan + 2*slack + 2*({AFTER_TIMEOUT}) + request",
        )  # fmt: skip
    world.expect("REC-10", "sequential", "one at a time", executor=executor.id)
    await read_audit(world, app)


@scenario(
    "REC-24/late-success",
    clauses=("REC-24",),
    title="A dispatch that timed out may have been carried out: its late success counts",
    faults=(2, 19),
)
async def late_success(world: World) -> None:
    """The only candidate; whether the relay has asked it again meanwhile does not matter."""
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app, script=HOLDS)
    await healthy(world, executor, peer)
    dispatches = Dispatches(world, executor, [peer], [hold])
    await leave(world, executor)
    first = await dispatches.first()
    await world.sleep(seconds(world, "recovery + slack"))
    await answer(world, first, success=True)
    await gone(world, executor)
    if world.profile.can("list"):
        world.expect(
            "REC-24", "transition", "its late success deletes the record", executor=executor.id, to="GONE",
            after=first.end, latest="slack + request",
        )  # fmt: skip
    else:
        world.expect(
            "REC-24", "no_frame", "nobody is asked after the late success", app=app.name, type="recovery",
            since=first.end, until=world.note("watched"),
        )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-17/crossing-the-deadline",
    clauses=("REC-17",),
    title="An answer that crosses its own deadline loses nothing",
    faults=(19,),
)
async def crossing_the_deadline(world: World) -> None:
    """Sent in the very moment at which the relay gives up: taken or not, the executor is recovered in the end."""
    app = await world.app()
    executor = await world.executor(app)
    answers = [Reply(after_s=seconds(world, "recovery")), Reply()]
    peer = await world.executor(app, script=scripted(recovery=answers))
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    await world.until_status(executor, "DEAD", within_s=patience(world, "g + scan + 2*slack"))
    await gone(world, executor, within=f"2*({AFTER_TIMEOUT}) + request")
    until = world.note("recovered, or it is too late")
    world.expect("REC-17", "open", "no connection is closed", conn=peer.conn, since=left, until=until)
    if world.profile.can("list"):
        world.expect(
            "REC-17", "transition", "the executor is recovered", executor=executor.id, to="GONE", after=left,
            latest=f"g + scan + 2*slack + 2*({AFTER_TIMEOUT}) + request",
        )  # fmt: skip
    await read_audit(world, app)
