"""The command's refusals: each names the input and the way out, before anything starts."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from chaos.campaign import Campaign, chaos_timing
from chaos.named import NAMED
from chaos.play import Played
from chaos.swarm import draw
from conductor.timing import FAST
from evidence.verdict import RunResult, ScenarioResult, Verdict
from relayproof import cli
from relayproof.commands import chaos as command
from scenarios.catalogue import Scenario
from scenarios.profile import Profile
from scenarios.runner import Outcome
from scenarios.schedule import write


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--executors", "1"], "nobody to recover it"),
        (["--sdk", "cobol"], "cobol"),
        (["--faults", "melt"], "there is no fault 'melt'"),
        (["--database", "sqlite", "--faults", "pause"], "write lock"),
        (["--duration", "soon"], "45s, 5m or 1h"),
        (["--rate", "0"], "above 0"),
        (["--schedule", "nowhere.toml"], "nowhere.toml"),
        (["--every-fault", "--executors", "2"], "give 3 or more"),
        (["--every-fault", "--schedule", "nowhere.toml"], "leave --every-fault or --schedule out"),
        (["--every-fault", "--duration", "5m"], "leave --duration or --every-fault out"),
        (["--schedule", "nowhere.toml", "--executors", "3"], "leave --executors or --schedule out"),
        (
            ["--schedule", "nowhere.toml", "--faults", "kill", "--duration", "30s"],
            "leave --duration, --faults or --schedule out",
        ),
        (["--test", "nothing"], "there is no test 'nothing': choose among polite-exit-go, "),
        (["--test", ","], "give a name"),
        (["--relay", "builtin:broken/none"], "none"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    assert cli.run(["chaos", "--results", str(tmp_path), *arguments]) == 64
    assert words in capsys.readouterr().err
    assert not any(tmp_path.iterdir()), "nothing was started"


@pytest.mark.parametrize(
    "option",
    [
        ["--sdk", "go"], ["--database", "postgresql"], ["--duration", "30s"], ["--executors", "3"],
        ["--faults", "kill"], ["--schedule", "nowhere.toml"], ["--every-fault"], ["--grace", "5s"], ["--rate", "0"],
    ],
)  # fmt: skip
def test_what_a_test_with_a_name_decides_itself_is_refused(
    option: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["chaos", "--test", "list", *option]) == 64
    assert f"leave {option[0]} or --test out" in capsys.readouterr().err


@pytest.mark.parametrize(("strict", "code"), [([], 0), (["--strict"], 1)])
def test_a_test_with_a_name_can_be_held_to_every_should(
    strict: list[str], code: int, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    result = RunResult(
        relay="recorded", target="builtin:reference", started="", duration_s=1.0, levels={"REC-21": "SHOULD"},
        scenarios=(
            ScenarioResult(scenario="REC-21/x", title="", world="chaos", clauses={"REC-21": Verdict.NON_STRICT}),
        ),
    )  # fmt: skip

    asked = ["chaos", "--test", "all", "--runtime", "docker", "--relay", "builtin:broken/never-pings", *strict]
    lines: list[str] = []

    async def played(
        profile: object, names: object, *, again: Callable[[Scenario], str], given: str, **more: object
    ) -> Outcome:
        lines.append(again(NAMED["polite-exit-go"]))
        assert given == "builtin:broken/never-pings"
        return Outcome(tmp_path, result, 1)

    monkeypatch.setattr(command, "play_named", played)
    assert cli.run([*asked, "--seed", "7"]) == code
    (line,) = lines
    assert line == (
        "relayproof chaos --relay builtin:broken/never-pings --seed 7 --runtime docker"
        f"{' --strict' if strict else ''} --test polite-exit-go"
    )
    lines.clear()
    assert cli.run(shlex.split(line)[1:]) == code, "it runs"
    assert lines == [line]


CAMPAIGNS = [
    "",
    "--sdk python==2.31.1 --database postgresql --duration 45s --executors 4 --faults kill,pause",
    "--every-fault --runtime docker --grace 2.5s --rate 1.5 --strict",
    "--schedule drawn.toml",
    "--relay 'cmd:python3 relay.py {port}'",
]


@pytest.mark.parametrize("options", CAMPAIGNS)
def test_a_campaign_that_fails_says_how_it_is_played_again(
    options: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RELAYPROOF_KEY", "k")
    runs: list[tuple[Campaign, float, str]] = []

    async def played(profile: Profile, campaign: Campaign, *, grace_s: float, again: str, **more: object) -> Played:
        runs.append((campaign, grace_s, again))
        if campaign.schedule is None:
            write(draw(campaign, chaos_timing(profile, FAST, grace_s)), tmp_path / "drawn.toml")
        found = ScenarioResult(
            scenario="OUT-1/chaos", title="", world="chaos", clauses={"OUT-1": Verdict.FAILED}, again=again
        )
        result = RunResult(
            relay="recorded", target="builtin:reference", started="", duration_s=1.0, levels={"OUT-1": "MUST"},
            scenarios=(found,), pace="chaos",
        )  # fmt: skip
        return Played(tmp_path, result, None)

    monkeypatch.setattr(command, "play", played)
    if "drawn.toml" in options:
        assert cli.run(["chaos", "--seed", "4"]) == 1
        runs.clear()
    assert cli.run(["chaos", *shlex.split(options)]) == 1
    line = runs[0][2]
    assert f"again: {line}\n" in (tmp_path / "junit.xml").read_text().replace("&gt;", ">")
    assert line in (tmp_path / "chaos.md").read_text()
    assert cli.run(shlex.split(line)[1:]) == 1
    assert runs[0] == runs[1], "the same run"


def test_the_named_tests_are_listed_with_their_clauses(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["chaos", "--test", "list"]) == 0
    out = capsys.readouterr().out
    for name in ("zombie", "steal-back", "silent-strand", "ack-without-effect", "double-dispatch", "mixed-languages"):
        assert name in out
    assert "OUT-5" in out
