"""Schedules that once broke the reference, as the search shrank them; each still breaks a core with the old fault."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from reference_relay.core.core import Core
from scenarios.schedule import FaultAt, Schedule
from simulator.search.play import play
from tests.simulator.fleets import schedule


class DecidesAsDeadlinesComeUp(Core):
    """In one late tick: a recovery is decided before it is seen that the peer's silence is over too."""

    def _on_tick(self) -> None:
        while (entry := self._timers.pop_due(self._now_ns)) is not None:
            self._fire(entry[1], entry[2])
            self._go_on_without_answers()


@dataclass(frozen=True)
class Found:
    clause: str
    schedule: Schedule
    fault: type[Core]


FOUND = {
    "a late tick asks a silent peer": Found(
        "REC-5",
        schedule(
            FaultAt("kill", 10.0, "b"), FaultAt("relay-pause", 12.819, "relay", for_s=13.0), duration_s=30.0,
            timing={"grace_s": 15.0, "ping_interval_s": 20.0},
        ),
        DecidesAsDeadlinesComeUp,
    ),
}  # fmt: skip


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND.keys())
def test_the_reference_stands_what_once_broke_it(found: Found) -> None:
    assert play(found.schedule, Core).violations == ()


@pytest.mark.parametrize("found", FOUND.values(), ids=FOUND.keys())
def test_the_old_fault_would_be_seen_again(found: Found) -> None:
    assert play(found.schedule, found.fault).clause == found.clause
