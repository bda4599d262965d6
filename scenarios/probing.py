"""Estimating a relay's timing by observation: small experiments, and figures read from their histories.

The experiments are scenarios like any other, so they need no management API; the figures are pure functions of the
histories. Every figure is an interval: what lies between two observations is not known more sharply.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine, Sequence
from itertools import pairwise
from typing import Any

import msgspec

from evidence.events import Closed, Fault, Frame, Poll
from evidence.history import History
from scenarios.catalogue import Scenario
from scenarios.errors import ControlError
from scenarios.world import App, Reply, Script, World
from scenarios.worlds import Session

NS = 1e9
PATIENCE = 3.0
"""Times the profile's own figure: how long to wait for what may come much later than it says."""

Body = Callable[[World], Coroutine[Any, Any, None]]


class Measured(msgspec.Struct, frozen=True, kw_only=True):
    """One figure in seconds, somewhere between ``low_s`` and ``high_s``. None: it could not be seen."""

    name: str
    documented_s: float
    low_s: float | None = None
    high_s: float | None = None
    note: str = ""

    def fits(self, slack_s: float) -> bool | None:
        """Whether the documented figure lies within the interval, give or take ``slack_s``. None: nothing was seen."""
        if self.low_s is None or self.high_s is None:
            return None
        return self.low_s - slack_s <= self.documented_s <= self.high_s + slack_s


# ---------------------------------------------------------------- experiments


async def pings(world: World) -> None:
    """An executor that does nothing but answer pings."""
    executor = await world.executor(await world.app())
    await world.until_ping(executor, count=6, within_s=8 * PATIENCE * world.timing.ping_interval_s)


async def silent_after_pong(world: World) -> None:
    """The last sign of life is the answer to a ping."""
    executor = await world.executor(await world.app())
    await world.until_ping(executor, count=2, within_s=PATIENCE * 3 * world.timing.ping_interval_s)
    await executor.freeze()
    await world.until_closed(executor, within_s=_silence_s(world))


async def silent_between_pings(world: World) -> None:
    """The last sign of life is a pong that nobody asked for, half an interval after an answer."""
    executor = await world.executor(await world.app())
    await world.until_ping(executor, count=2, within_s=PATIENCE * 3 * world.timing.ping_interval_s)
    await world.sleep(world.timing.ping_interval_s / 2)
    await executor.pong(b"sign of life")
    await executor.freeze()
    await world.until_closed(executor, within_s=_silence_s(world))


async def gone(world: World) -> None:
    """A lost socket, a peer that takes over."""
    app = await world.app()
    lost, peer = await world.executor(app), await world.executor(app)
    await lost.drop("rst")
    if world.profile.can("list"):
        world.spawn(_look_closely(world, app))
    await world.until_frame(peer, "recovery", within_s=PATIENCE * (world.timing.grace_s + world.timing.scan_s + 1))
    if world.profile.can("list"):
        await world.until_status(lost, "GONE", within_s=world.timing.request_deadline_s + 1)


async def _look_closely(world: World, app: App) -> None:
    """Until the end of the experiment: between two lists nothing is known."""
    while True:
        with contextlib.suppress(ControlError):  # recorded as a list that wasn't had
            await world.control.executors(app)
        await world.sleep(world.timing.slack_s / 8)


async def refused(world: World) -> None:
    """The only peer refuses every recovery."""
    app = await world.app()
    lost = await world.executor(app)
    peer = await world.executor(app, script=Script(replies={"recovery": Reply(fields={"success": False})}))
    await lost.drop("rst")
    rounds_s = PATIENCE * (world.timing.grace_s + 15 * world.timing.backoff_first_s + 5 * world.timing.slack_s)
    await world.until_frame(peer, "recovery", count=5, within_s=rounds_s)


def _silence_s(world: World) -> float:
    return PATIENCE * (world.timing.ping_wait_s + world.timing.ping_interval_s)


# ---------------------------------------------------------------- figures


def ping_interval(history: History, documented_s: float) -> Measured:
    """Between the shortest and the longest gap of two pings on one connection."""
    gaps_s = [(later.t - earlier.t) / NS for earlier, later in pairwise(_pings(history, 0))]
    if not gaps_s:
        return Measured(name="ping interval", documented_s=documented_s, note="no two pings came")
    return Measured(
        name="ping interval",
        documented_s=documented_s,
        low_s=min(gaps_s),
        high_s=max(gaps_s),
        note=f"{len(gaps_s)} gaps",
    )


