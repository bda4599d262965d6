"""The real world as the runner meets it."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from pathlib import Path

import pytest

import chaos.session
from chaos.proof import OUTCOMES, convergence_s
from chaos.session import RealSession, real_timing
from conductor.timing import DOCUMENTED, FAST
from evidence.judge import judge
from evidence.rules import rules
from evidence.verdict import Verdict
from scenarios import catalogue, worlds
from scenarios.errors import UnknownWorld
from scenarios.profile import Profile, RelaySection
from scenarios.worlds import SessionOptions
from sdk_matrix.languages import worker
from spec import clauses

REAL = {"OUT-1/adopter-killed", "OUT-1/kill", "OUT-1/polite-exit", "REC-20/duplicate-recovery"}


def options(folder: Path, target: str = "builtin:reference") -> SessionOptions:
    return SessionOptions(profile=Profile(relay=RelaySection(target=target)), timing=FAST, seed=1, folder=folder)


def test_the_runner_finds_the_world_and_its_scenarios_by_name() -> None:
    assert worlds.factory("real") is RealSession
    chosen = catalogue.select(world="real")
    assert {scenario.id for scenario in chosen} == REAL
    assert {clause for scenario in chosen for clause in scenario.clauses} == {*OUTCOMES, "REC-20"}
    assert set(OUTCOMES.values()) <= rules().keys()


def test_the_named_tests_are_found_by_whoever_asks_for_their_world_alone() -> None:
    asked = (
        "from scenarios import catalogue, worlds; worlds.factory('chaos');"
        "print([each.id for each in catalogue.select(['OUT-5/zombie'], world='chaos')])"
    )
    said = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=60)
    assert said.stdout.strip() == "['OUT-5/zombie']"


def test_a_missing_sdk_is_wrong_usage_that_says_how_to_get_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    absent = dataclasses.replace(worker("python"), missing=lambda: "it is missing: pip install it")
    monkeypatch.setattr(chaos.session, "worker", lambda language: absent)
    with pytest.raises(UnknownWorld, match="pip install it"):
        RealSession(options(tmp_path))


def test_a_builtin_keeps_its_grace_and_gets_time_for_launches() -> None:
    made = real_timing(options(Path()).profile, FAST)
    assert (made.grace_s, made.scan_s) == (FAST.grace_s, FAST.scan_s)
    assert min(made.ping_wait_s, made.request_deadline_s, made.recovery_deadline_s) >= 10


def test_a_foreign_relay_is_held_to_its_own_timing() -> None:
    assert real_timing(options(Path(), "url:http://127.0.0.1:1").profile, FAST) == FAST


def test_convergence_has_time_for_every_death() -> None:
    assert convergence_s(FAST, 2.0, 2) - convergence_s(FAST, 2.0, 1) > 2.0
    assert convergence_s(DOCUMENTED, 60.0, 1) > 60 + DOCUMENTED.request_deadline_s


@pytest.mark.real
@pytest.mark.slow
async def test_the_reference_relay_has_a_peer_recover_a_killed_executor(tmp_path: Path) -> None:
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    async with RealSession(options(tmp_path)) as session:
        made = await session.play(catalogue.find("OUT-1/kill"), tmp_path / "kill.jsonl", 120)
    result = judge(made.history(), clauses())
    assert result.clauses == dict.fromkeys(OUTCOMES, Verdict.OK), result.findings
    assert made.history().header.world == "real"
    assert b"<key:" not in b"".join(line for line in made.history().lines() if b'"ev":"open"' in line)
