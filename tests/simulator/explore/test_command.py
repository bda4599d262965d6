"""``relayproof explore``: figures, exit codes, and a counter-example in words."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from relayproof.cli import run
from simulator.coverage.cells import ALL


def test_what_holds(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    figures = tmp_path / "explored.json"
    assert run(["explore", "answers", "--json", str(figures)]) == 0
    line = capsys.readouterr().out
    assert "206 states" in line and "all states" in line
    assert msgspec.json.decode(figures.read_bytes())[0]["states"] == 206


def test_what_does_not_is_told_step_by_step(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explore", "pair", "--relay", "deletes-on-a-refusal"]) == 1
    told = capsys.readouterr().out
    assert "answers recovery about" in told and "false" in told
    assert "BROKEN  REC-6: a is deleted before any peer answered success: true" in told


def test_coverage_is_counted_over_all_that_was_explored(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explore", "answers", "calls", "--coverage"]) == 0
    told = capsys.readouterr().out
    assert "reachable cells reached" in told and "never reached" not in told


def test_a_cell_that_the_table_calls_impossible_fails(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("simulator.coverage.report.ALL", ALL[1:])
    assert run(["explore", "handshake", "--states", "100", "--coverage"]) == 1
    assert f"called impossible: {ALL[0].column.value} in {ALL[0].row.value}" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["pear"], "did you mean 'pair'?"),
        (["pair", "--states", "0"], "give 1 or more"),
        (["pair", "--relay", "half-a-gracc"], "did you mean half-a-grace"),
        (["pair", "--relay", "binary-frames-stop-it"], "there is no broken relay"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["explore", *arguments]) == 64
    assert said in capsys.readouterr().err
