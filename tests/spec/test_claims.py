"""What the project claims against what it has: scenarios, the fault map, the rules' page."""

from __future__ import annotations

from pathlib import Path

import pytest

import chaos.scenarios  # noqa: F401 - the real world's scenarios join the catalogue by being imported
import spec
from evidence import rules
from scenarios import catalogue
from scenarios.catalogue import Scenario

DOCS = Path(__file__).parents[2] / "docs"
ENTRIES = catalogue.all()


def matching(name: str) -> list[Scenario]:
    return [entry for entry in ENTRIES if entry.id == name or entry.id.startswith(f"{name}/")]


@pytest.mark.parametrize("clause", [clause.id for clause in spec.claimed_clauses() if clause.level == "MUST"])
def test_every_claimed_must_has_a_scenario(clause: str) -> None:
    assert any(clause in entry.clauses for entry in ENTRIES), f"no scenario declares {clause}"


def test_every_claimed_should_and_info_has_a_scenario() -> None:
    declared = {clause for entry in ENTRIES for clause in entry.clauses}
    assert [clause.id for clause in spec.claimed_clauses() if clause.id not in declared] == []


def test_scenarios_declare_only_clauses_of_the_contract() -> None:
    known = spec.clauses()
    assert [(entry.id, clause) for entry in ENTRIES for clause in entry.clauses if clause not in known] == []


@pytest.mark.parametrize("number", sorted(spec.faults()))
def test_the_fault_map_names_scenarios_that_are_about_the_fault(number: int) -> None:
    for name in spec.faults()[number].scenarios:
        found = matching(name)
        assert found, f"fault {number}: no scenario {name}"
        assert all(number in entry.faults for entry in found), f"{name} is not declared with faults=({number},)"


def test_every_fault_that_a_scenario_is_about_is_in_the_map() -> None:
    tagged = {number for entry in ENTRIES for number in entry.faults}
    assert tagged <= set(spec.faults())
    assert [number for number in sorted(tagged) if not spec.faults()[number].scenarios] == []


@pytest.mark.parametrize("name", sorted(rules.rules()))
def test_every_rule_is_documented(name: str) -> None:
    assert rules.rules()[name].__doc__, f"rule {name} has no docstring"
    assert f"`{name}`" in (DOCS / "verdicts.md").read_text(encoding="utf-8"), f"docs/verdicts.md lacks rule {name}"


@pytest.mark.parametrize("name", sorted(rules.invariants()))
def test_every_invariant_is_documented(name: str) -> None:
    clauses, function = rules.invariants()[name]
    assert function.__doc__
    text = (DOCS / "verdicts.md").read_text(encoding="utf-8")
    assert f"`{name}`" in text
    assert set(clauses) <= set(spec.clauses())
    assert all(("MSG-<type>" if clause.startswith("MSG-") else clause) in text for clause in clauses)
