"""A core that is put back behaves as it would have, broken ones with attributes of their own too."""

from __future__ import annotations

import pytest

import broken_relays
from reference_relay.core import Core
from simulator.explore import snapshot
from simulator.explore.actions import possible
from simulator.explore.form import form
from simulator.explore.machine import Machine
from simulator.explore.models import PAIR


def played(machine: Machine, steps: int) -> list[object]:
    """A fixed way onward, and what the state is at each step."""
    seen: list[object] = []
    for step in range(steps):
        actions = list(possible(PAIR, machine.core, machine.outside))
        machine.do(actions[step * 7 % len(actions)])
        seen.append(form(machine.core, machine.outside, PAIR))
    return seen


@pytest.mark.parametrize("core", [Core, broken_relays.find("first-grace-for-ever").core])
def test_the_same_future_from_a_point(core: type[Core]) -> None:
    machine = Machine(PAIR, core)
    played(machine, 25)
    point = machine.point()
    futures = []
    for _ in range(3):
        futures.append(played(machine, 30))
        machine.back(point)
    assert futures[0] == futures[1] == futures[2]


def test_what_comes_after_does_not_reach_a_snapshot() -> None:
    machine = Machine(PAIR)
    played(machine, 12)
    taken = snapshot.take(machine.core)
    before = repr(taken.attributes["by_conn"]), taken.attributes["executors"]
    snapshot.put(machine.core, taken)
    played(machine, 30)
    assert (repr(taken.attributes["by_conn"]), taken.attributes["executors"]) == before


def test_it_agrees_with_the_cores_own_snapshot() -> None:
    machine = Machine(PAIR)
    played(machine, 20)
    own, taken = machine.core.state, snapshot.take(machine.core)
    played(machine, 20)
    snapshot.put(machine.core, taken)
    again = machine.core.state
    assert (again.tables, again.indexes, again.sent) == (own.tables, own.indexes, own.sent)
