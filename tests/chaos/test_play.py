"""A whole run with real SDKs: judged, reported, and nothing left behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chaos import report
from chaos.campaign import REPLACES, Campaign
from chaos.driver import Driver, Standing
from chaos.play import play
from evidence.events import Fault, Note
from evidence.outcomes import LAUNCHED
from evidence.verdict import Verdict
from scenarios.profile_loading import resolve
from scenarios.schedule import FaultAt, Member, Schedule, read
from sdk_matrix.languages import worker

pytestmark = [pytest.mark.real, pytest.mark.slow]  # each launches a relay and real SDKs
pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")


def campaign(duration_s: float, *faults: str) -> Campaign:
    return Campaign(
        workers=(worker("python"),), executors=2, duration_s=duration_s, seed=11, faults=faults, store="sqlite"
    )


async def test_a_kill_is_recovered_and_judged(tmp_path: Path) -> None:
    seen: list[str] = []
    played = await play(
        resolve("builtin:reference"), campaign(11.0, "kill"), grace_s=2.0, results=tmp_path,
        looked=lambda standing: seen.append(standing.phase),
    )  # fmt: skip
    verdicts = played.result.clauses
    assert {verdicts[clause] for clause in ("OUT-1", "OUT-2", "OUT-3", "REC-1", "AUD-1")} == {Verdict.OK}, verdicts
    assert played.history is not None
    summary = report.summarize(played.history)
    assert summary.kills >= 1 and summary.converged and summary.workflows > 5
    assert [*dict.fromkeys(seen)][-4:] == ["chaos", "healing", "converging", "judging"]
    assert {at.fault for at in read(played.folder / "schedule.toml").faults} == {"kill"}
    assert "taken over" in report.page(played.result, played.history, summary)


async def test_a_run_without_a_blow_is_vacuous_also_when_it_is_interrupted(tmp_path: Path) -> None:
    drivers: list[Driver] = []

    def looked(standing: Standing) -> None:
        if standing.phase == "chaos":
            drivers[0].interrupt()

    played = await play(
        resolve("builtin:reference"), campaign(60.0, "stop"), grace_s=2.0, results=tmp_path, looked=looked,
        started=drivers.append,
    )  # fmt: skip
    assert played.interrupted
    assert played.result.clauses["OUT-1"] is Verdict.VACUOUS


async def test_whoever_dies_after_an_upgrade_is_replaced_by_one_of_the_new_version(tmp_path: Path) -> None:
    schedule = Schedule(
        name="upgraded-and-killed", seed=11, duration_s=12.0, about={REPLACES: True},
        executors=(Member("a"), Member("b")),
        faults=(FaultAt("upgrade", 1.0, "a", args={"down_s": 0.5}), FaultAt("kill", 7.0, "a")),
    )  # fmt: skip
    played = await play(
        resolve("builtin:reference"), replace(campaign(12.0, "kill", "upgrade"), schedule=schedule), grace_s=2.0,
        results=tmp_path,
    )  # fmt: skip
    assert played.history is not None
    struck = [event.executor for event in played.history.of(Fault) if event.kind == "kill"]
    launched = [note.detail for note in played.history.of(Note) if note.text == LAUNCHED and note.detail["slot"] == "a"]
    assert [each["version"] for each in launched] == ["v1", "v2", "v2"] and struck == [launched[1]["executor"]]
    assert played.result.clauses["OUT-1"] is Verdict.OK, played.result
