"""Every fault at least once for each SDK, in a fixed order: what a relay's author runs before a release.

A tour is made of *stations*, one after the other. At each station every fleet suffers the same, a little later than the
fleet before it, then rests until what was broken must be whole again. What provokes a fault that lies in wait, such as
the kill whose recovery a liar acknowledges, belongs to its station.
"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from chaos.campaign import REPLACES, Campaign
from chaos.from_file import written
from chaos.swarm import members
from conductor.timing import Timing
from scenarios.schedule import KINDS, FaultAt, Schedule

__all__ = ["EVERY", "LEAST_EXECUTORS", "Blow", "Station", "stations", "tour"]

EVERY = "every"
"""In a schedule's ``about``: each of its faults must strike each SDK, or the run has not shown what it is for."""
LEAST_EXECUTORS = 3
"""Two may be struck at once, and somebody must be left to recover them."""

_WARM_S = 4.0  # until every executor has work in hand
_APART_S = 2.0  # between two fleets: four processes that start at once starve two cores
_WORK_S = 10.0  # until who is to be killed has work in hand
_RELAUNCH_S = 8.0  # until a killed process is replaced and connected
_OUTAGE_S = 20.0  # until SDKs work again after their database was away (measured: up to 24 s)
_SHORT_S = 6.0  # of a fault that nobody need notice
_RELAY = "relay"
_DATABASE = "database"
_ALL = "all"

Value = int | float | str


@dataclass(frozen=True, slots=True)
class Blow:
    """``on``: a place of a fleet, from 0, turned by one from station to station; or "relay", "database", "all"."""

    fault: str
    on: int | str
    after_s: float = 0.0
    for_s: float | None = None
    args: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Station:
    """``faults``: what it is there for. ``apart_s``: from one fleet's blows to the next one's."""

    faults: tuple[str, ...]
    blows: tuple[Blow, ...]
    lasts_s: float
    apart_s: float = _APART_S


def tour(campaign: Campaign, timing: Timing) -> Campaign:
    """The campaign with a schedule that strikes each of its faults, whose duration is its own."""
    assert campaign.executors >= LEAST_EXECUTORS, f"{campaign.executors} executors: refused by the command"
    fleets = [
        [member.label for member in members(campaign) if member.language == language] for language in campaign.languages
    ]
    faults: list[FaultAt] = []
    at_s = _WARM_S
    for number, station in enumerate(stations(campaign.faults, timing)):
        faults += _struck(station, number, fleets, at_s)
        at_s += station.lasts_s + station.apart_s * (len(fleets) - 1)
    schedule = Schedule(
        name="every-fault", seed=campaign.seed, duration_s=round(at_s, 3), executors=members(campaign),
        timing=written(timing), faults=tuple(sorted(faults, key=lambda at: (at.at_s, at.on))),
        about={REPLACES: True, EVERY: sorted(campaign.faults)},
    )  # fmt: skip
    return replace(campaign, schedule=schedule, duration_s=schedule.duration_s)


def _struck(station: Station, number: int, fleets: Sequence[Sequence[str]], at_s: float) -> Iterator[FaultAt]:
    for blow in station.blows:
        args = dict(blow.args)
        if isinstance(blow.on, str):
            yield FaultAt(blow.fault, round(at_s + blow.after_s, 3), blow.on, blow.for_s, args)
            continue
        for place, slots in enumerate(fleets):
            slot = slots[(number + blow.on) % len(slots)]
            since_s = at_s + place * station.apart_s + blow.after_s
            yield FaultAt(blow.fault, round(since_s, 3), slot, blow.for_s, args)


def stations(names: Collection[str], timing: Timing) -> list[Station]:
    """Those that these faults need, in order: processes, recovery, links, relay, database, and all at once."""
    death_s = timing.grace_s + 2 * timing.scan_s + 2 * timing.slack_s  # from an end that the relay is told of
    silence_s = timing.ping_wait_s + timing.ping_interval_s + death_s  # from one that it has to find out
    every = [
        *_processes(death_s, silence_s),
        *_recovery(death_s),
        *_links([name for name in names if KINDS[name].on == "link"], silence_s),
        *_relay(timing, death_s),
        *_database(death_s),
        *_whole_fleets(death_s),
    ]
    return [station for station in every if set(station.faults) & set(names)]


def _processes(death_s: float, silence_s: float) -> Iterator[Station]:
    rest_s = death_s + 2.0
    yield Station(("kill",), (Blow("kill", 0),), rest_s)
    steps = (
        Blow("kill-at-step", 0, args=(("step", 2), ("phase", "begin"))),
        Blow("kill-at-step", 1, death_s, args=(("step", 1), ("phase", "end"))),
    )
    yield Station(("kill-at-step",), steps, death_s + rest_s)
    yield Station(("restart",), (Blow("restart", 0),), rest_s)
    yield Station(("stop",), (Blow("stop", 0),), rest_s)
    yield Station(("pause",), (Blow("pause", 0),), silence_s + rest_s)
    yield Station(("starve",), (Blow("starve", 0, for_s=_SHORT_S, args=(("share", 0.2),)),), _SHORT_S + 4.0)


