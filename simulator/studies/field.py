"""A fleet in the field: executors that only keep their connections, and what happens to hosts and networks by chance.

The relay is the reference's own core; executors are the SDK models of `simulator.models`. Chance is drawn from
the task's seed alone.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from random import Random

from reference_relay.core import events
from reference_relay.core.core import Core
from reference_relay.core.effects import Effect, Save, Send
from reference_relay.core.records import AppKey, Executor, ExecutorKey
from reference_relay.store import SaveRecord, Write
from scenarios.schedule.file import FaultAt, Member, Schedule
from simulator.clock import Clock, ns
from simulator.models.calls import CallRecord
from simulator.models.client import Client
from simulator.models.fleet import Fleet, Place
from simulator.models.relay import FleetRelay
from simulator.studies.grid import Point, timing_of

__all__ = ["SPREAD", "Field", "Sight", "chance"]

SPREAD = 1.18
"""Sigma of the log-normal lengths: one in twenty is then seven times as long as the median."""
DAY_S = 86_400.0
_GIVEN = ("ping_interval_s", "ping_wait_s", "grace_s", "scan_s", "slack_s")
_CHANCES = (("pauses", "pause", "pause"), ("outages", "outage", "disconnect"), ("cuts", "", "reset"))
"""Parameters: how many a day, and how long; and the fault."""


class Sight:
    """See `simulator.models.relay.Watch`: what a study wants to know of what the core decides."""

    def __init__(self, saved: Callable[[str, Executor | None], None], sent: Callable[[Send], None]) -> None:
        """``saved(executor_id, record)`` for each record that changes; ``sent`` for each request frame."""
        self._saved, self._sent = saved, sent
        self.registered: Callable[[str], None] = lambda executor: None  # the relay has it on record, durably
        self.clients: dict[int, Client] = {}  # by the relay's number of their connection

    def decided(self, effects: Sequence[Effect]) -> None:
        for effect in effects:
            if isinstance(effect, Save) and effect.table == "executors":
                assert isinstance(effect.key, ExecutorKey) and isinstance(effect.record, Executor | None)
                self._saved(effect.key.executor_id, effect.record)
            elif isinstance(effect, Send):
                self._sent(effect)

    def started(self, relay: FleetRelay) -> None: ...
    def killed(self) -> None: ...
    def told(self, event: events.Event) -> None: ...
    def handled(self, core: Core) -> None: ...
    def does(self, effect: Effect) -> None: ...
    def wrote(self, writes: Sequence[Write]) -> None:
        for write in writes:
            if isinstance(write, SaveRecord) and isinstance(write.record, Executor):
                self.registered(write.record.key.executor_id)

    def dialled(self, conn: int, client: Client, app: AppKey) -> None:
        self.clients[conn] = client

    def slow(self, until_ns: int) -> None: ...
    def paused(self, paused: bool) -> None: ...
    def called(self, record: CallRecord) -> None: ...
    def answered(self, record: CallRecord) -> None: ...
    def crashed(self, failure: Exception) -> None:
        raise failure


class Field:
    """``executors`` of one SDK for ``duration_s`` of virtual time at one point."""

    def __init__(
        self, point: Point, seed: int, executors: int, duration_s: float, core: type[Core] = Core,
        *, skipping: bool = False,
    ) -> None:  # fmt: skip
        """``skipping``: heartbeats that change nothing are not played. For who does nothing else to its executors than
        what happens by chance; packets that are lost may strike any heartbeat, so that then none is skipped."""
        timing = timing_of(point)
        members = tuple(Member(f"e{number}", str(point["sdk"])) for number in range(executors))
        schedule = Schedule(
            name="field", seed=seed, duration_s=duration_s, executors=members, workload={"workflows": 0},
            timing={name: getattr(timing, name) for name in _GIVEN},
            faults=tuple(fault for member in members for fault in chance(point, seed, member.label, duration_s)),
        )  # fmt: skip
        self.clock = Clock()
        self.timing = timing
        self.saved: Callable[[str, Executor | None], None] = lambda executor, record: None
        self.sent: Callable[[Send], None] = lambda frame: None
        self._sight = Sight(self._saw, self._sends)
        skips = skipping and not point["loss"]
        self.fleet = Fleet(schedule, core, self._sight, None, self.clock, skip_heartbeats=skips)
        self._sight.registered = self.fleet.registered
        self._ended = self.clock.event()
        self._duration_ns = ns(duration_s)
        for place in self.fleet.places.values():
            place.path.latency_ns = ns(float(point["latency"]))
            place.path.loss = float(point["loss"])

    def place_of(self, executor: str) -> Place | None:
        """Where the process with this id runs; None: it has gone."""
        for place in self.fleet.places.values():
            if place.process is not None and place.process.id == executor and place.process.alive:
                return place
        return None

    def run(self) -> None:
        """To the end of the duration; nothing is healed or asked for."""
        self.fleet.finished = True  # no management calls
        self.fleet.begin()
        self.clock.call(self._duration_ns, self.end)
        self.clock.run(self._ended)

    def end(self) -> None:
        """Before the duration is over: all that was asked for was seen."""
        if not self._ended.triggered:
            self._ended.succeed()

    def executor_of(self, conn: int) -> str:
        """Whose connection this number of the relay's is."""
        client = self._sight.clients[conn]
        processes = (place.process for place in self.fleet.places.values())
        return next((process.id for process in processes if process is not None and client in process.clients), "")

    def _saw(self, executor: str, record: Executor | None) -> None:
        self.saved(executor, record)

    def _sends(self, frame: Send) -> None:
        self.sent(frame)


def chance(point: Point, seed: int, label: str, duration_s: float) -> Iterator[FaultAt]:
    """What happens to one executor: three Poisson processes, each as likely at any moment as at any other. A pause in
    a pause, or an outage in an outage, is none."""
    for name, length, fault in (
        ("pauses", "pause", "pause"),
        ("outages", "outage", "disconnect"),
        ("cuts", "", "reset"),
    ):
        a_day = float(point[name])
        random, at_s, until_s = Random(f"field {seed} {label} {name}"), 0.0, 0.0
        while a_day and (at_s := at_s + random.expovariate(a_day / DAY_S)) < duration_s:
            for_s = random.lognormvariate(math.log(float(point[length])), SPREAD) if length else None
            if at_s < until_s:
                continue
            until_s = at_s + (for_s or 0.0)
            yield FaultAt(fault, at_s, label, for_s)
