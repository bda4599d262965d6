"""Plays one scenario of the catalogue in the simulated world and judges it."""

from __future__ import annotations

from pathlib import Path

from conductor.timing import DOCUMENTED, FAST, Timing
from evidence.events import Expect
from evidence.judge import judge
from evidence.rules import check_arguments
from evidence.verdict import ScenarioResult, Verdict
from reference_relay.core.core import Core
from scenarios import catalogue
from scenarios.profile import Profile, RelaySection
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession
from spec import clauses

REFUTED = (Verdict.FAILED, Verdict.EARLY, Verdict.LATE)
"""What a broken relay must get. NOT-TESTABLE and VACUOUS fail a run as well, but say nothing about the clause."""

REFERENCE = Profile(relay=RelaySection(target="builtin:reference"))


def play(
    id: str, timing: Timing = FAST, core: type[Core] | None = None, profile: Profile = REFERENCE
) -> ScenarioResult:
    """``core`` None: the reference. Every expectation must fit its rule."""
    options = SessionOptions(profile=profile, timing=timing, seed=1, folder=Path())
    history = SimulatedSession(options, core).simulate(catalogue.find(id)).history()
    for expect in history.of(Expect):
        check_arguments(expect.rule, expect.args)
    return judge(history, clauses())


def simulated_ids(family: str) -> list[str]:
    return [entry.id for entry in catalogue.select(world="simulated") if entry.family == family]


def assert_passes(id: str, timing: Timing) -> None:
    """Met on the reference, with work done, within the time that the scenario says it needs at documented timing."""
    result = play(id, timing)
    odd = [each for each in result.findings if each.verdict not in (Verdict.OK, Verdict.INFO)]
    assert not odd, [(each.clause, each.verdict, each.rule, each.expected, each.seen) for each in odd]
    assert result.duration_s <= (catalogue.find(id).documented_s or 200)


def assert_killed(broken: type[Core], id: str, clause: str, timing: Timing = DOCUMENTED) -> None:
    """The scenario refutes a relay that breaks this clause, at a timing where a slack is a small part of it."""
    result = play(id, timing, broken)
    found = result.clauses[clause]
    refuted = found in REFUTED or (clauses()[clause].level == "SHOULD" and found is Verdict.NON_STRICT)
    assert refuted, (found, [(each.clause, each.verdict, each.rule, each.seen) for each in result.findings])