def _whole_fleets(death_s: float) -> Iterator[Station]:
    """Last: from the upgrade on one of each fleet is of another version, and recovered by nobody but its successor."""
    yield Station(("upgrade",), (Blow("upgrade", 0),), death_s + _RELAUNCH_S)
    yield Station(("kill-all",), (Blow("kill-all", _ALL),), death_s + 3 * _RELAUNCH_S, 0.0)


def _recovery(death_s: float) -> Iterator[Station]:
    """A peer is asked only when somebody has died; which one, nobody knows: both lie in wait, or all lie.

    All: a fast SDK has the dead one's place taken and connected before its grace period is over.
    """
    chain = (Blow("kill-after-ack", 1), Blow("kill-after-ack", 2), Blow("kill", 0, 0.5))
    yield Station(("kill-after-ack",), chain, 3 * death_s + _RELAUNCH_S)
    lies_s = death_s + _WORK_S + 5.0
    lies = (*(Blow("lying-ack", place, for_s=lies_s) for place in range(3)), Blow("kill", 0, 0.5))
    yield Station(("lying-ack",), lies, lies_s + death_s + _RELAUNCH_S)
    yield Station(("duplicate-recovery",), (Blow("duplicate-recovery", 1), Blow("kill", 0, 0.5)), death_s + 4.0)


def _links(names: Sequence[str], silence_s: float) -> Iterator[Station]:
    """Two executors of each fleet fall silent until they are DEAD; the one that is left suffers something short."""
    held_s = silence_s + 2.0
    long = [
        *(Blow(name, 0, for_s=held_s) for name in ("disconnect", "drop-to-relay", "drop-from-relay")),
        *(Blow("freeze", 0, for_s=held_s, args=(("direction", way),)) for way in ("up", "down", "both")),
        Blow("half-open", 0),
    ]
    short = [
        Blow("loss", 2, for_s=_SHORT_S), Blow("delay", 2, for_s=_SHORT_S),
        Blow("proxy-idle", 2, for_s=_SHORT_S, args=(("idle_s", 1.0),)), Blow("late-close", 2), Blow("cut", 2),
        Blow("reset", 2), Blow("cut-after", 2, args=(("frames", 2),)), Blow("cut-after", 2, args=(("bytes", 100),)),
    ]  # fmt: skip
    held = _pairs([blow for blow in long if blow.fault in names])
    brief = _pairs([blow for blow in short if blow.fault in names])
    for silent, passing in itertools.zip_longest(held, brief, fillvalue=()):
        blows = [replace(blow, on=place) for place, blow in enumerate(silent)]
        blows += [replace(blow, after_s=place * (_SHORT_S + 4.0)) for place, blow in enumerate(passing)]
        lasts_s = held_s + 8.0 if silent else len(passing) * (_SHORT_S + 4.0)
        yield Station(tuple(blow.fault for blow in blows), tuple(blows), lasts_s)


def _pairs(blows: Sequence[Blow]) -> list[Sequence[Blow]]:
    return [blows[start : start + 2] for start in range(0, len(blows), 2)]


def _relay(timing: Timing, death_s: float) -> Iterator[Station]:
    """While the relay is away everybody has to come back to it; then those who don't are dead."""
    back_s = timing.redial_s + timing.grace_s + 6.0
    paused_s = timing.ping_wait_s + timing.ping_interval_s
    away_s = 1.5 * timing.grace_s
    yield Station(("relay-kill",), (Blow("relay-kill", _RELAY),), back_s, 0.0)
    yield Station(("relay-pause",), (Blow("relay-pause", _RELAY, for_s=paused_s),), paused_s + back_s, 0.0)
    away = Blow("relay-away", _RELAY, args=(("down_s", away_s),))
    yield Station(("relay-away",), (away,), away_s + back_s, 0.0)
    both = Blow("relay-and-executor-kill", 0)
    yield Station(("relay-and-executor-kill",), (both,), back_s + death_s, 3 * _APART_S)


def _database(death_s: float) -> Iterator[Station]:
    slow = Blow("db-slow", _DATABASE, for_s=_SHORT_S, args=(("delay_s", 0.3),))
    yield Station(("db-slow",), (slow,), _SHORT_S + 6.0, 0.0)
    yield Station(("db-terminate",), (Blow("db-terminate", _DATABASE),), _OUTAGE_S, 0.0)
    yield Station(("db-restart",), (Blow("db-restart", _DATABASE),), _OUTAGE_S, 0.0)
    yield Station(("db-cut",), (Blow("db-cut", _DATABASE, for_s=_SHORT_S),), _SHORT_S + _OUTAGE_S, 0.0)
    during = (Blow("db-cut-during-recovery", _DATABASE, for_s=2.0), Blow("kill", 0, 0.5))
    yield Station(("db-cut-during-recovery",), during, death_s + _OUTAGE_S)
