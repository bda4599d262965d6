"""LIV-3, LIV-5: silence on an open socket, and what is none."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    SILENT_BY,
    SILENT_FROM,
    expect_stays,
    fall_silent,
    healthy,
    in_seconds,
    patience,
    scripted,
    seconds,
)
from scenarios.world import Executor, Reply, Script, World


async def _expect_disconnected(world: World, executor: Executor, last_life: int) -> None:
    await world.until_status(executor, "DISCONNECTED", within_s=patience(world, SILENT_BY))
    world.expect(
        "LIV-3", "transition", "DISCONNECTED after the ping wait, at most one ping interval later",
        executor=executor.id, to="DISCONNECTED", after=last_life, earliest=SILENT_FROM, latest=SILENT_BY,
    )  # fmt: skip


@scenario(
    "LIV-3/silent-socket",
    clauses=("LIV-3",),
    title="A silent executor is disconnected after the ping wait",
    faults=(5,),
)
async def silent_socket(world: World) -> None:
    """Neither reads nor writes, and its socket stays open: a cut cable, a paused process."""
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await world.until_ping(executor, within_s=seconds(world, "w"), count=2)
    await _expect_disconnected(world, executor, await fall_silent(world, executor))


@scenario(
    "LIV-3/closes-the-socket",
    clauses=("LIV-3",),
    title="The relay closes the socket of an executor that answers no ping",
    faults=(40,),
)
async def closes_the_socket(world: World) -> None:
    """It reads on, so that it sees the close."""
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await world.until_ping(executor, within_s=seconds(world, "w"), count=2)
    last_life = await fall_silent(world, executor, reading=True)
    await world.until_closed(executor, within_s=patience(world, SILENT_BY))
    world.expect(
        "LIV-3", "closed", "the relay closes the socket when the ping wait is over",
        conn=executor.conn, after=last_life, earliest=SILENT_FROM, latest=SILENT_BY,
    )  # fmt: skip
    await _expect_disconnected(world, executor, last_life)


@scenario(
    "LIV-3/silent-from-the-start",
    clauses=("LIV-3",),
    title="An executor that falls silent right after its handshake is disconnected too",
    faults=(69,),
    variants=("first-connection", "reconnected", "replaced"),
)
async def silent_from_the_start(world: World, how: str) -> None:
    """Its last sign of life is the executor_info answer; the timer must be armed in every order of things.

    Counted from the first list that shows it HEALTHY, since one that was under way may still show what was before.
    """
    app = await world.app()
    dialled_ns = world.now_ns()
    executor = await world.executor(app)
    if how != "first-connection":
        await healthy(world, executor)
        if how == "reconnected":
            await executor.close()
        dialled_ns = world.now_ns()
        await executor.connect()
    await executor.freeze()
    await healthy(world, executor)
    listed = world.note("listed HEALTHY")
    silent_for = in_seconds((world.now_ns() - dialled_ns) / 1e9)
    await world.until_status(executor, "DISCONNECTED", within_s=patience(world, SILENT_BY))
    world.expect(
        "LIV-3", "transition", "DISCONNECTED after the ping wait, at most one ping interval later",
        executor=executor.id, to="DISCONNECTED", after=listed, latest=SILENT_BY,
        earliest=f"max(0, {SILENT_FROM} - {silent_for})",
    )  # fmt: skip


@scenario("LIV-5/idle", clauses=("LIV-5",), title="Who answers pings stays HEALTHY, however idle", faults=(42, 52))
async def idle(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await _expect_alive(world, executor)


@scenario(
    "LIV-5/late-pongs",
    clauses=("LIV-5",),
    title="Pongs that come late but within the wait keep it HEALTHY",
    faults=(42,),
)
async def late_pongs(world: World) -> None:
    """As late as both readings of the ping wait allow: from the last pong and from the unanswered ping."""
    late_s = max(0.0, seconds(world, "w - i - 2*slack"))
    app = await world.app()
    executor = await world.executor(app, script=Script(pong_after_s=late_s))
    await _expect_alive(world, executor)


@scenario(
    "LIV-5/pongs-after-the-next-ping",
    clauses=("LIV-5",),
    title="A pong that comes after the next ping is a sign of life",
    faults=(42, 77),
    worlds=("simulated",),
)
async def pongs_after_the_next_ping(world: World) -> None:
    """Where interval and wait leave room for it. Virtual time only: a busy host may use up what is left."""
    app = await world.app()
    late_s = max(0.0, seconds(world, "min(1.1*i, w - i - slack/2)"))
    executor = await world.executor(app, script=Script(pong_after_s=late_s))
    await _expect_alive(world, executor)


@scenario(
    "LIV-5/deaf",
    clauses=("LIV-5",),
    title="An executor that answers pings and no request stays HEALTHY",
    faults=(52,),
    needs=("workflows",),
)
async def deaf(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app, script=scripted(list_workflows=Reply(silent=True)))
    await healthy(world, executor)
    call = world.spawn(world.control.workflow(app, "list"))
    await _expect_alive(world, executor)
    await call


async def _expect_alive(world: World, executor: Executor) -> None:
    await healthy(world, executor)
    since = world.note("nothing but pongs from now on")
    await world.sleep(seconds(world, "2*(w + i)"))
    until = world.note("held for two ping waits")
    expect_stays(world, "LIV-5", "HEALTHY all the time", executor, "HEALTHY", since=since, until=until)
    world.expect("LIV-5", "open", "its connection stays open", conn=executor.conn, since=since, until=until)
