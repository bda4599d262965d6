"""LIV-6, LIV-8: coming back within the grace period."""

from __future__ import annotations

from dataclasses import dataclass

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    DEAD_BY,
    DEAD_FROM,
    ENDS_NOW,
    HEALTHY_BY,
    PREMISE_S,
    back,
    expect_stays,
    healthy,
    leave,
    naming,
    patience,
    read_audit,
    seconds,
)
from scenarios.catalogue.observing import TRIES, too_slow
from scenarios.world import App, Executor, World

INSTANTS = {
    "at-once": "0",
    "early": "0.1*g",
    "half-way": "0.5*g",
    "late": "g - 2*slack",
    "just-inside": "g - slack",
}
"""How long it stays away: the last ones cross the end of the grace period if the relay rounds down or counts double."""


@dataclass(frozen=True)
class Absence:
    """``left`` and ``returned`` are event numbers; ``away_s`` is no less than what the relay saw."""

    left: int
    returned: int
    away_s: float


async def _be_away(world: World, executor: Executor, how: str, away: str) -> Absence:
    left_at_ns = world.now_ns()
    left = await leave(world, executor, how)
    await world.sleep(seconds(world, away))
    returned = await back(world, executor)
    return Absence(left, returned, (world.now_ns() - left_at_ns) / 1e9)


@scenario(
    "LIV-6/reconnect",
    clauses=("LIV-6",),
    title="A reconnect within the grace period returns it to HEALTHY, and nothing is recovered",
    faults=(41, 42, 58, 78),
    variants=INSTANTS,
)
async def reconnect(world: World, away: str) -> None:
    """A peer stands by, so that a relay that recovers too early is seen to do it."""
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    for _ in range(TRIES):
        await healthy(world, executor, peer)
        absence = await _be_away(world, executor, ENDS_NOW, away)
        if absence.away_s < app.grace_s:
            break
    else:
        return too_slow(world, f"each absence lasted longer than the grace period of {app.grace_s:g} s")
    await world.until_status(executor, "HEALTHY", within_s=patience(world, HEALTHY_BY))
    await world.sleep(seconds(world, "g + scan + slack"))  # a timer of the first disconnection would be over
    until = world.note("a whole grace period later")
    if world.profile.can("list"):
        world.expect(
            "LIV-6", "listed", "HEALTHY again",
            executor=executor.id, after=absence.returned, fields={"status": "HEALTHY"}, latest=HEALTHY_BY,
        )  # fmt: skip
    await _expect_never_dead(world, "LIV-6", app, executor, since=absence.left, until=until)


async def _expect_never_dead(
    world: World, clause: str, app: App, executor: Executor, *, since: int, until: int
) -> None:
    alive = ("HEALTHY", "DISCONNECTED")
    expect_stays(world, clause, "never DEAD", executor, *alive, since=since, until=until)
    world.expect(
        clause, "no_frame", "nobody is asked to recover it",
        app=app.name, type="recovery", match=naming(executor), since=since, until=until,
    )  # fmt: skip
    await read_audit(world, app)


@scenario(
    "LIV-8/flapping",
    clauses=("LIV-8", "LIV-7"),
    title="An executor that flaps within the grace period never dies of it; staying away, it has a whole one",
    faults=(29, 53),
)
async def flapping(world: World) -> None:
    """Three absences of 0.6 g are together longer than one grace period."""
    app = await world.app()
    executor, peer = await world.executor(app), await world.executor(app)
    await healthy(world, executor, peer)
    for _ in range(TRIES):
        since = world.note("flapping begins")
        longest_s = 0.0
        for how in ("rst", "close-1001", "fin"):
            longest_s = max(longest_s, (await _be_away(world, executor, how, "0.6*g")).away_s)
            if not await world.until_status(executor, "HEALTHY", within_s=patience(world, HEALTHY_BY) + PREMISE_S):
                break
        if longest_s < app.grace_s:
            break
    else:
        return too_slow(world, f"an absence lasted longer than the grace period of {app.grace_s:g} s")
    left = await leave(world, executor)
    await _expect_never_dead(world, "LIV-8", app, executor, since=since, until=left)
    await world.until_status(executor, "DEAD", "GONE", within_s=patience(world, DEAD_BY))
    world.expect(
        "LIV-7", "transition", "DEAD one whole grace period after the last disconnection",
        executor=executor.id, to=["DEAD", "GONE"], after=left, earliest=DEAD_FROM, latest=DEAD_BY,
    )  # fmt: skip
