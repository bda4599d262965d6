"""Whole schedules: five executors, ten minutes, kills and cut networks, until everything has converged.

The subject is what the search plays: the monitor's invariants and the digest of its trace on SimPy's clock. The floor
is the same world on the bare loop with nobody watching.
"""

from __future__ import annotations

from random import Random
from typing import Any, cast

from reference_relay.core import Core
from scenarios.schedule.file import FaultAt, Member, Schedule
from simulator.bench.loops import BareLoop
from simulator.clock import Clock, ns
from simulator.models.fleet import Fleet
from simulator.search.play import play

DURATION_S = 600.0
_KILL_MEAN_S, _CUT_MEAN_S = 180.0, 240.0
QUIET = 15.0
"""Where most heartbeats change nothing: something befalls the five every five minutes, not every twenty seconds."""


def schedule(seed: int, duration_s: float = DURATION_S, *, rarer: float = 1.0) -> Schedule:
    """Each executor is killed (and restarted) every three minutes or so, and cut off now and then.

    ``rarer``: that many times less often.
    """
    random = Random(seed)
    members = tuple(Member(f"e{place}") for place in range(5))
    faults = []
    for member in members:
        for name, mean_s in (("restart", rarer * _KILL_MEAN_S), ("disconnect", rarer * _CUT_MEAN_S)):
            at_s = random.expovariate(1 / mean_s)
            while at_s < duration_s - 1:
                for_s = 5.0 + 85.0 * random.random() if name == "disconnect" else None
                faults.append(FaultAt(name, round(at_s, 3), member.label, for_s=for_s))
                at_s += (for_s or 0) + random.expovariate(1 / mean_s)
    ordered = tuple(sorted(faults, key=lambda each: (each.at_s, each.on)))
    return Schedule(name=f"bench-{seed}", seed=seed, duration_s=duration_s, executors=members, faults=ordered)


class _Nobody:
    """A watch that looks at nothing."""

    def __getattr__(self, name: str) -> Any:
        return _look_away


def _look_away(*_: object) -> None: ...


def judged(seed: int, duration_s: float = DURATION_S) -> str:
    """Play it as the search does; the digest of its trace. Asserts that nothing was broken."""
    played = play(schedule(seed, duration_s), Core, skip_heartbeats=False)
    assert not played.violations, f"schedule {seed}: {played.violations[0]}"
    return played.digest


def bare(seed: int, duration_s: float = DURATION_S) -> int:
    """The same world and the same end on the bare loop, unwatched; how many it killed."""
    loop, plan = BareLoop(), schedule(seed, duration_s)
    fleet = Fleet(plan, Core, cast(Any, _Nobody()), None, cast(Clock, loop))
    fleet.begin()
    loop.run(ns(plan.duration_s + fleet.settle_s))
    end_ns = ns(plan.duration_s + fleet.converge_s)
    while loop.now_ns < end_ns and not fleet.converged:
        loop.run(loop.now_ns + ns(10.0))
    return fleet.kills


def heartbeats(seed: int, duration_s: float, rarer: float, *, skipped: bool) -> str:
    """The digest of a trace, which leaves heartbeats out: the same whether they are skipped or not."""
    return play(schedule(seed, duration_s, rarer=rarer), Core, skip_heartbeats=skipped).digest