def ping_wait(histories: Sequence[History], documented_s: float) -> Measured:
    """The wait under the reading that agrees best over the experiments: from the last sign of life, or another.

    Under the right reading the wait is the same however the last sign of life lay between two pings.
    """
    readings: dict[str, list[float]] = {
        "from the last sign of life": [], "from the last answer to a ping": [], "from the unanswered ping": [],
    }  # fmt: skip
    for history in histories:
        ended = next((event for event in history.of(Closed) if event.conn == 0 and event.by == "relay"), None)
        frozen = next((event for event in history.of(Fault) if event.kind == "freeze"), None)
        if ended is None or frozen is None:
            return Measured(name="ping wait", documented_s=documented_s, note="a silent socket was not closed")
        said = [event for event in history.of(Frame) if event.by == "executor" and event.n < frozen.n]
        starts = {
            "from the last sign of life": said[-1:],
            "from the last answer to a ping": [e for e in said if e.op == "pong" and e.data != "sign of life"][-1:],
            "from the unanswered ping": [event for event in _pings(history, 0) if event.n > frozen.n][:1],
        }
        for reading, found in starts.items():
            readings[reading] += [(ended.t - event.t) / NS for event in found]
    complete = {reading: found for reading, found in readings.items() if len(found) == len(histories)}
    best = min(complete, key=lambda reading: max(complete[reading]) - min(complete[reading]))
    return Measured(
        name="ping wait", documented_s=documented_s, low_s=min(complete[best]), high_s=max(complete[best]), note=best
    )


def grace(history: History, documented_s: float) -> Measured:
    """From the lost socket to DEAD as the list shows it, or to the recovery frame where there is no list."""
    lost = next(event for event in history.of(Closed) if event.conn == 0)
    polls = [poll for poll in history.of(Poll) if not poll.error and poll.asked > lost.t]
    frame = next((event for event in history.of(Frame) if event.op == "text" and '"recovery"' in event.data), None)
    if frame is None:
        return Measured(name="grace", documented_s=documented_s, note="no recovery was asked for")
    alive = [poll.asked for poll in polls if _listed(history, poll, ("HEALTHY", "DISCONNECTED")) and poll.t <= frame.t]
    low_ns = max([*alive, lost.t]) if alive else frame.t
    return Measured(
        name="grace", documented_s=documented_s, low_s=(low_ns - lost.t) / NS, high_s=(frame.t - lost.t) / NS,
        note="until the recovery frame",
    )  # fmt: skip


def backoff(history: History, documented_s: float) -> Measured:
    """The pause after the first refusal; the note names the following ones."""
    asked = [event.t for event in history.of(Frame) if event.by == "relay" and '"recovery"' in event.data]
    pauses_s = [(later - earlier) / NS for earlier, later in pairwise(asked)]
    if not pauses_s:
        return Measured(name="backoff", documented_s=documented_s, note="a refused recovery was not tried again")
    then = ", ".join(f"{pause_s:.2f}" for pause_s in pauses_s[1:]) or "no more"
    return Measured(
        name="backoff", documented_s=documented_s, low_s=pauses_s[0], high_s=pauses_s[0], note=f"then {then} s"
    )


def _pings(history: History, conn: int) -> list[Frame]:
    return [event for event in history.of(Frame) if event.conn == conn and event.by == "relay" and event.op == "ping"]


def _listed(history: History, poll: Poll, statuses: Sequence[str]) -> bool:
    shown = poll
    while shown.same:
        shown = max((other for other in history.of(Poll) if other.n < shown.n and not other.error), key=lambda p: p.n)
    lost = next(event for event in history.of(Frame) if event.conn == 0 and '"executor_id"' in event.data)
    named = msgspec.json.decode(lost.data)["executor_id"]
    return any(seen.executor == named and seen.status in statuses for seen in shown.executors)


# ---------------------------------------------------------------- all of it


def longest_s(timing_s: dict[str, float]) -> float:
    """What an experiment may take, with a relay that keeps it waiting. ``timing_s``: as for `probe`."""
    return 60 + 20 * (timing_s["w"] + timing_s["i"] + timing_s["g"])


async def probe(session: Session, timing_s: dict[str, float]) -> list[Measured]:
    """Play every experiment at once and read the figures. ``timing_s``: the profile's, by short name."""
    bodies: list[Body] = [pings, silent_after_pong, silent_between_pings, gone, refused]
    deadline_s = longest_s(timing_s)
    recorders = await asyncio.gather(*(session.play(_experiment(body), None, deadline_s) for body in bodies))
    steady, after_pong, between, lost, refusing = (recorder.history() for recorder in recorders)
    return [
        ping_interval(steady, timing_s["i"]),
        ping_wait([after_pong, between], timing_s["w"]),
        grace(lost, timing_s["g"]),
        backoff(refusing, timing_s["backoff"]),
    ]


def _experiment(body: Body) -> Scenario:
    return Scenario(
        id=f"PRB-1/{body.__name__.replace('_', '-')}", title=(body.__doc__ or "").strip(), clauses=(), run=body
    )
