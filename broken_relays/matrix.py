"""The kill matrix: which scenario fails on which broken relay, and what that proves about the scenarios.

A kill is a failing verdict of a clause: FAILED, EARLY or LATE of a MUST, NON-STRICT of a SHOULD. A defect is killed
when a check of every clause that it breaks fails; a failure of another clause alone would be an accident.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from broken_relays.defect import Defect
from evidence.verdict import ScenarioResult, Verdict
from scenarios.catalogue import Scenario
from spec import Clause

__all__ = ["Cell", "Kill", "Matrix", "cell_of", "worlds_of"]

_KILLING = {
    "MUST": frozenset({Verdict.FAILED, Verdict.EARLY, Verdict.LATE}),
    "SHOULD": frozenset({Verdict.NON_STRICT}),
    "INFO": frozenset[Verdict](),
}


class Cell(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One scenario on one broken relay in one world."""

    defect: str
    scenario: str
    world: str
    kills: Mapping[str, Verdict] = {}  # by clause
    error: str = ""  # of the harness: nothing is known then


class Kill(msgspec.Struct, frozen=True, order=True):
    """What killed a defect."""

    scenario: str
    world: str
    verdict: Verdict


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was played. ``played``: date by world; ``versions``: of what it was played with."""

    cells: tuple[Cell, ...] = ()
    played: Mapping[str, str] = {}
    versions: Mapping[str, str] = {}
    seed: int = 0

    def kills(self, defect: str, clause: str) -> list[Kill]:
        """What killed the defect by a check of this clause, in the order of the cells."""
        return [
            Kill(cell.scenario, cell.world, cell.kills[clause])
            for cell in self.cells
            if cell.defect == defect and clause in cell.kills
        ]

    def judged(self, defects: Iterable[Defect], scenarios: Sequence[Scenario]) -> list[tuple[str, str]]:
        """Each clause of a defect that was played in a world which can show that clause: (name, clause)."""
        played = {(cell.defect, cell.world) for cell in self.cells}
        return [
            (defect.name, clause)
            for defect in defects
            for clause in defect.clauses
            if any((defect.name, world) in played for world in worlds_of(defect, clause, scenarios))
        ]

    def alive(self, defects: Iterable[Defect], scenarios: Sequence[Scenario]) -> list[tuple[str, str]]:
        """Those of `judged` that no check killed."""
        return [(name, clause) for name, clause in self.judged(defects, scenarios) if not self.kills(name, clause)]

    def killed_by(self, clause: str, defects: Iterable[Defect]) -> list[str]:
        """The defects that break this clause and were killed by a check of it."""
        return [each.name for each in defects if clause in each.clauses and self.kills(each.name, clause)]

    def harmless(self, claimed: Iterable[Clause], defects: Iterable[Defect]) -> list[str]:
        """Claimed MUST clauses whose checks killed no defect that breaks them."""
        known = tuple(defects)
        return [clause.id for clause in claimed if clause.level == "MUST" and not self.killed_by(clause.id, known)]

    def questioned(self, scenarios: Iterable[Scenario], clauses: Mapping[str, Clause]) -> list[str]:
        """Scenarios that were played and failed, by a clause that they declare, on no broken relay at all.

        Those about INFO clauses alone can't fail and are left out.
        """
        played = {cell.scenario for cell in self.cells}
        killing = {(cell.scenario, clause) for cell in self.cells for clause in cell.kills}
        return [
            each.id
            for each in scenarios
            if each.id in played
            and any(clauses[clause].level != "INFO" for clause in each.clauses)
            and not any((each.id, clause) in killing for clause in each.clauses)
        ]

    def errors(self) -> list[Cell]:
        return [cell for cell in self.cells if cell.error]

    def joined(self, other: Matrix) -> Matrix:
        """Both; where both have a cell, the other's counts."""
        cells = {(cell.defect, cell.scenario, cell.world): cell for cell in (*self.cells, *other.cells)}
        return Matrix(
            cells=tuple(cells[key] for key in sorted(cells)),
            played={**self.played, **other.played},
            versions={**self.versions, **other.versions},
            seed=other.seed,
        )


def cell_of(defect: str, result: ScenarioResult, clauses: Mapping[str, Clause]) -> Cell:
    """The cell of a judged history."""
    kills = {
        clause: verdict for clause, verdict in result.clauses.items() if verdict in _KILLING[clauses[clause].level]
    }
    broken = [finding.seen for finding in result.findings if finding.verdict is Verdict.HARNESS_ERROR]
    return Cell(
        defect=defect, scenario=result.scenario, world=result.world, kills=kills, error=broken[0] if broken else ""
    )


def worlds_of(defect: Defect, clause: str, scenarios: Iterable[Scenario]) -> frozenset[str]:
    """Worlds in which some scenario declares this clause, and in which the defect can run."""
    found = {world for scenario in scenarios if clause in scenario.clauses for world in scenario.worlds}
    return frozenset(found - {"simulated"} if defect.where == "server" else found)
