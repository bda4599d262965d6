"""Small fleets for tests: a schedule in a few words, played under a monitor that goes on."""

from __future__ import annotations

from typing import Any

from conductor.timing import Timing
from reference_relay.core.core import Core
from scenarios.schedule import FaultAt, Member, Schedule
from simulator.clock import Clock, ns
from simulator.models.fleet import Fleet
from simulator.models.place import Place
from simulator.models.process import Process
from simulator.search.monitor import Monitor

TIMING = {"grace_s": 20.0, "recovery_deadline_s": 15.0}


def schedule(*faults: FaultAt, executors: int = 2, language: str = "python", **fields: Any) -> Schedule:
    """Executors a, b, ... of one version; no workload unless ``workload`` is given."""
    members = fields.pop("members", None) or tuple(Member(label, language) for label in "abcdefgh"[:executors])
    values: dict[str, Any] = {
        "name": "small", "seed": 7, "duration_s": 100.0, "timing": TIMING, "workload": {"workflows": 0},
    }  # fmt: skip
    return Schedule(executors=members, faults=faults, **(values | fields))


class Small:
    """A fleet with its monitor; ``until`` lets time pass."""

    def __init__(self, given: Schedule, core: type[Core] = Core) -> None:
        self.clock = Clock()
        self.timing: Timing = given.timing_profile
        self.monitor = Monitor(self.clock, self.timing, stop=False)
        self.fleet = Fleet(given, core, self.monitor, None, self.clock)
        self.monitor.arrived, self.monitor.registered = self.fleet.caller.arrived, self.fleet.registered
        self.fleet.begin()

    def until(self, seconds: float) -> None:
        self.clock.run(until=ns(seconds))

    def place(self, label: str) -> Place:
        return self.fleet.places[label]

    def process(self, label: str) -> Process:
        process = self.place(label).process
        assert process is not None, f"{label} was not started yet"
        return process

    def status(self, label: str, number: int = 1) -> str:
        """What the list says of the label's n-th process; empty where it is not listed."""
        for key, record in self.monitor.shown.items():
            if key.executor_id.endswith(f"-{label}.{number}"):
                return str(record.status)
        return ""

    @property
    def broken(self) -> list[str]:
        return [found.clause for found in self.monitor.violations]
