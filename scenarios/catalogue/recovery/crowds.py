"""REC-16, REC-18: several dead at once, and peers that die in turn."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    ASKED_BY,
    DEAD_BY,
    DEAD_FROM,
    gone,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    scripted,
    seconds,
)
from scenarios.catalogue.recovery.dispatches import HOLDS, Dispatches, accept, lost_by
from scenarios.world import Executor, Reply, World


async def _recovered(world: World, executor: Executor, latest: str) -> bool:
    if world.profile.can("list"):
        return await gone(world, executor, within=latest)
    # A recovery frame that names it is all that shows.
    return await world.until_status(executor, "DEAD", within_s=patience(world, latest))


async def _expect_recovered(world: World, app: str, executor: Executor, after: int) -> None:
    await _recovered(world, executor, ASKED_BY)
    _expect(world, app, executor, after, ASKED_BY)


def _expect(world: World, app: str, executor: Executor, after: int, latest: str) -> None:
    world.expect(
        "REC-16", "count", "it is recovered", app=app, type="recovery", match=naming(executor), since=after,
        until=world.note(f"{executor.id} was recovered, or it is too late"), at_least=1,
    )  # fmt: skip
    if world.profile.can("list"):
        world.expect(
            "REC-16", "transition", "its record is gone", executor=executor.id, to="GONE", after=after, latest=latest
        )


@scenario(
    "REC-16/several-at-once",
    clauses=("REC-16", "REC-18", "REC-1"),
    title="Several executors that die at once are each recovered, by more than one peer",
    faults=(48, 74, 80),
)
async def several_at_once(world: World) -> None:
    """Each answer takes a little, so that a relay which spreads the work has a reason to."""
    app = await world.app()
    script = scripted(recovery=Reply(after_s=seconds(world, "slack")))
    victims = [await world.executor(app) for _ in range(6)]
    peers = [await world.executor(app, script=script) for _ in range(3)]
    await healthy(world, *victims, *peers)
    moments = [await leave(world, victim) for victim in victims]
    latest = f"{DEAD_BY} + recovery + 6*(slack + request)"
    for victim in victims:
        if not await _recovered(world, victim, latest):
            break  # then it is too late for the others as well, who left at the same time
    for victim, left in zip(victims, moments, strict=True):
        _expect(world, app.name, victim, left, latest)
        world.expect("REC-10", "sequential", "one at a time", executor=victim.id)
        world.expect(
            "REC-1", "frame", "one request names it alone", app=app.name, type="recovery", match=naming(victim),
            after=left, latest=None,
        )  # fmt: skip
    world.expect(
        "REC-18", "spread", "the work is spread over the peers", app=app.name,
        dead=[victim.id for victim in victims], at_least=2,
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-16/peer-of-peer",
    clauses=("REC-16",),
    title="A peer that has recovered another and dies in turn is recovered too",
    faults=(13,),
)
async def peer_of_peer(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(2)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [accept])
    await leave(world, executor)
    adopter = (await dispatches.first()).peer
    await gone(world, executor)
    left = await leave(world, adopter)
    (heir,) = [peer for peer in peers if peer is not adopter]
    heirs = Dispatches(world, adopter, [heir], [accept])
    await heirs.until(1)
    await _expect_recovered(world, app.name, adopter, left)
    world.expect(
        "REC-16", "frame", "the heir is asked for what the adopter had", executor=heir.id, type="recovery",
        match=naming(adopter), after=left, earliest=DEAD_FROM, latest=ASKED_BY,
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "REC-16/adopter-dies-before-its-answer",
    clauses=("REC-16", "REC-8"),
    title="The asked peer dies with the request: both are recovered by the next",
    faults=(13, 45),
)
async def adopter_dies_before_its_answer(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    peers = [await world.executor(app, script=HOLDS) for _ in range(2)]
    await healthy(world, executor, *peers)
    dispatches = Dispatches(world, executor, peers, [lost_by("rst"), accept])
    executor_left = await leave(world, executor)
    lost = await dispatches.first()
    (heir,) = dispatches.others(lost, peers)
    heirs = Dispatches(world, lost.peer, [heir], [accept])
    await dispatches.until(2, within="slack + scan")
    world.expect(
        "REC-8", "frame", "the next one is asked at once", executor=heir.id, type="recovery",
        match=naming(executor), after=lost.end, latest="slack + scan",
    )  # fmt: skip
    await _expect_recovered(world, app.name, executor, executor_left)
    await heirs.until(1)
    await _expect_recovered(world, app.name, lost.peer, lost.end)
    await read_audit(world, app)


@scenario(
    "REC-16/hung-dispatch",
    clauses=("REC-16", "LIV-14", "LIV-7"),
    title="One dispatch that is never answered holds up no other executor's deadlines",
    faults=(40, 52),
)
async def hung_dispatch(world: World) -> None:
    """While a deaf peer sits on one recovery, executors of two applications die and are recovered in their time."""
    app, other = await world.app(), await world.app()
    stuck, deaf = await world.executor(app), await world.executor(app, script=HOLDS)
    victims = [await world.executor(other) for _ in range(2)]
    peer = await world.executor(other)
    await healthy(world, stuck, deaf, peer, *victims)
    await leave(world, stuck)
    await world.sleep(seconds(world, "0.2*g"))
    moments = [await leave(world, victim) for victim in victims]
    await world.until_frame(deaf, "recovery", within_s=patience(world, ASKED_BY), match=naming(stuck))
    for victim, left in zip(victims, moments, strict=True):
        await _expect_recovered(world, other.name, victim, left)
        world.expect(
            "LIV-7", "transition", "DEAD in its own time", executor=victim.id, to=["DEAD", "GONE"], after=left,
            earliest=DEAD_FROM, latest=DEAD_BY,
        )  # fmt: skip
        world.expect(
            "LIV-14", "frame", "its peer is asked in its own time", executor=peer.id, type="recovery",
            match=naming(victim), after=left, earliest=DEAD_FROM, latest="g + 2*scan + 3*slack + backoff",
        )  # fmt: skip
    await read_audit(world, app)
