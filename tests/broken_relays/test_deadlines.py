"""Whatever a relay fails to do, each scenario ends by itself: beyond its deadline it would be the suite's own error."""

from __future__ import annotations

from pathlib import Path

import pytest

import broken_relays
from conductor.timing import DOCUMENTED
from scenarios import catalogue
from scenarios.profile_loading import resolve
from scenarios.runner import deadline_s
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession


@pytest.mark.parametrize("name", ["never-recovers", "never-pings", "never-deletes"])
def test_every_simulated_scenario_ends_within_its_deadline(name: str, tmp_path: Path) -> None:
    options = SessionOptions(profile=resolve("builtin:reference"), timing=DOCUMENTED, seed=0, folder=tmp_path)
    session = SimulatedSession(options, broken_relays.find(name).core)
    took_s = {}
    for scenario in catalogue.all():
        if "simulated" in scenario.worlds:
            took_s[scenario] = session.simulate(scenario).history().events[-1].t / 1e9
    assert len(took_s) > 300
    assert {each.id: took for each, took in took_s.items() if took > deadline_s(each, DOCUMENTED)} == {}
