"""``relayproof serve`` that can't begin: one sentence, no traceback."""

from __future__ import annotations

from pathlib import Path

import pytest

from relayproof.cli import run


@pytest.mark.parametrize("name", ["relay.lock", "relay.sqlite"])
def test_a_directory_in_the_way_of_a_file_is_wrong_usage(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / name).mkdir()
    assert run(["serve", "--port", "0", "--data", str(tmp_path)]) == 64
    said = capsys.readouterr().err
    assert str(tmp_path) in said and "Traceback" not in said


def test_a_configuration_must_be_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["serve", "--config", "/dev/zero"]) == 64
    assert "--config /dev/zero: no such file" in capsys.readouterr().err


def test_a_configuration_of_brackets_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "relay.yaml").write_text("a: " + "[" * 1_500)
    assert run(["serve", "--port", "0", "--config", str(tmp_path / "relay.yaml")]) == 64
    said = capsys.readouterr().err
    assert "relay.yaml" in said and "Traceback" not in said
