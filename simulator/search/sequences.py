"""Sequences that faults drawn one by one rarely form: each is a story that ends badly on some relay.

A swarm draws one of them at times, with its own victim, peer and moment; everything else is drawn as usual.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from scenarios.schedule.file import FaultAt, Schedule

Sequence = Callable[[Random, Schedule, str, list[str], float], list[FaultAt]]
"""Of a random source, the bare schedule, a victim, the others, and the moment it begins (s)."""


def _dead_s(schedule: Schedule) -> float:
    """From silence to DEAD, at the most."""
    timing = schedule.timing_profile
    return timing.ping_wait_s + timing.ping_interval_s + timing.grace_s


def returns_while_recovered(
    random: Random, schedule: Schedule, victim: str, others: list[str], at_s: float
) -> list[FaultAt]:
    """It is back while its peer still works on the recovery; at times that one then refuses it."""
    away_s = _dead_s(schedule) + random.uniform(-5.0, 3.0)
    late = [FaultAt("late-answer", 1.0, label, None, {"after_s": 9.0}) for label in others]
    if random.random() < 0.5:
        late += [FaultAt("refuse-recovery", 1.0, label) for label in others]
    return [*late, FaultAt("disconnect", at_s, victim, round(away_s, 3))]


def dies_as_a_zombie(random: Random, schedule: Schedule, victim: str, others: list[str], at_s: float) -> list[FaultAt]:
    """Cut off from the relay alone it goes on working, wins back a row, and dies under an id that was forgotten."""
    away_s = _dead_s(schedule) + random.uniform(5.0, 40.0)
    return [FaultAt("disconnect", at_s, victim), FaultAt("kill", round(at_s + away_s, 3), victim)]


def answers_past_the_deadline(
    random: Random, schedule: Schedule, victim: str, others: list[str], at_s: float
) -> list[FaultAt]:
    """Every peer's answer is a little too late."""
    after_s = schedule.timing_profile.recovery_deadline_s + random.choice((0.5, 2.0, 5.0))
    late = [FaultAt("late-answer", 1.0, label, None, {"after_s": after_s}) for label in others]
    return [*late, FaultAt("kill", at_s, victim)]


def allowed_too_late(random: Random, schedule: Schedule, victim: str, others: list[str], at_s: float) -> list[FaultAt]:
    """Its version dies out, and only then recovery to the latest version is allowed."""
    by_label = {member.label: member for member in schedule.executors}
    same = [each for each in others if by_label[each].version == by_label[victim].version]
    allow_s = round(at_s + schedule.timing_profile.grace_s + random.uniform(3.0, 15.0), 3)
    return [
        FaultAt("settings", 1.0, victim, args={"latest": "off"}),
        *(FaultAt("kill", at_s, label) for label in [victim, *same]),
        FaultAt("settings", allow_s, victim, args={"latest": "on"}),
    ]


def answers_for_another(
    random: Random, schedule: Schedule, victim: str, others: list[str], at_s: float
) -> list[FaultAt]:
    """While one peer takes its time, another one answers in its place."""
    grace_s = schedule.timing_profile.grace_s
    late = [FaultAt("late-answer", 1.0, label, None, {"after_s": 8.0}) for label in others]
    strays = [FaultAt("stray", round(at_s + grace_s + 3.0, 3), label, args={"what": "another"}) for label in others]
    return [*late, FaultAt("kill", at_s, victim), *strays]


def confuses_requests(random: Random, schedule: Schedule, victim: str, others: list[str], at_s: float) -> list[FaultAt]:
    """Somebody answers each request as if it were another one."""
    return [FaultAt("wrong-answer", at_s, label, args={"how": "type"}) for label in random.sample([victim, *others], 1)]


SEQUENCES: tuple[Sequence, ...] = (
    returns_while_recovered, dies_as_a_zombie, answers_past_the_deadline, allowed_too_late, answers_for_another,
    confuses_requests,
)  # fmt: skip


def draw_sequence(random: Random, schedule: Schedule) -> list[FaultAt]:
    """One of them; what would lie beyond the schedule's end is left out."""
    labels = [member.label for member in schedule.executors]
    victim = random.choice(labels)
    app = next(member.app for member in schedule.executors if member.label == victim)
    others = [member.label for member in schedule.executors if member.label != victim and member.app == app]
    at_s = round(random.uniform(5.0, 20.0), 3)
    faults = random.choice(SEQUENCES)(random, schedule, victim, others, at_s)
    return [fault for fault in faults if fault.at_s <= schedule.duration_s]
