"""The course of every real scenario: launch, work, strike, let the relay heal it, converge, collect the evidence."""

from __future__ import annotations

from collections.abc import Sequence

from chaos import faults, schedule, workload
from chaos.errors import NotAtWork
from chaos.fleet import Fleet
from chaos.real import RealWorld
from chaos.site import Site
from conductor.timing import Timing
from scenarios.errors import Prerequisite
from scenarios.schedule import FaultAt
from scenarios.world import App

__all__ = ["OUTCOMES", "convergence_s", "prove"]

OUTCOMES = {"OUT-1": "ended", "OUT-2": "ended_once", "OUT-3": "steps_kept"}
"""The clauses of outcomes and the judge's rule for each."""

_CONNECT_S = 20.0  # an SDK's first dial may fail on a loaded host: 5 s of time-out and 1 s of wait, a few times over
_WORK_S = 30.0


async def prove(world: RealWorld, fault: str, *, executors: int, beside: Sequence[str] = ()) -> Fleet:
    """Strike one of ``executors`` executors in the middle of its work. ``beside`` are faults that lie in wait.

    Raises `Prerequisite` where the executors can't connect, `NotAtWork` on a host that is too busy. Expectations are
    the caller's to write.
    """
    app = await world.app()
    fleet = await world.fleet(app)
    labels = [f"e{number}" for number in range(1, executors + 1)]
    await fleet.launch(*labels)
    if not await fleet.until(lambda: len(fleet.connected()) == len(labels), _CONNECT_S):
        missing = sorted(set(labels) - set(fleet.connected()))
        raise Prerequisite(f"no executor_info was asked of {', '.join(missing)} within {_CONNECT_S:g} s")
    site = Site((fleet,), world.recorder, world.timing, app.grace_s, seed=world.seed)
    for name in beside:
        await faults.apply(FaultAt(name, 0.0, ""), site)
    strike = schedule.draw(fault, labels, world.seed)
    world.note("strike", fault=fault, victim=strike.victim, steps=strike.steps)
    await fleet.start(strike.victim, workload.jobs(world.seed, each=executors))
    if not await fleet.until_at_work(strike.victim, steps=strike.steps, within_s=_WORK_S):
        raise NotAtWork(
            f"worker {strike.victim} did not get its workflows under way within {_WORK_S:g} s:"
            " this host is too busy to strike it in the middle of them"
        )
    await faults.apply(FaultAt(strike.fault, 0.0, strike.victim), site)
    rounds = 1 + sum(name.startswith("kill") for name in beside)
    await fleet.converge(convergence_s(world.timing, app.grace_s, rounds))
    await _settle(world, app, fleet)
    await fleet.evidence()
    return fleet


def convergence_s(timing: Timing, grace_s: float, rounds: int) -> float:
    """How long after a strike all work must have ended, where ``rounds`` executors die one after the other.

    A kill shows at once on the socket. Then grace, one dispatch, the queue's poll of up to 1 s, and what is left of the
    work; 15 s more are for a loaded host and for a second answer to a relay that asks whether work is left.
    """
    dispatch_s = timing.scan_s + timing.backoff_first_s + timing.request_deadline_s + 2 * timing.slack_s
    return rounds * (grace_s + dispatch_s + 2.0) + workload.SLEEP_S + 3.0 + 15.0


async def _settle(world: RealWorld, app: App, fleet: Fleet) -> None:
    """Let the relay finish what it does about the dead, so that its list and its audit log are whole."""
    struck = {worker.executor for worker in fleet.lives.values() if not worker.alive}
    if world.profile.can("list"):

        async def gone() -> bool:
            return not struck & {seen.executor for seen in await world.control.executors(app)}

        await world.until(gone, within_s=world.timing.request_deadline_s)
    if world.profile.can("audit"):
        await world.control.audit(app.org)
