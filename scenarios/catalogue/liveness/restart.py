"""LIV-15: a relay that is killed and started again forgets no executor."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    DEAD_FROM,
    HEALTHY_BY,
    JOINED_ASKED_BY,
    back,
    dead,
    expect_stays,
    gone,
    healthy,
    in_seconds,
    introduced,
    leave,
    naming,
    patience,
    read_audit,
    seconds,
)
from scenarios.catalogue.observing import look, too_slow
from scenarios.world import App, Executor, World

DEAD_FROM_READY_BY = "g + scan + slack"  # the relay itself starts the period: no slack for noticing


async def _killed(world: World, down: str = "0") -> tuple[int, int]:
    """Kill the relay, keep it down, start it. The moments just before it was started and after it was ready.

    Its own readiness lies between the two.
    """
    await world.relay.kill()
    await world.sleep(seconds(world, down))
    starting = world.note("the relay is started again")
    await world.relay.start()
    return starting, world.note("the relay is ready")


def _in_time(world: World, ready_ns: int) -> bool:
    """Whether what just came back did so within the grace period that began with readiness, on however slow a host."""
    return (world.now_ns() - ready_ns) / 1e9 < seconds(world, "g - slack")


async def _expect_not_recovered(world: World, app: App, executor: Executor, since: int, until: int) -> None:
    world.expect(
        "LIV-15", "no_frame", "nobody is asked to recover it",
        app=app.name, type="recovery", match=naming(executor), since=since, until=until,
    )  # fmt: skip


@scenario(
    "LIV-15/healthy",
    clauses=("LIV-15",),
    title="Executors that were HEALTHY at the crash have a whole grace period from readiness",
    faults=(28, 32, 34),
    needs=("restart",),
    disturbs=True,
    variants={"short": "0", "longer-than-grace": "1.2*g"},
)
async def was_healthy(world: World, down: str) -> None:
    """One comes back late in its period and lives; one stays away and dies, a whole period after readiness."""
    app = await world.app()
    returning, lost, peer = [await world.executor(app) for _ in range(3)]
    await healthy(world, returning, lost, peer)
    starting, ready = await _killed(world, down)
    ready_ns = world.now_ns()
    await back(world, peer)
    await world.sleep(seconds(world, "0.3*g"))
    returned = await back(world, returning)
    in_time = _in_time(world, ready_ns)
    await world.until_status(lost, "DEAD", "GONE", within_s=patience(world, DEAD_FROM_READY_BY))
    world.expect(
        "LIV-15", "transition", "who stays away has a whole grace period from readiness",
        executor=lost.id, to=["DEAD", "GONE"], after=starting, earliest=DEAD_FROM, latest=None,
    )  # fmt: skip
    world.expect(
        "LIV-15", "transition", "and not more", executor=lost.id, to=["DEAD", "GONE"], after=ready,
        latest=DEAD_FROM_READY_BY,
    )  # fmt: skip
    for after, earliest, latest in ((starting, DEAD_FROM, None), (ready, "0", f"{DEAD_FROM_READY_BY} + recovery")):
        world.expect(
            "LIV-15", "frame", "then somebody is asked to recover it", app=app.name, type="recovery",
            match=naming(lost), after=after, earliest=earliest, latest=latest,
        )  # fmt: skip
    await world.sleep(seconds(world, "scan + 2*slack"))
    until = world.note("a grace period and more after readiness")
    if in_time and world.profile.can("list"):
        world.expect(
            "LIV-15", "listed", "who comes back is HEALTHY", executor=returning.id, after=returned,
            fields={"status": "HEALTHY"}, latest=HEALTHY_BY,
        )  # fmt: skip
    for executor in (returning, peer) if in_time else (peer,):
        await _expect_not_recovered(world, app, executor, ready, until)
    await read_audit(world, app)


@scenario(
    "LIV-15/disconnected",
    clauses=("LIV-15",),
    title="Who was DISCONNECTED at the crash has what was left of its grace period, downtime not counted",
    faults=(28, 32),
    needs=("restart", "list"),
    disturbs=True,
    variants={"short": 0.0, "longer-than-the-rest": 0.6},
)
async def was_disconnected(world: World, down: float) -> None:
    """``down``: how long, in grace periods. The age at the crash is kept to a second, so the rest has two bounds."""
    app = await world.app(grace_s=2 * world.timing.grace_s if world.timing.grace_s < 4 else None)
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    leaves_ns = world.now_ns()
    await leave(world, executor)
    left_ns = world.now_ns()
    await world.until_status(executor, "DISCONNECTED", within_s=patience(world, "slack"))
    await world.sleep(0.6 * app.grace_s)
    killed_after_ns = world.now_ns()
    await world.relay.kill()
    killed_ns = world.now_ns()
    await world.sleep(down * app.grace_s)
    starting = world.note("the relay is started again")
    await world.relay.start()
    ready = world.note("the relay is ready")
    await back(world, peer)
    age_most_s, age_least_s = (killed_ns - leaves_ns) / 1e9, (killed_after_ns - left_ns) / 1e9
    await world.until_status(executor, "DEAD", "GONE", within_s=patience(world, DEAD_FROM_READY_BY, app.grace_s))
    world.expect(
        "LIV-15", "transition", "DEAD no sooner than the rest of its grace period after readiness",
        executor=executor.id, to=["DEAD", "GONE"], after=starting, g=app.grace_s,
        earliest=f"max(0, g - {in_seconds(age_most_s)})", latest=None,
    )  # fmt: skip
    world.expect(
        "LIV-15", "transition", "and no later, by more than the second to which its age was kept",
        executor=executor.id, to=["DEAD", "GONE"], after=ready, g=app.grace_s,
        latest=f"max(0, g - {in_seconds(age_least_s)}) + 1 + scan + 2*slack",
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "LIV-15/disconnected-returns",
    clauses=("LIV-15",),
    title="Who was DISCONNECTED at the crash and comes back in time is HEALTHY",
    faults=(32,),
    needs=("restart",),
    disturbs=True,
)
async def disconnected_returns(world: World) -> None:
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    left = await leave(world, executor)
    await world.until_status(executor, "DISCONNECTED", within_s=patience(world, "slack"))
    _, ready = await _killed(world, "0.8*g")
    ready_ns = world.now_ns()
    await back(world, peer)
    await world.sleep(seconds(world, "0.3*g"))
    if world.profile.can("list"):
        await look(world, app)  # a poll that was on its way when the relay came back may be all there is till now
    returned = await back(world, executor)
    if not _in_time(world, ready_ns):
        return too_slow(world, "it came back later than a grace period after readiness")
    await world.until_status(executor, "HEALTHY", within_s=patience(world, HEALTHY_BY))
    if world.profile.can("list"):
        world.expect(
            "LIV-15", "listed", "HEALTHY again", executor=executor.id, after=returned,
            fields={"status": "HEALTHY"}, latest=HEALTHY_BY,
        )  # fmt: skip
    since = world.note("HEALTHY again")
    await world.sleep(seconds(world, "0.7*g + scan + slack"))
    until = world.note("a whole grace period after readiness")
    alive = ("HEALTHY", "DISCONNECTED")
    expect_stays(world, "LIV-15", "never DEAD", executor, *alive, since=ready, until=returned)
    expect_stays(world, "LIV-15", "then HEALTHY and nothing else", executor, "HEALTHY", since=since, until=until)
    await _expect_not_recovered(world, app, executor, left, until)
    await read_audit(world, app)


@scenario(
    "LIV-15/dead",
    clauses=("LIV-15", "REC-19"),
    title="Who was DEAD at the crash stays DEAD and is dispatched to the first eligible peer",
    faults=(28,),
    needs=("restart",),
    disturbs=True,
)
async def was_dead(world: World) -> None:
    app = await world.app()
    executor = await world.executor(app)
    await healthy(world, executor)
    await leave(world, executor)
    await dead(world, executor)
    _, ready = await _killed(world, "0.5*g")
    await world.sleep(seconds(world, "0.3*g"))
    if world.profile.can("list"):
        await look(world, app)
    late = world.note("still without a peer")
    expect_stays(world, "LIV-15", "stays DEAD", executor, "DEAD", since=ready, until=late)
    peer = await world.executor(app)
    joined = introduced(world, peer)
    await world.until_frame(peer, "recovery", within_s=patience(world, JOINED_ASKED_BY), match=naming(executor))
    for clause in ("LIV-15", "REC-19"):
        world.expect(
            clause, "frame", "the first peer that joins is asked",
            executor=peer.id, type="recovery", match=naming(executor), after=joined, latest=JOINED_ASKED_BY,
        )  # fmt: skip
    await gone(world, executor)
    await read_audit(world, app)
