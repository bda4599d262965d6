"""The command's refusals: each names the input and the way out, before anything starts."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayproof import cli


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
        (["--every-fault", "--schedule", "nowhere.toml"], "leave one out"),
        (["--test", "nothing"], "there is no test 'nothing'"),
        (["--relay", "builtin:broken/none"], "none"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    assert cli.run(["chaos", "--results", str(tmp_path), *arguments]) in (64, 3)
    assert words in capsys.readouterr().err


def test_the_named_tests_are_listed_with_their_clauses(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["chaos", "--test", "list"]) == 0
    out = capsys.readouterr().out
    for name in ("zombie", "steal-back", "silent-strand", "ack-without-effect", "double-dispatch", "mixed-languages"):
        assert name in out
    assert "OUT-5" in out
