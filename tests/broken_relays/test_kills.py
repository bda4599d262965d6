"""Every defect of the core is killed in virtual time, by a check of each clause that it breaks."""

from __future__ import annotations

from pathlib import Path

import pytest

import broken_relays
from broken_relays import Defect
from broken_relays.matrix import cell_of, worlds_of
from conductor.timing import DOCUMENTED
from evidence.judge import judge
from scenarios import catalogue
from scenarios.profile_loading import resolve
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession
from spec import clauses

OPTIONS = SessionOptions(profile=resolve("builtin:reference"), timing=DOCUMENTED, seed=7, folder=Path())
SIMULATED = [
    (defect, clause)
    for defect in broken_relays.all_defects()
    for clause in defect.clauses
    if "simulated" in worlds_of(defect, clause, catalogue.all())
]


@pytest.mark.parametrize(("defect", "clause"), SIMULATED, ids=lambda each: getattr(each, "name", each))
def test_a_check_of_its_clause_kills_it(defect: Defect, clause: str) -> None:
    session = SimulatedSession(OPTIONS, defect.core)
    tried = catalogue.select([clause], world="simulated")
    for scenario in tried:
        history = session.simulate(scenario).history()
        if clause in cell_of(defect.name, judge(history, clauses()), clauses()).kills:
            return
    pytest.fail(f"{defect.name} passes {clause} in all of {[scenario.id for scenario in tried]}")
