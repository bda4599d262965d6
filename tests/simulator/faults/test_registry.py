"""Every kind of fault is there, or says why not; and the relay stands each of them."""

from __future__ import annotations

import pytest

from reference_relay.core.core import Core
from scenarios.schedule import KINDS, FaultAt
from scenarios.schedule.file import targets
from simulator.faults import fault, faults
from simulator.search.play import play
from tests.simulator.fleets import schedule

WORK = {"workflows": 4, "start_s": 20.0, "steps": 2, "step_s": 5.0}


def test_every_kind_has_its_fault_or_a_reason() -> None:
    assert set(faults()) == {name for name, kind in KINDS.items() if "simulator" not in kind.absent}


def test_a_name_that_is_no_kind_is_refused() -> None:
    with pytest.raises(AssertionError, match="no kind of fault is called 'earthquake'"):
        fault("earthquake")


@pytest.mark.parametrize("name", sorted(KINDS))
def test_the_reference_relay_stands_it(name: str) -> None:
    bare = schedule(executors=3, workload=WORK, duration_s=80.0)
    kind = KINDS[name]
    hit = FaultAt(name, 15.0, targets(kind, bare)[0], 35.0 if kind.heals else None)
    played = play(schedule(hit, FaultAt("kill", 30.0, "b"), executors=3, workload=WORK, duration_s=80.0), Core)
    assert played.violations == ()
    assert played.kills >= 1 and played.recoveries >= 1
