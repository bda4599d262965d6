"""What the workload does: workflows with steps, queues, children and sleeps, drawn from a schedule's seed."""

from __future__ import annotations

from random import Random

import msgspec

from scenarios.schedule.file import Schedule
from simulator.clock import ns


class Plan(msgspec.Struct, frozen=True):
    """One workflow. ``sleeps`` and ``children`` are those of its steps that sleep or await a child."""

    steps: tuple[str, ...]
    step_ns: int
    queued: bool = False
    sleeps: frozenset[str] = frozenset()
    sleep_ns: int = 0
    children: frozenset[str] = frozenset()

    @property
    def child(self) -> Plan:
        """What its child does: two plain steps."""
        return Plan(("s1", "s2"), self.step_ns)


class Start(msgspec.Struct, frozen=True):
    """A workflow that the harness starts: by which member of those that run, counted around."""

    workflow: str
    at_ns: int
    member: int
    plan: Plan


def starts(schedule: Schedule, random: Random) -> list[Start]:
    """In the order of time."""
    work = schedule.work()
    count, steps = int(work["workflows"]), int(work["steps"])
    gap_ns = ns(float(work["start_s"])) // count if count else 0
    found = []
    for number in range(count):
        names = tuple(f"s{step}" for step in range(1, steps + 1))
        sleeps = frozenset(names[1:2]) if random.random() < float(work["sleeping"]) else frozenset[str]()
        children = frozenset(names[-1:]) if random.random() < float(work["children"]) else frozenset[str]()
        plan = Plan(
            names,
            max(1, int(ns(float(work["step_s"])) * random.uniform(0.5, 1.5))),
            random.random() < float(work["queued"]),
            sleeps - children,
            ns(float(work["sleep_s"])),
            children,
        )
        found.append(Start(f"w{number}", number * gap_ns + random.randrange(max(gap_ns, 1)), number, plan))
    return found
