"""The commands simulate and replay, as typed."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import spec
from conductor.timing import FAST
from evidence.history import Recorder
from evidence.judge import judge
from relayproof.cli import run
from relayproof.commands.replay import as_scenario
from scenarios.profile import Profile, RelaySection
from scenarios.schedule import FaultAt, read, write
from scenarios.schedule.file import loads
from scenarios.worlds import SessionOptions
from simulator.search.hunt import relay_core
from simulator.world import SimulatedSession
from tests.simulator.fleets import schedule


@pytest.fixture
def options(tmp_path: Path) -> SessionOptions:
    profile = Profile(relay=RelaySection(target="builtin:reference"))
    return SessionOptions(profile=profile, timing=FAST, seed=1, folder=tmp_path)


def judged(recorder: Recorder) -> dict[str, str]:
    return {clause: str(verdict) for clause, verdict in judge(recorder.history(), spec.clauses()).clauses.items()}


@pytest.fixture
def failing(tmp_path: Path) -> Path:
    path = tmp_path / "short-grace.toml"
    given = schedule(FaultAt("kill", 10.0, "a"), name="short-grace", duration_s=40.0)
    write(given, path)
    text = path.read_text(encoding="utf-8")
    path.write_text(text + '\n[about]\nrelay = "builtin:broken/half-a-grace"\nclause = "LIV-7"\n', encoding="utf-8")
    return path


def test_a_clean_search(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", "--schedules", "15", "--seed", "1", "--jobs", "1", "--results", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    assert said.startswith("15 schedules, 0 failed · seed 1") and "workflows moved" in said
    assert list(tmp_path.iterdir()) == []


def test_a_search_that_finds_something(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ["--relay", "builtin:broken/never-pings", "--seed", "1", "--jobs", "1", "--results", str(tmp_path)]
    assert run(["simulate", "--schedules", "60", *told]) == 1
    said = capsys.readouterr().out
    assert "LIV-1" in said and "again: relayproof replay" in said
    small = next(tmp_path.glob("*-small.toml"))
    assert len(read(small).faults) <= 1 and read(small).about["clause"] == "LIV-1"


@pytest.mark.parametrize(
    "wrong",
    [["--schedules", "0"], ["--jobs", "-1"], ["--enough", "0"], ["--relay", "builtin:broken/needs-no-token"]],
    ids=" ".join,
)
def test_wrong_usage(wrong: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["simulate", *wrong]) == 64
    assert capsys.readouterr().err.startswith("relayproof: ")


def test_replay_shows_steps_and_draws(failing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(failing), "--results", str(tmp_path / "results")]) == 1
    said = capsys.readouterr().out
    assert "FAULT kill" in said and "LIV-7" in said and "DEAD" in said
    (folder,) = (tmp_path / "results").iterdir()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "short-grace" in page and "-a.1" in page, "drawn by the page's own script from the data in it"
    verdicts = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    assert verdicts["scenarios"][0]["clauses"]["LIV-7"] == "FAILED"


def test_a_replay_that_fails_says_how_it_is_seen_again(
    failing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["replay", str(failing), "--quiet", "--results", str(tmp_path / "results")]) == 1
    (line,) = re.findall(r"again +(.*)", capsys.readouterr().out)
    assert shlex.split(line)[:2] == ["relayproof", "replay"]
    assert run([*shlex.split(line)[1:], "--quiet", "--results", str(tmp_path / "results")]) == 1
    assert f"again     {line}" in capsys.readouterr().out


def test_the_same_schedule_passes_on_the_reference(failing: Path, tmp_path: Path) -> None:
    told = ["replay", str(failing), "--relay", "builtin:reference", "--quiet", "--results", str(tmp_path / "results")]
    assert run(told) == 0


def test_a_file_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["replay", str(tmp_path / "gone.toml")]) == 64
    assert "can't be read as a schedule" in capsys.readouterr().err


def test_saved_as_a_scenario(failing: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    told = ["replay", str(failing), "--save-as-scenario", "short-grace", "--catalogue", str(tmp_path / "found")]
    assert run(told) == 0
    module = tmp_path / "found" / "short_grace.py"
    assert capsys.readouterr().out.strip() == str(module)
    names: dict[str, object] = {}
    exec(module.read_text(encoding="utf-8").split("@scenario")[0], names)
    assert loads(str(names["SCHEDULE"]), "saved").faults == read(failing).faults
    assert run(["replay", str(failing), "--save-as-scenario", "Short Grace"]) == 64


@pytest.mark.parametrize(
    "fault",
    [
        FaultAt("kill", 10.0, "a"), FaultAt("stop", 10.0, "a"), FaultAt("restart", 10.0, "a"),
        FaultAt("kill-all", 10.0, "all"), FaultAt("pause", 10.0, "a", 60.0), FaultAt("cut", 10.0, "a"),
        FaultAt("reset", 10.0, "a"), FaultAt("half-open", 10.0, "a"), FaultAt("late-close", 10.0, "a"),
        FaultAt("twin", 10.0, "a"), FaultAt("relay-kill", 10.0, "relay"), FaultAt("relay-away", 10.0, "relay"),
        FaultAt("relay-and-executor-kill", 10.0, "a"), FaultAt("settings", 10.0, "a", args={"grace_s": 30}),
        FaultAt("refuse-recovery", 1.0, "b", 30.0), FaultAt("lying-ack", 1.0, "b", 30.0),
        FaultAt("deaf", 1.0, "b", 30.0), FaultAt("late-answer", 1.0, "b", 30.0, {"after_s": 2.0}),
        FaultAt("disconnect", 10.0, "a", 20.0),
    ],
    ids=lambda fault: str(fault.fault),
)  # fmt: skip
def test_scripted_executors_play_it_too(fault: FaultAt, options: SessionOptions) -> None:
    """The scenario of a schedule, in the simulated world of scenarios: the same that runs on the wire."""
    given = schedule(fault, FaultAt("kill", 12.0, "c"), executors=4, duration_s=60.0, name="scripted")
    recorder = SimulatedSession(options, relay_core("builtin:reference")).simulate(as_scenario(given))
    result = judged(recorder)
    assert result == {"REC-1": "OK"}


def test_what_scripted_executors_can_not_play_is_said(options: SessionOptions) -> None:
    given = schedule(FaultAt("store-slow", 10.0, "relay", 5.0), name="scripted")
    recorder = SimulatedSession(options, relay_core("builtin:reference")).simulate(as_scenario(given))
    assert judged(recorder) == {"REC-1": "UNSUPPORTED"}
