"""Schedules by seed: every run has another mix of faults, and kills in each.

A swarm, not a uniform draw: each seed takes a random subset of the faults with random weights, so that rare pairs meet
and no fault hides another for good. Kills are half of what strikes processes, for they alone prove recoveries.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from chaos.campaign import REPLACES, Campaign
from chaos.from_file import written
from conductor.timing import Timing
from scenarios.schedule import KINDS, FaultAt, Member, Schedule

__all__ = ["draw", "members"]

_GLOBAL = ("relay", "database")
_WARM_S = 4.0
_KILLS = ("kill", "kill-at-step")
_ONCE = ("duplicate-recovery",)
"""What holds for its whole fleet until the faults end: a second one would change nothing."""


def members(campaign: Campaign) -> tuple[Member, ...]:
    """``python-1`` and so on: the slots of every fleet."""
    return tuple(
        Member(label=f"{language}-{number}", language=language)
        for language in campaign.languages
        for number in range(1, campaign.executors + 1)
    )


def draw(campaign: Campaign, timing: Timing) -> Schedule:
    """The same campaign gives the same schedule. Raises nothing: names were checked before."""
    source = random.Random(f"swarm {campaign.seed} {campaign.duration_s:g} {','.join(campaign.faults)}")
    shared = [name for name in campaign.faults if KINDS[name].on in _GLOBAL or KINDS[name].all]
    own = [name for name in campaign.faults if name not in shared]
    faults: list[FaultAt] = []
    for language in campaign.languages:
        slots = [member.label for member in members(campaign) if member.language == language]
        faults += _track(source, own, slots, campaign.duration_s, timing)
    faults += _shared_track(source, shared, campaign.duration_s, timing)
    return Schedule(
        name=f"swarm-{campaign.seed}",
        seed=campaign.seed,
        duration_s=campaign.duration_s,
        executors=members(campaign),
        timing=written(timing),
        faults=tuple(sorted(faults, key=lambda at: (at.at_s, at.on))),
        about={REPLACES: True},
    )


def _track(
    source: random.Random, names: Sequence[str], slots: Sequence[str], duration_s: float, timing: Timing
) -> list[FaultAt]:
    """Faults of one fleet, one after the other; every victim rests until its fault is healed and recovered from."""
    if not names:
        return []
    kills = [name for name in names if name in _KILLS]
    others = [name for name in names if name not in _KILLS]
    chosen = source.sample(others, source.randint((len(others) + 1) // 2, len(others))) if others else []
    weights = [source.random() + 0.1 for _ in chosen]
    found: list[FaultAt] = []
    rests: dict[str, float] = dict.fromkeys(slots, 0.0)
    at_s = _WARM_S + source.uniform(0.0, 2.0)
    while at_s < duration_s:
        name = source.choice(kills) if kills and (not chosen or source.random() < 0.6) else ""
        name = name or source.choices(chosen, weights)[0]
        free = [slot for slot in slots if rests[slot] <= at_s]
        spent = name in _ONCE and any(made.fault == name for made in found)
        if free and not spent and at_s + _usual_s(name, timing) <= duration_s:
            made = _fault(source, name, source.choice(free), round(at_s, 3), timing)
            found.append(made)
            rests[made.on] = at_s + (made.for_s or _usual_s(name, timing)) + 3.0
        at_s += source.uniform(0.6, 1.4) * max(6.0, timing.grace_s + 2.0)
    return found


def _shared_track(source: random.Random, names: Sequence[str], duration_s: float, timing: Timing) -> list[FaultAt]:
    found: list[FaultAt] = []
    at_s = source.uniform(0.1, 0.3) * min(duration_s, 60.0) + _WARM_S
    while names and at_s < duration_s:
        name = source.choice(list(names))
        on = "all" if KINDS[name].all else KINDS[name].on
        found.append(_fault(source, name, on, round(at_s, 3), timing))
        at_s += source.uniform(25.0, 45.0)
    return found


def _fault(source: random.Random, name: str, on: str, at_s: float, timing: Timing) -> FaultAt:
    kind = KINDS[name]
    args: dict[str, int | float | str] = {}
    for arg in kind.args:
        if arg.choices:
            args[arg.name] = source.choice(arg.choices)
        elif arg.name == "step":
            args[arg.name] = source.randint(1, 3)
        elif arg.name == "bytes":
            args[arg.name] = source.choice((0, source.randint(1, 400)))
        elif arg.name == "frames":
            args[arg.name] = source.randint(1, 6)
        elif arg.name == "idle_s":  # between two pings, else it would strike nobody
            args[arg.name] = round(timing.ping_interval_s * source.uniform(0.4, 0.9), 3)
        elif name in ("restart", "upgrade", "kill-all"):  # sooner than the grace period, or later
            if arg.name == "down_s":
                args[arg.name] = round(timing.grace_s * source.uniform(0.2, 1.5), 3)
        elif name == "relay-away":
            args[arg.name] = round(timing.grace_s * source.uniform(1.2, 2.0), 3)
    return FaultAt(fault=name, at_s=at_s, on=on, for_s=_for_s(source, name, timing) if kind.heals else None, args=args)


def _for_s(source: random.Random, name: str, timing: Timing) -> float | None:
    """Some end before anybody notices, some after DISCONNECTED, some after DEAD. None: as long as DEAD takes."""
    if name == "pause":
        return None
    if name.startswith(("db-", "relay-")):
        return round(source.uniform(2.0, 8.0), 3)
    longest_s = timing.ping_wait_s + timing.ping_interval_s + timing.grace_s + 4.0
    return round(source.choice((2.0, timing.ping_wait_s + 2.0, longest_s)) * source.uniform(0.8, 1.2), 3)


def _usual_s(name: str, timing: Timing) -> float:
    if name == "pause":
        return timing.ping_wait_s + timing.ping_interval_s + timing.grace_s + 5.0
    return 4.0
