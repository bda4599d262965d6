"""The kill matrix: what counts as a kill, what the page says, and the command on a small selection."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
import pytest

import broken_relays
from broken_relays.matrix import Cell, Kill, Matrix, cell_of, worlds_of
from broken_relays.page import page
from evidence.verdict import Finding, ScenarioResult, Verdict
from relayproof.commands.killmatrix import killmatrix
from relayproof.errors import WrongUsage
from relayproof.killing import Task
from scenarios import catalogue
from spec import claimed_clauses, clauses
from tests.scenarios.test_targets import until_gone


def newest(results: Path) -> Path:
    """The matrix that the last run left; ``latest`` is for runs that can be judged again."""
    return max(results.glob("*-killmatrix*/matrix.json"))


def cell(defect: str, scenario: str, world: str = "simulated", **kills: str) -> Cell:
    named = {clause.replace("_", "-"): Verdict(verdict) for clause, verdict in kills.items()}
    return Cell(defect=defect, scenario=scenario, world=world, kills=named)


def result(**verdicts: Verdict) -> ScenarioResult:
    named = {clause.replace("_", "-"): verdict for clause, verdict in verdicts.items()}
    return ScenarioResult(scenario="LIV-1/idle", title="", world="simulated", clauses=named)


@pytest.mark.parametrize("verdict", [Verdict.FAILED, Verdict.EARLY, Verdict.LATE])
def test_a_failing_verdict_of_a_must_kills(verdict: Verdict) -> None:
    assert cell_of("never-pings", result(LIV_1=verdict), clauses()).kills == {"LIV-1": verdict}


@pytest.mark.parametrize("verdict", [Verdict.OK, Verdict.UNKNOWN, Verdict.VACUOUS, Verdict.NOT_TESTABLE])
def test_what_was_not_judged_kills_nothing(verdict: Verdict) -> None:
    assert not cell_of("never-pings", result(LIV_1=verdict), clauses()).kills


def test_a_should_is_killed_by_non_strict_and_an_info_by_nothing() -> None:
    found = cell_of("x", result(LIV_18=Verdict.NON_STRICT, LIV_17=Verdict.INFO), clauses())
    assert found.kills == {"LIV-18": Verdict.NON_STRICT}


def test_a_harness_error_is_told_and_kills_nothing() -> None:
    broken = Finding(clause="LIV-1", verdict=Verdict.HARNESS_ERROR, rule="scenario", seen="it broke")
    judged = msgspec.structs.replace(result(LIV_1=Verdict.HARNESS_ERROR), findings=(broken,))
    assert cell_of("x", judged, clauses()) == Cell(
        defect="x", scenario="LIV-1/idle", world="simulated", error="it broke"
    )


def test_a_defect_lives_while_one_of_its_clauses_is_not_what_failed() -> None:
    defects = [broken_relays.find("forgets-the-dead-on-restart")]
    one = Matrix(cells=(cell("forgets-the-dead-on-restart", "LIV-15/dead", REC_19="FAILED"),))
    assert one.alive(defects, catalogue.all()) == [("forgets-the-dead-on-restart", "LIV-15")]
    both = one.joined(
        Matrix(cells=(cell("forgets-the-dead-on-restart", "LIV-15/dead", REC_19="FAILED", LIV_15="LATE"),))
    )
    assert both.alive(defects, catalogue.all()) == []


def test_a_must_whose_checks_kill_nothing_that_breaks_it_is_harmless() -> None:
    """Failures of LIV-1 on a relay that breaks something else prove nothing."""
    defects = broken_relays.all_defects()
    musts = [clauses()["LIV-1"], clauses()["LIV-18"]]
    by_accident = Matrix(cells=(cell("wants-data", "LIV-1/idle", LIV_1="FAILED"),))
    assert by_accident.harmless(musts, defects) == ["LIV-1"]
    rightly = Matrix(cells=(cell("never-pings", "LIV-1/idle", LIV_1="LATE"),))
    assert rightly.harmless(musts, defects) == []


def test_a_scenario_is_questioned_when_no_clause_that_it_declares_ever_failed() -> None:
    matrix = Matrix(cells=(cell("never-pings", "LIV-1/idle", HSK_2="FAILED"), cell("never-pings", "LIV-17/x")))
    entries = [entry for entry in catalogue.all() if entry.id in ("LIV-1/idle", "LIV-1/talking")]
    assert matrix.questioned(entries, clauses()) == ["LIV-1/idle"]


def test_of_two_runs_the_later_cell_counts() -> None:
    first = Matrix(cells=(cell("a", "LIV-1/idle"), cell("b", "LIV-1/idle")), played={"simulated": "2026-01-01"})
    later = Matrix(cells=(cell("a", "LIV-1/idle", LIV_1="LATE"),), played={"wire": "2026-01-02"}, seed=3)
    joined = first.joined(later)
    assert joined.kills("a", "LIV-1") == [Kill("LIV-1/idle", "simulated", Verdict.LATE)]
    assert len(joined.cells) == 2
    assert joined.played == {"simulated": "2026-01-01", "wire": "2026-01-02"}


def test_a_defect_of_the_server_runs_on_the_wire_only() -> None:
    assert worlds_of(broken_relays.find("never-pings"), "LIV-1", catalogue.all()) >= {"simulated", "wire"}
    assert worlds_of(broken_relays.find("never-pongs"), "LIV-2", catalogue.all()) == {"wire"}


def test_a_clause_that_no_played_world_can_show_is_not_judged() -> None:
    """A clause about real executors says nothing after a run in virtual time."""
    defects = [broken_relays.find("never-recovers")]
    matrix = Matrix(cells=(cell("never-recovers", "REC-1/silent", REC_1="FAILED"),))
    assert matrix.judged(defects, catalogue.all()) == [("never-recovers", "REC-1")]


def test_the_page_counts_what_was_played_and_marks_what_lives() -> None:
    matrix = Matrix(
        cells=(cell("never-pings", "LIV-1/idle", LIV_1="LATE"), cell("wants-data", "LIV-5/idle")),
        played={"simulated": "2026-01-01"},
        versions={"simpy": "4"},
    )
    text = page(matrix, broken_relays.all_defects(), catalogue.all(), claimed_clauses(), clauses())
    assert "1 of 2 defects killed" in text
    assert "| LIV-1/idle (simulated: LATE) |" in text
    assert "| wants-data | " in text and "| LIV-5 | **nothing** |" in text
    assert "| REC-20 | MUST | not played |" in text
    assert "- LIV-5/idle" in text
    assert "never-pongs" not in text


def test_the_command_kills_a_defect_and_leaves_matrix_and_page(tmp_path: Path) -> None:
    written = tmp_path / "page.md"
    code = killmatrix(
        world=("simulated",), defect="pings-rarely", select=("LIV-1",), jobs=1, results=tmp_path, output=written
    )
    assert code == 0
    assert "pings-rarely" in written.read_text(encoding="utf-8")
    stored = msgspec.json.decode(newest(tmp_path).read_bytes(), type=Matrix)
    assert stored.kills("pings-rarely", "LIV-1")


def test_a_run_is_added_to_earlier_ones_and_the_newest_cell_counts(tmp_path: Path) -> None:
    files = []
    for number, verdict in enumerate((Verdict.FAILED, Verdict.EARLY)):
        old = Matrix(cells=(cell("never-pongs", "LIV-2/long-request", LIV_2=verdict),), seed=number)
        files.append(tmp_path / f"{number}.json")
        files[-1].write_bytes(msgspec.json.encode(old))
    killmatrix(
        world=("simulated",),
        defect="pings-rarely",
        select=("LIV-1/idle",),
        jobs=1,
        results=tmp_path,
        earlier=tuple(files),
    )
    stored = msgspec.json.decode(newest(tmp_path).read_bytes(), type=Matrix)
    assert [kill.verdict for kill in stored.kills("never-pongs", "LIV-2")] == [Verdict.EARLY]
    assert stored.kills("pings-rarely", "LIV-1")


def test_a_relay_that_refuses_a_socket_fails_and_is_no_error_of_the_suite(tmp_path: Path) -> None:
    scenario = "HSK-2/reported-fields/go"
    killmatrix(world=("wire",), full=True, defect="needs-a-scoped-key", select=(scenario,), jobs=1, results=tmp_path)
    stored = msgspec.json.decode(newest(tmp_path).read_bytes(), type=Matrix)
    assert not stored.errors()
    assert [kill.scenario for kill in stored.kills("needs-a-scoped-key", "HSK-2")] == [scenario]


def test_a_defect_that_nothing_kills_fails_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = killmatrix(
        world=("simulated",), full=True, defect="pings-rarely", select=("HSK-1",), jobs=1, results=tmp_path
    )
    assert code == 1
    assert "ALIVE pings-rarely: no check of LIV-1 failed" in capsys.readouterr().out


def test_an_unknown_defect_or_world_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(WrongUsage, match="no broken relay matches"):
        killmatrix(defect="no-such-defect", results=tmp_path)
    with pytest.raises(WrongUsage, match="give simulated, wire, real"):
        killmatrix(world=("lunar",), results=tmp_path)
    with pytest.raises(WrongUsage, match="--jobs -1: give 1 or more"):
        killmatrix(jobs=-1, results=tmp_path)
    with pytest.raises(WrongUsage, match=r"nothing to play for --defect cancels-instead: .* worlds: real"):
        killmatrix(world=("wire",), full=True, defect="cancels-instead", results=tmp_path)
    assert not list(tmp_path.iterdir()), "nothing was begun"


def test_files_that_can_not_be_joined_or_written_are_told_before_anything_is_played(tmp_path: Path) -> None:
    results, broken = tmp_path / "results", tmp_path / "matrix.json"
    broken.write_bytes(b"\xff")
    for path in (tmp_path / "gone.json", broken, tmp_path):
        with pytest.raises(WrongUsage, match=f"--earlier {path}: no matrix.json"):
            killmatrix(defect="never-pings", earlier=(path,), results=results)
    for output in (tmp_path / "nowhere" / "page.md", tmp_path):
        with pytest.raises(WrongUsage, match=f"--output {output}: give a file"):
            killmatrix(defect="never-pings", output=output, results=results)
    assert not results.exists()


def test_ci_plays_virtual_time_in_full_and_elsewhere_what_needs_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("dbos")
    planned: list[Task] = []

    def noted(tasks: Sequence[Task], jobs: int) -> Iterator[tuple[Task, list[Cell]]]:
        planned.extend(tasks)
        return iter(())

    monkeypatch.setattr("relayproof.commands.killmatrix.played", noted)
    for defect in ("never-recovers", "never-pongs"):
        killmatrix(ci=True, defect=defect, results=tmp_path)
    by_task = {(task.defect, task.world): set(task.scenarios) for task in planned}
    everything = {each.id for each in catalogue.all() if "simulated" in each.worlds}
    assert by_task["never-recovers", "simulated"] == everything
    assert by_task["never-recovers", "real"] == {"OUT-1/kill"}
    assert {id.partition("-")[0] for id in by_task["never-pongs", "wire"]} >= {"LIV"}
    assert len(by_task) == 3


@pytest.mark.skipif(sys.platform != "linux", reason="workers are found in /proc")
@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)])
def test_no_worker_outlives_a_matrix_that_is_stopped(number: signal.Signals, status: int, tmp_path: Path) -> None:
    arguments = ["killmatrix", "--defect", "never-pings", "--world", "wire", "--select", "LIV-1*", "--full"]
    arguments += ["--jobs", "1", "--results", str(tmp_path / "results")]
    root = Path(__file__).parents[2]
    with subprocess.Popen([sys.executable, "-m", "relayproof", *arguments], cwd=root, stderr=subprocess.PIPE) as matrix:
        try:
            end = time.monotonic() + 60
            while not (logs := list(tmp_path.glob("results/*/*/relays/*.log"))) and time.monotonic() < end:
                time.sleep(0.05)  # until a worker has a relay
            assert logs
            workers = [int(each) for each in Path(f"/proc/{matrix.pid}/task/{matrix.pid}/children").read_text().split()]
            matrix.send_signal(number)  # to it alone, as a job runner does
            assert matrix.wait(20) == status
            assert len(workers) >= 2 and all(until_gone(each) for each in workers)
        finally:
            matrix.kill()
