"""Breadth-first over all states, and at random through them: one machine, one judgement of every transition."""

from __future__ import annotations

import gc
import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random

from reference_relay.core import Core
from simulator.explore.actions import Action, possible
from simulator.explore.errors import Violation
from simulator.explore.form import key
from simulator.explore.machine import Machine, Point
from simulator.explore.model import Model

CRASHES = ("before the commit", "after the commit")


@dataclass(frozen=True, slots=True)
class Counterexample:
    """The shortest way to a state, or a transition, in which an invariant does not hold."""

    clause: str
    text: str
    steps: tuple[tuple[Action, str], ...]


@dataclass(frozen=True, slots=True)
class Explored:
    """What a breadth-first search came to. ``complete``: no state within the model's bounds was left out."""

    model: str
    states: int
    transitions: int
    depth: int
    complete: bool
    digest: str  # of the set of states, equal in every process
    levels: tuple[int, ...]  # states found at each depth
    counterexample: Counterexample | None = None


@dataclass(slots=True)
class _Found:
    """States by number, and how each was reached first."""

    seen: set[bytes] = field(default_factory=set)
    parents: list[tuple[int, Action, str]] = field(default_factory=list)

    def path(self, number: int) -> tuple[tuple[Action, str], ...]:
        steps: list[tuple[Action, str]] = []
        while number:
            number, action, crash = self.parents[number]
            steps.append((action, crash))
        return tuple(reversed(steps))


@contextmanager
def _seldom_collecting() -> Iterator[None]:
    """What a search keeps has no cycles: the collector would go through all of it again and again, for nothing."""
    before = gc.get_threshold()
    gc.set_threshold(100 * before[0], *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)


@_seldom_collecting()
def breadth_first(
    model: Model,
    core: type[Core] = Core,
    *,
    most_states: int = 1_000_000,
    most_depth: int = 1_000,
    tell: Callable[[int, int, int], None] = lambda depth, states, transitions: None,
) -> Explored:
    """Every state, nearest first, up to the limits; ``tell`` hears of each depth. Stops at the first violation."""
    crashes = ("", *CRASHES) if model.inside else ("",)
    found = _Found()
    try:
        machine = Machine(model, core)
    except Violation as wrong:
        return Explored(model.name, 0, 1, 0, False, "", (), Counterexample(wrong.clause, wrong.text, ()))
    first = key(machine.core, machine.outside, model)
    found.seen.add(first)
    found.parents.append((0, Action(""), ""))
    digest = int.from_bytes(first, "big")
    level: list[tuple[int, Point]] = [(0, machine.point())]
    levels = [1]
    transitions = depth = 0
    complete = True
    while level:
        if depth == most_depth or len(found.seen) >= most_states:
            complete = False
            break
        following: list[tuple[int, Point]] = []
        for number, point in level:
            machine.back(point)
            there = True
            for action in list(possible(model, machine.core, machine.outside)):
                for crash in crashes:
                    if not there:
                        machine.back(point, action)
                    there = False
                    transitions += 1
                    try:
                        machine.do(action, crash)
                        name = key(machine.core, machine.outside, model)
                        if name not in found.seen:
                            machine.check()
                            found.seen.add(name)
                            digest ^= int.from_bytes(name, "big")
                            found.parents.append((number, action, crash))
                            following.append((len(found.parents) - 1, machine.leave()))
                    except Violation as wrong:
                        steps = (*found.path(number), (action, crash))
                        shown = Counterexample(wrong.clause, wrong.text, steps)
                        levels.append(len(following))
                        return Explored(
                            model.name, len(found.seen), transitions, depth + 1, False, f"{digest:032x}",
                            tuple(levels), shown,
                        )  # fmt: skip
                    if not machine.transacted:
                        break
        level = following
        depth += 1
        if level:
            levels.append(len(level))
        tell(depth, len(found.seen), transitions)
    return Explored(
        model.name, len(found.seen), transitions, len(levels) - 1, complete, f"{digest:032x}", tuple(levels)
    )


def walk(model: Model, seed: int, steps: int, core: type[Core] = Core) -> Explored:
    """A random walk: what breadth-first is measured against. Judges every transition and every state on its way."""
    random = Random(seed)
    machine = Machine(model, core)
    taken: list[tuple[Action, str]] = []
    digest = hashlib.blake2b(digest_size=16)
    for _ in range(steps):
        actions = list(possible(model, machine.core, machine.outside))
        action = actions[int(random.random() * len(actions))]
        crash = CRASHES[int(random.random() * 2)] if model.crashes and random.random() < 0.05 else ""
        taken.append((action, crash))
        try:
            machine.do(action, crash)
            machine.check()
        except Violation as wrong:
            return Explored(
                model.name, 0, len(taken), len(taken), False, "", (),
                Counterexample(wrong.clause, wrong.text, tuple(taken)),
            )  # fmt: skip
    digest.update(key(machine.core, machine.outside, model))
    return Explored(model.name, 0, steps, steps, False, digest.hexdigest(), ())
