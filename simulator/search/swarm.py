"""Swarm search: each run draws first which faults and rates exist in it at all, then a schedule of those.

A run in which everything may happen rarely gets far into anything; one with few kinds of fault, each often, does
(swarm testing).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from random import Random

from scenarios.schedule.file import FaultAt, Member, Schedule, targets
from scenarios.schedule.kind import Kind, Value
from scenarios.schedule.kinds import KINDS
from simulator.faults import faults
from simulator.search.sequences import draw_sequence

_LABELS = "abcdefgh"


def schedule_seed(seed: int, number: int) -> int:
    """A seed for each schedule of a search, the same on every machine."""
    return int.from_bytes(hashlib.blake2b(f"{seed}:{number}".encode(), digest_size=6).digest(), "big")


def draw(seed: int) -> Schedule:
    """The schedule of this seed."""
    random = Random(seed)
    timing = _timing(random)
    members = _members(random)
    duration_s = float(random.choice((60, 120, 180)))
    bare = Schedule(
        name=f"seed-{seed}", seed=seed, duration_s=duration_s, executors=members, timing=timing,
        settings={"recoverToLatestVersion": True} if random.random() < 0.3 else {},
        workload=_workload(random, members),
    )  # fmt: skip
    kinds = [KINDS[name] for name in random.sample(sorted(faults()), random.randint(2, 7))]
    kinds += random.choices(_USUAL, k=2)
    grace_s = timing.get("grace_s", 60.0)
    found = []
    for _ in range(random.randint(1, 8)):
        found += _strike(random, random.choice(kinds), bare, grace_s)
    if random.random() < 0.2:
        found = [*found[:2], *draw_sequence(random, bare)]
    workload = dict(bare.workload)
    if any(fault.fault == "wrong-answer" for fault in found):
        workload.setdefault("calls", _RATES[-1])  # callers are who must not be told it
    ordered = sorted(found, key=lambda fault: (fault.at_s, fault.fault, fault.on))
    return Schedule(
        name=bare.name, seed=seed, duration_s=duration_s, executors=members, timing=timing, settings=bare.settings,
        workload=workload, faults=tuple(ordered),
    )  # fmt: skip


_RATES = (8.0, 30.0)  # calls a minute
_USUAL = tuple(KINDS[name] for name in ("kill", "restart", "pause", "disconnect", "refuse-recovery", "relay-kill"))


def _timing(random: Random) -> dict[str, float]:
    return {
        "grace_s": float(random.choice((10, 15, 30, 60))),
        "recovery_deadline_s": float(random.choice((15, 30, 60))),
        "ping_interval_s": float(random.choice((10, 10, 20))),
        "backoff_cap_s": float(random.choice((8, 30))),
    }


def _members(random: Random) -> tuple[Member, ...]:
    count = random.randint(2, 6)
    apps = ["app"]
    if random.random() < 0.3:
        apps.append(random.choice(("app2", "other/app")))
    versions = ["v1"] if random.random() < 0.6 else ["v1", "v2", "v3"]
    languages = ["python", "typescript", "go", "java"]
    spoken = [random.choice(languages)] if random.random() < 0.7 else random.sample(languages, 2)
    return tuple(
        Member(
            _LABELS[at], random.choice(spoken), random.choice(versions) if at else versions[0],
            random.choice(apps) if at else "app",
        )
        for at in range(count)
    )  # fmt: skip


def _workload(random: Random, members: tuple[Member, ...]) -> dict[str, Value]:
    """None where two languages share a version: one would end the other's rows in ERROR (measured), whatever a relay
    does."""
    spoken: dict[tuple[str, str], set[str]] = {}
    for member in members:
        spoken.setdefault((member.app, member.version), set()).add(member.language)
    mixed = any(len(languages) > 1 for languages in spoken.values())
    work: dict[str, Value] = {
        "workflows": 0 if mixed else random.choice((4, 12)),
        "start_s": float(random.choice((5, 60))),
        "steps": random.randint(1, 4),
        "step_s": float(random.choice((1, 5, 15))),
    }
    if random.random() < 0.35:
        work["calls"] = random.choice(_RATES)
    return work


def _strike(random: Random, kind: Kind, schedule: Schedule, grace_s: float) -> list[FaultAt]:
    """One fault; at times its like on others in the same instant or a little later."""
    at_s = round(random.uniform(2.0, schedule.duration_s - 1.0), 3)
    hit = targets(kind, schedule)
    often = random.choice((1, 1, 1, 2, 3)) if kind.on in ("executor", "link") and not kind.all else 1
    for_s = _for_s(random, kind, grace_s)
    found = []
    for target in random.sample(hit, min(often, len(hit))):
        shift_s = random.choice((0.0, 0.0, 0.01, 0.5, 5.0))
        begin_s = min(round(at_s + shift_s, 3), schedule.duration_s)
        found.append(FaultAt(kind.name, begin_s, target, for_s, _args(random, kind, schedule, grace_s)))
    return found


def _for_s(random: Random, kind: Kind, grace_s: float) -> float | None:
    """Around the edges at which something changes: short, the ping wait, the grace, beyond both, to the end."""
    if not kind.heals:
        return None
    near = random.choice((1.0, 12.0, 24.0, 30.0, 36.0, grace_s * 0.8, grace_s + 30.0, grace_s + 60.0, 90.0))
    return round(near * random.uniform(0.9, 1.1), 3)


_Draw = Callable[[Random, float], Value]
_DRAWS: Mapping[tuple[str, str], _Draw] = {
    ("relay-kill", "down_s"): lambda random, grace_s: random.choice((0.3, 2.0, grace_s * 0.5, grace_s * 1.5)),
    ("relay-and-executor-kill", "down_s"): lambda random, grace_s: random.choice((0.3, 2.0, grace_s * 0.5)),
    ("relay-away", "down_s"): lambda random, grace_s: grace_s * 1.5,
    ("restart", "down_s"): lambda random, grace_s: random.choice((0.5, 2.0, grace_s * 0.8, grace_s + 5.0)),
    ("late-close", "late_s"): lambda random, grace_s: random.choice((0.5, 3.0, 10.0, 20.0)),
    ("late-answer", "after_s"): lambda random, grace_s: random.choice((2.0, 17.0, 33.0, 63.0)),
    ("clock-step", "step_s"): lambda random, grace_s: random.choice((-3600.0, -grace_s, grace_s, 3600.0)),
    ("clock-skew", "offset_s"): lambda random, grace_s: random.choice((-3600.0, grace_s, 3600.0)),
    ("clock-drift", "ppm"): lambda random, grace_s: random.choice((-500.0, 500.0)),
    ("crash-at-persist", "nth"): lambda random, grace_s: random.randint(1, 6),
    ("kill-at-step", "step"): lambda random, grace_s: random.randint(1, 3),
    ("store-slow", "delay_s"): lambda random, grace_s: random.choice((0.05, 0.5, 2.0)),
    ("loss", "rate"): lambda random, grace_s: random.choice((0.02, 0.2)),
    ("delay", "delay_s"): lambda random, grace_s: random.choice((0.05, 0.5, 3.0)),
    ("db-slow", "delay_s"): lambda random, grace_s: random.choice((0.1, 1.0, 5.0)),
    ("cut-after", "frames"): lambda random, grace_s: random.randint(1, 8),
    ("settings", "grace_s"): lambda random, grace_s: random.choice((0, 5, 12, 45)),
    ("proxy-idle", "idle_s"): lambda random, grace_s: random.choice((8.0, 15.0, 60.0)),
    ("starve", "share"): lambda random, grace_s: random.choice((0.05, 0.3)),
}


def _args(random: Random, kind: Kind, schedule: Schedule, grace_s: float) -> dict[str, Value]:
    args: dict[str, Value] = {}
    for arg in kind.args:
        if (drawn := _DRAWS.get((kind.name, arg.name))) is not None:
            args[arg.name] = drawn(random, grace_s)
        elif arg.choices:
            args[arg.name] = random.choice(arg.choices)
        elif kind.name == "upgrade" and arg.name == "version":
            args[arg.name] = random.choice(("v1", "v2", "v3"))
    return {name: round(value, 3) if isinstance(value, float) else value for name, value in args.items()}
