"""LIV-16: the wall clock may step; deadlines do not."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    DEAD_BY,
    DEAD_FROM,
    SILENT_BY,
    expect_stays,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.world import Reply, World

STEPS = {"forward": 3600.0, "back": -3600.0}


@scenario(
    "LIV-16/while-healthy",
    clauses=("LIV-16",),
    title="A step of the wall clock kills no live executor",
    faults=(38,),
    worlds=("simulated",),
    variants=STEPS,
)
async def while_healthy(world: World, step_s: float) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    since = world.note("the wall clock steps")
    await world.relay.step_clock(step_s)
    await world.sleep(seconds(world, SILENT_BY))
    until = world.note("held for more than a ping wait")
    expect_stays(world, "LIV-16", "stays HEALTHY", executor, "HEALTHY", since=since, until=until)
    world.expect("LIV-16", "open", "its socket stays open", conn=executor.conn, since=since, until=until)
    world.expect("LIV-1", "pings", "it is pinged as ever", conn=executor.conn, since=since, until=until)
    await read_audit(world, app)


@scenario(
    "LIV-16/while-away",
    clauses=("LIV-16",),
    title="A step of the wall clock neither shortens nor lengthens a grace period",
    faults=(38,),
    worlds=("simulated",),
    variants=STEPS,
)
async def while_away(world: World, step_s: float) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    await world.sleep(seconds(world, "0.5*g"))
    await world.relay.step_clock(step_s)
    await world.until_status(executor, "DEAD", "GONE", within_s=patience(world, DEAD_BY))
    world.expect(
        "LIV-16", "transition", "DEAD when its grace period is over",
        executor=executor.id, to=["DEAD", "GONE"], after=left, earliest=DEAD_FROM, latest=DEAD_BY,
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "LIV-16/while-dispatched",
    clauses=("LIV-16",),
    title="A step of the wall clock moves neither the deadline of a dispatch nor the backoff",
    faults=(38,),
    worlds=("simulated",),
    variants=STEPS,
)
async def while_dispatched(world: World, step_s: float) -> None:
    """The only peer is silent once, then refuses once, then agrees: three dispatches, two waits, a step in each."""
    answers = [Reply(silent=True), Reply(fields={"success": False}), Reply()]
    app = await world.app()
    executor = await world.executor(app)
    peer = await world.executor(app, script=scripted(recovery=answers))
    await healthy(world, executor, peer)
    await leave(world, executor)
    within_s = patience(world, "g + recovery + backoff")
    windows = {2: ("recovery - slack", "recovery + backoff + slack"), 3: ("0", "2*backoff + slack")}
    asked = -1
    for number in (1, 2, 3):
        await world.until_frame(peer, "recovery", within_s=within_s, match=naming(executor), count=number)
        if number > 1:
            earliest, latest = windows[number]
            world.expect(
                "LIV-16", "frame", f"dispatch {number} in its time", executor=peer.id, type="recovery",
                match=naming(executor), after=asked, earliest=earliest, latest=latest,
            )  # fmt: skip
        asked = world.note(f"dispatch {number} is out")
        await world.relay.step_clock(step_s)
    await read_audit(world, app)
