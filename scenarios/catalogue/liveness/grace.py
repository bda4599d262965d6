"""LIV-9, LIV-10: whose grace period it is, and what changes it."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.liveness.moments import (
    DEAD_BY,
    DEAD_FROM,
    healthy,
    leave,
    patience,
    read_audit,
    scripted,
)
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, Reply, World

TIMEOUT = "executorTimeoutSecs"


async def _pair(world: World, app: App) -> tuple[Executor, Executor]:
    """One that will die, and a peer that keeps its record by never answering the recovery."""
    executor = await world.executor(app)
    peer = await world.executor(app, script=scripted(recovery=Reply(silent=True)))
    await healthy(world, executor, peer)
    return executor, peer


async def _set_grace(world: World, app: App, grace_s: int) -> None:
    answer = await world.control.patch_settings(app, {TIMEOUT: grace_s})
    if not 200 <= answer.status < 300:
        raise Prerequisite(f"the settings change of {app.name} was answered {answer.status}")


async def _expect_dead(world: World, executor: Executor, moment: int, grace_s: float, text: str) -> None:
    await world.until_status(executor, "DEAD", within_s=patience(world, DEAD_BY, grace_s))
    world.expect(
        "LIV-9", "transition", text,
        executor=executor.id, to="DEAD", after=moment, earliest=DEAD_FROM, latest=DEAD_BY, g=grace_s,
    )  # fmt: skip


@scenario(
    "LIV-9/per-application",
    clauses=("LIV-9",),
    title="Two applications, two grace periods",
    needs=("settings",),
)
async def per_application(world: World) -> None:
    short_s = world.timing.grace_s
    short, long = await world.app(), await world.app(grace_s=2 * short_s)
    (brief, _), (patient, _) = await _pair(world, short), await _pair(world, long)
    brief_left, patient_left = await leave(world, brief), await leave(world, patient)
    await _expect_dead(world, brief, brief_left, short_s, "DEAD after its own application's grace period")
    await _expect_dead(world, patient, patient_left, 2 * short_s, "DEAD after twice that, as its application says")
    await read_audit(world, short)


@scenario(
    "LIV-9/changed",
    clauses=("LIV-9",),
    title="A settings change holds for that application alone",
    needs=("settings",),
)
async def changed(world: World) -> None:
    grace_s = int(world.timing.grace_s)
    app, other = await world.app(), await world.app()
    (executor, _), (neighbour, _) = await _pair(world, app), await _pair(world, other)
    await _set_grace(world, app, 2 * grace_s)
    left, neighbour_left = await leave(world, executor), await leave(world, neighbour)
    await _expect_dead(world, neighbour, neighbour_left, grace_s, "the other application keeps its grace period")
    await _expect_dead(world, executor, left, 2 * grace_s, "DEAD after the new grace period")
    await read_audit(world, app)


@scenario(
    "LIV-9/survives-a-restart",
    clauses=("LIV-9",),
    title="A changed grace period is still in force after a restart",
    needs=("settings", "restart"),
    disturbs=True,
)
async def survives_a_restart(world: World) -> None:
    grace_s = 2 * int(world.timing.grace_s)
    app = await world.app()
    await _set_grace(world, app, grace_s)
    await world.relay.kill()
    await world.relay.start()
    executor, _ = await _pair(world, app)
    await _expect_dead(world, executor, await leave(world, executor), grace_s, "DEAD after the grace period set before")
    await read_audit(world, app)


@scenario(
    "LIV-10/change-while-away",
    clauses=("LIV-10",),
    title="A settings change while a grace period runs: from when on it holds",
    faults=(78,),
    needs=("settings", "list"),
    variants={"shorter": (2, 1), "below-what-has-passed": (3, 1), "longer": (1, 2)},
)
async def change_while_away(world: World, graces: tuple[int, int]) -> None:
    """Factors of the run's grace: before and after. Half of the run's grace (or, shortened below what has passed,

    one and a half) after the end of the socket the setting changes. Measured, not judged.
    """
    unit_s = int(world.timing.grace_s)
    before_s, after_s = (factor * unit_s for factor in graces)
    app = await world.app(grace_s=before_s)
    executor, _ = await _pair(world, app)
    await leave(world, executor)
    left_at_ns = world.now_ns()
    await world.sleep((1.5 if graces[0] == 3 else 0.5) * unit_s)
    await _set_grace(world, app, after_s)
    longest_s = max(before_s, after_s)
    died = await world.until_status(executor, "DEAD", within_s=patience(world, DEAD_BY, longest_s))
    away_s = (world.now_ns() - left_at_ns) / 1e9
    running = abs(away_s - before_s) > abs(away_s - max(after_s, 1.5 * unit_s if graces[0] == 3 else 0))
    world.expect(
        "LIV-10", "value", "how long it was DISCONNECTED",
        name=f"grace of {before_s} s changed to {after_s} s while it ran", value=round(away_s, 3), unit="s",
    )  # fmt: skip
    world.expect(
        "LIV-10", "value", "whether the change held for the running period",
        name="a change holds for the running grace period", value=died and running, unit="",
    )  # fmt: skip
    await read_audit(world, app)
