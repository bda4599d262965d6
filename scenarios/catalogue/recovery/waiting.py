"""REC-11, REC-12: nobody there, or nobody who agrees."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    JOINED_ASKED_BY,
    back,
    die,
    expect_stays,
    gone,
    healthy,
    introduced,
    leave,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.catalogue.recovery.dispatches import HOLDS, Dispatches, Part, fail, refuse
from scenarios.world import App, Executor, Reply, World


async def _expect_newcomer_asked(world: World, app: App, executor: Executor) -> None:
    peer = await world.executor(app)
    joined = introduced(world, peer)
    await world.until_frame(peer, "recovery", within_s=patience(world, JOINED_ASKED_BY), match=naming(executor))
    world.expect(
        "REC-11", "frame", "the newcomer is asked", executor=peer.id, type="recovery", match=naming(executor),
        after=joined, latest=JOINED_ASKED_BY,
    )  # fmt: skip
    await gone(world, executor)
    await read_audit(world, app)


@scenario(
    "REC-11/no-peer",
    clauses=("REC-11",),
    title="Without a peer the executor stays DEAD, and the first that joins is asked",
    faults=(12, 28, 74),
)
async def no_peer(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await die(world, executor)
    since = world.note("DEAD")
    await world.sleep(seconds(world, "g"))
    expect_stays(world, "REC-11", "stays DEAD", executor, "DEAD", since=since, until=world.note("waited in vain"))
    await _expect_newcomer_asked(world, app, executor)


@scenario(
    "REC-11/joins-while-disconnected",
    clauses=("REC-11", "REC-1"),
    title="A peer that joins while the executor is DISCONNECTED is asked once it is DEAD",
    faults=(74,),
)
async def joins_while_disconnected(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    left = await leave(world, executor)
    await world.sleep(seconds(world, "0.5*g"))
    peer = await world.executor(app)
    await world.until_frame(
        peer, "recovery", within_s=patience(world, "g + 2*scan + 3*slack + backoff"), match=naming(executor)
    )
    for clause in ("REC-1", "REC-11"):
        world.expect(
            clause, "frame", "the peer is asked once the grace period is over", executor=peer.id, type="recovery",
            match=naming(executor), after=left, earliest="g", latest="g + 2*scan + 3*slack + backoff",
        )  # fmt: skip
    await gone(world, executor)
    await read_audit(world, app)


@scenario(
    "REC-11/all-refused",
    clauses=("REC-11",),
    title="After all have refused it stays DEAD, and a newcomer is asked without waiting for the backoff",
    faults=(9, 74, 80),
)
async def all_refused(world: World) -> None:
    """By then the backoff has grown beyond its first step: a join resets it."""
    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(2)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [refuse])
    await leave(world, executor)
    first = await dispatches.first()
    await dispatches.until(6, within="8*backoff + 6*slack")
    refused = world.note("all have refused")
    expect_stays(world, "REC-11", "stays DEAD", executor, "DEAD", since=first.end, until=refused)
    await _expect_newcomer_asked(world, app, executor)


@scenario(
    "REC-11/peer-returns",
    clauses=("REC-11",),
    title="A peer that was away itself is asked when it is back",
    faults=(35, 74),
)
async def peer_returns(world: World) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    await leave(world, executor)
    await world.sleep(seconds(world, "0.6*g"))
    await leave(world, peer)
    await world.until_status(executor, "DEAD", within_s=patience(world, "g + scan + 2*slack"))
    await world.sleep(seconds(world, "scan"))
    returned = await back(world, peer)
    await world.until_frame(peer, "recovery", within_s=patience(world, JOINED_ASKED_BY), match=naming(executor))
    world.expect(
        "REC-11", "frame", "the returned peer is asked", executor=peer.id, type="recovery", match=naming(executor),
        after=returned, latest=JOINED_ASKED_BY,
    )  # fmt: skip
    await gone(world, executor)
    await read_audit(world, app)


@scenario(
    "REC-12/keeps-trying",
    clauses=("REC-12", "REC-11"),
    title="While candidates refuse, the relay goes on trying, at growing and bounded distances",
    faults=(9, 80),
    variants={"one-refuses": (1, refuse), "one-fails": (1, fail), "three-refuse": (3, refuse)},
)
async def keeps_trying(world: World, crowd: tuple[int, Part]) -> None:
    """Watched until the backoff has reached its cap and once more."""
    count, part = crowd
    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(count)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [part])
    left = await leave(world, executor)
    first = await dispatches.first()
    await world.sleep(_until_capped_s(world))
    await dispatches.until(4, within="4*backoff_cap")  # over already, but on a host that is slow itself
    until = world.note("watched beyond the cap of the backoff")
    world.expect(
        "REC-12", "growing", "dispatches go on, their distances grow and stay bounded", executor=executor.id,
        since=left, until=until, at_least=4,
    )  # fmt: skip
    world.expect(
        "REC-12", "count", "no faster than the first backoff allows", app=app.name, type="recovery",
        match=naming(executor), since=left, until=until, at_least=4,
        at_most=count * int(_until_capped_s(world) / max(seconds(world, "backoff"), 0.01)),
    )  # fmt: skip
    # Only a list shows it, and the judge says so: the frames are REC-12's, which is no MUST.
    world.expect("REC-11", "stays", "stays DEAD", executor=executor.id, statuses=["DEAD"], since=first.end, until=until)
    await read_audit(world, app)


def _until_capped_s(world: World) -> float:
    """The doubling backoffs up to the cap, and the cap once."""
    backoff_s, cap_s, total_s = seconds(world, "backoff"), seconds(world, "backoff_cap"), 0.0
    while 0 < backoff_s < cap_s:
        total_s += backoff_s
        backoff_s *= 2
    return total_s + cap_s + seconds(world, "slack + scan")


@scenario(
    "REC-12/gives-in-late",
    clauses=("REC-12",),
    title="A candidate that refused again and again and then agrees is asked that once more",
    faults=(9, 74, 80),
)
async def gives_in_late(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    answers = [Reply(fields={"success": False})] * 3 + [Reply()]
    peer = await world.executor(app, script=scripted(recovery=answers))
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    await world.until_frame(
        peer, "recovery", within_s=patience(world, "g + 9*backoff + 5*slack + 5*scan"), match=naming(executor), count=4
    )
    await gone(world, executor)
    until = world.note("recovered at last, or it is too late")
    world.expect(
        "REC-12", "count", "asked until it agrees", executor=peer.id, type="recovery", match=naming(executor),
        since=left, until=until, at_least=4, at_most=4,
    )  # fmt: skip
    await read_audit(world, app)
