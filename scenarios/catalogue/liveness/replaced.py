"""LIV-11, LIV-12, LIV-18: two sockets of one executor."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    DEAD_BY,
    HEALTHY_BY,
    back,
    expect_stays,
    healthy,
    introduced,
    naming,
    patience,
    read_audit,
    seconds,
)
from scenarios.world import App, Executor, Script, World

HEALTHY_THROUGH_ONE_BY = "w + i + 2*slack + redial"  # LIV-12


def _redialling(world: World) -> Script:
    """As an SDK does: whoever is closed dials again."""
    return Script(redial_s=world.timing.redial_s)


def _expect_healthy_through_one(world: World, clause: str, executor: Executor, after: int) -> None:
    if world.profile.can("list"):
        world.expect(
            clause, "listed", "HEALTHY through one of the two",
            executor=executor.id, after=after, fields={"status": "HEALTHY"}, latest=HEALTHY_THROUGH_ONE_BY,
        )  # fmt: skip


async def _expect_not_recovered(world: World, clause: str, app: App, executor: Executor, since: int) -> None:
    world.expect(
        clause, "no_frame", "nobody is asked to recover it",
        app=app.name, type="recovery", match=naming(executor), since=since, until=world.note("watched to the end"),
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "LIV-11/stale-close",
    clauses=("LIV-11", "LIV-12"),
    title="The end of an old socket after the reconnect does not demote the new one",
    faults=(29, 69, 83),
    variants={
        "fin-at-once": ("fin", "slack/4"),
        "rst-at-once": ("rst", "slack/4"),
        "rst-late": ("rst", "0.6*w"),
        "fin-after-ping-wait": ("fin", "w + i + slack"),
        "ping-wait-expiry": ("", "w + i + scan + 2*slack"),
        "write-error": ("rst", "0.2*w"),
    },
)
async def stale_close(world: World, end: tuple[str, str]) -> None:
    """The old socket is frozen: the relay can't know. It ends before, within, or by the ping wait.

    A relay that refuses the second socket while the first is open may do so (LIV-12); then LIV-11 is judged from the
    moment at which it took one.
    """
    how, after = end
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    old = executor.conn
    await executor.freeze()
    executor.script(_redialling(world))
    returned = await back(world, executor)
    new = executor.conn
    if how:
        await world.sleep(seconds(world, after))
        world.note(f"the old socket ends by {how}")
        await executor.drop(how, conn=old)
    _expect_healthy_through_one(world, "LIV-12", executor, returned)
    await world.sleep(seconds(world, HEALTHY_THROUGH_ONE_BY))
    since = returned
    if executor.conn != new:
        await world.until_status(executor, "HEALTHY", within_s=patience(world, HEALTHY_BY))
        since = world.note("HEALTHY through another socket")
    await world.sleep(seconds(world, DEAD_BY))
    until = world.note("a whole grace period later")
    expect_stays(world, "LIV-11", "never demoted", executor, "HEALTHY", since=since, until=until)
    world.expect("LIV-11", "open", "its socket stays open", conn=executor.conn, since=since, until=until)
    await _expect_not_recovered(world, "LIV-12", app, executor, returned)


@scenario(
    "LIV-11/crossing",
    clauses=("LIV-11",),
    title="The old socket ends in the very moment of the reconnect",
    faults=(29,),
    variants=("close-1000", "fin", "rst"),
)
async def crossing(world: World, how: str) -> None:
    """Dials while the end of the old socket is on its way: the relay may meet the two in either order.

    Whoever is refused because the old socket is still known dials again.
    """
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    old = executor.conn
    if how == "close-1000":
        await world.gather(executor.close(1000, conn=old), executor.connect())
    else:
        await world.gather(executor.drop(how, conn=old), executor.connect())
    executor.script(_redialling(world))
    _expect_healthy_through_one(world, "LIV-11", executor, introduced(world, executor))
    await world.until_status(executor, "HEALTHY", within_s=patience(world, HEALTHY_THROUGH_ONE_BY))
    since = world.note("HEALTHY through the new socket")
    await world.sleep(seconds(world, DEAD_BY))
    until = world.note("a whole grace period later")
    expect_stays(world, "LIV-11", "never demoted", executor, "HEALTHY", since=since, until=until)
    world.expect("LIV-11", "open", "the new socket stays open", conn=executor.conn, since=since, until=until)
    await _expect_not_recovered(world, "LIV-11", app, executor, since)


@scenario(
    "LIV-12/second-socket",
    clauses=("LIV-12", "LIV-18"),
    title="A second socket of a connected executor takes over, and nothing is recovered",
    faults=(55, 83),
    variants=("answering", "frozen"),
)
async def second_socket(world: World, first: str) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    old = executor.conn
    if first == "frozen":
        await executor.freeze()
        executor.script(_redialling(world))
    returned = await back(world, executor)
    new = executor.conn
    if first == "answering":
        await world.until_closed(executor, conn=old, within_s=seconds(world, "w"))
        world.expect(
            "LIV-18", "closed", "the older socket is closed at once", conn=old, after=returned, latest="2*slack"
        )
    await world.sleep(seconds(world, "g + scan + slack"))
    until = world.note("a whole grace period later")
    world.expect("LIV-18", "open", "the newest socket wins", conn=new, since=returned, until=until)
    _expect_healthy_through_one(world, "LIV-12", executor, returned)
    await _expect_not_recovered(world, "LIV-12", app, executor, returned)


@scenario(
    "LIV-12/twins",
    clauses=("LIV-12",),
    title="Two live processes with one executor id, each dialling again when closed, cost no recovery",
    faults=(55,),
)
async def twins(world: World) -> None:
    app = await world.app()
    peer = await world.executor(app)
    script = Script(redial_s=max(world.timing.redial_s, seconds(world, "i/2")))  # a slow dialler: fewer frames to read
    one = await world.executor(app, script=script)
    await healthy(world, one, peer)
    since = world.note("the twin dials")
    await world.executor(app, one.id, script=script)
    await world.sleep(seconds(world, "g + w"))
    await _expect_not_recovered(world, "LIV-12", app, one, since)
    if world.profile.can("list"):
        world.expect(
            "LIV-12", "not_listed", "never DEAD while either dials", executor=one.id, since=since,
            until=world.note("the twins end"), statuses=["DEAD"],
        )  # fmt: skip
