"""Schedule files with real SDKs: what of the simulator's can be played, and what is told about the rest."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from msgspec.structs import replace as changed

from chaos import faults, from_file
from chaos.campaign import LEAST_WAIT_S, Campaign, chaos_timing
from chaos.swarm import draw
from conductor.timing import DOCUMENTED, FAST
from evidence.events import Note
from evidence.history import load
from evidence.outcomes import LAUNCHED
from relayproof import cli
from scenarios.profile_loading import resolve
from scenarios.schedule import FaultAt, Member, Schedule, read, write
from sdk_matrix.languages import WORKERS
from simulator.search import swarm

TWO = (Member("a"), Member("b"))
RUNTIME, STORE = "process", "postgresql"


def schedule(*members: Member, timing: dict[str, float] | None = None, strike: FaultAt | None = None) -> Schedule:
    return Schedule(
        name="from-the-simulator", seed=3, duration_s=10.0, executors=members or TWO, timing=timing or {},
        faults=(strike,) if strike is not None else (),
    )  # fmt: skip


@pytest.mark.parametrize(
    ("strike", "words"),
    [
        (FaultAt("store-fail", 2.0, "relay"), "faults, number 1, store-fail at 2 s on relay: as store-slow"),
        (FaultAt("clock-skew", 2.0, "b"), "a fake clock stops Python's pings"),
        (FaultAt("wrong-answer", 2.5, "a"), "at 2.5 s on a: no SDK does it"),
        (FaultAt("late-start", 0.0, "a"), "restart and kill place processes in time there"),
    ],
)
def test_a_fault_that_real_sdks_cannot_suffer_is_named_with_its_place_and_reason(strike: FaultAt, words: str) -> None:
    (said,) = from_file.obstacles(schedule(strike=strike), RUNTIME, STORE)
    assert words in said


def test_on_sqlite_a_fault_that_needs_a_server_is_named_too() -> None:
    (said,) = from_file.obstacles(schedule(strike=FaultAt("pause", 1.0, "a", 3.0)), RUNTIME, "sqlite")
    assert "number 1, pause" in said and "PostgreSQL" in said


def test_executors_that_have_no_place_are_named_with_the_way_out() -> None:
    mixed = schedule(Member("a"), Member("b", "go"))
    (said,) = from_file.obstacles(mixed, RUNTIME, STORE)
    assert "application app has executors of go, python" in said and "--sdk go" in said
    assert from_file.obstacles(from_file.with_language(mixed, "go"), RUNTIME, STORE) == []
    (said,) = from_file.obstacles(schedule(Member("a"), Member("b", app="app2")), RUNTIME, STORE)
    assert "python is in the applications app, app2" in said


def test_whatever_the_simulator_draws_is_played_or_told_why_not() -> None:
    drawn = [from_file.with_language(swarm.draw(swarm.schedule_seed(5, number)), "python") for number in range(150)]
    told = [from_file.obstacles(each, RUNTIME, STORE) for each in drawn]
    assert any(told) and not all(told)
    for each, problems in zip(drawn, told, strict=True):
        absent = [at for at in each.faults if at.fault not in faults.names(RUNTIME, STORE)]
        assert len([problem for problem in problems if problem.startswith("faults, number")]) == len(absent)
        timing = from_file.fitted(each.timing_profile, each.timing_profile.grace_s)
        assert timing.grace_s == each.timing_profile.grace_s and timing.ping_wait_s >= LEAST_WAIT_S


def test_what_is_played_otherwise_is_told() -> None:
    asked = changed(
        schedule(timing={"ping_wait_s": 2.0, "slack_s": 0.1}), workload={"workflows": 0},
        settings={"recoverToLatestVersion": True}, about={"clause": "LIV-7"},
    )  # fmt: skip
    said = from_file.left_out(asked)
    assert [line.split(":")[0] for line in said] == [
        "[about] clause", "[workload]", "[settings] recoverToLatestVersion", "[timing] ping_wait_s",
    ]  # fmt: skip
    assert from_file.left_out(changed(schedule(), about={"clause": "OUT-1"})) == []
    assert from_file.left_out(schedule()) == []


@pytest.mark.parametrize("grace_s", [2.0, 5.0, 60.0])
def test_a_drawn_schedule_has_its_timing_in_its_file(grace_s: float, tmp_path: Path) -> None:
    profile = resolve("builtin:reference")
    timing = chaos_timing(profile, FAST, grace_s)
    campaign = Campaign(
        workers=(WORKERS["python"],), executors=3, duration_s=60.0, seed=1, faults=("kill",), store="sqlite"
    )
    write(draw(campaign, timing), tmp_path / "drawn.toml")
    again = read(tmp_path / "drawn.toml")
    assert from_file.fitted(again.timing_profile, grace_s) == timing
    assert chaos_timing(profile, timing, 9.0) == timing, "what real SDKs can keep stays"
    assert from_file.left_out(again) == []
    assert replace(campaign, seed=2) != campaign and DOCUMENTED.ping_wait_s >= LEAST_WAIT_S


@pytest.mark.parametrize(
    ("strike", "arguments", "words"),
    [
        (FaultAt("store-fail", 2.0, "relay"), [], "real executors can't play this schedule"),
        (None, ["--sdk", "go,java"], "executors of python too"),
        (None, ["--grace", "never"], "45s, 5m or 1h"),
    ],
)
def test_the_command_refuses_before_anything_starts(
    strike: FaultAt | None, arguments: list[str], words: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    write(schedule(strike=strike), tmp_path / "schedule.toml")
    asked = ["chaos", "--schedule", str(tmp_path / "schedule.toml"), "--results", str(tmp_path / "results")]
    assert cli.run([*asked, *arguments]) == 64
    assert words in capsys.readouterr().err and not (tmp_path / "results").exists()


@pytest.mark.real
@pytest.mark.slow  # a relay and real SDKs
def test_a_schedule_of_the_simulators_form_is_played_with_real_sdks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Languages, versions, a workload and a timing of its own, as the simulator writes them."""
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    asked = changed(
        schedule(
            Member("a", "typescript"), Member("b"), Member("c", version="v2"),
            timing={"grace_s": 2.0, "slack_s": 0.5, "ping_wait_s": 12.0}, strike=FaultAt("kill", 3.0, "a"),
        ),
        workload={"workflows": 1}, about={"relay": "builtin:broken/never-pings"},
    )  # fmt: skip
    write(asked, tmp_path / "small.toml")
    command = ["chaos", "--schedule", str(tmp_path / "small.toml"), "--sdk", "python", "--seed", "4"]
    cli.run([*command, "--results", str(tmp_path)])
    out, err = capsys.readouterr()
    (path,) = tmp_path.glob("*-chaos-*/histories/*.jsonl")
    history = load(path)
    launched = {note.detail["slot"]: note.detail for note in history.of(Note) if note.text == LAUNCHED}
    assert {slot: launched[slot]["version"] for slot in "abc"} == {"a": "v1", "b": "v1", "c": "v2"}
    assert {each["language"] for each in launched.values()} == {"python"}
    assert (history.header.timing["w"], history.header.timing["g"]) == (12.0, 2.0)
    assert "1 kills with recovery" in out and "[workload]" in err, out
