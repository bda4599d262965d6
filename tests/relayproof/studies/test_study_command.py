"""The command writes a page, CSV and pictures, and tells what it can't read."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from relayproof import cli


def test_a_study_leaves_page_tables_and_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["study", "windows", "--ask", "ping_interval=8,10", "--scale", "0.1", "--jobs", "1"]
    assert cli.run([*arguments, "--results", str(tmp_path)]) == 0
    (folder,) = tmp_path.glob("*-study-windows")
    page = (folder / "index.html").read_text()
    assert "<svg" in page and 'src="http' not in page and "@import" not in page and "url(http" not in page
    rows = list(csv.DictReader((folder / "from-silence-to-disconnected.csv").open()))
    assert [row["ping_interval"] for row in rows] == ["8 s", "8 s", "10 s", "10 s"]
    assert float(rows[0]["mean (s): low"]) <= float(rows[0]["mean (s)"]) <= float(rows[0]["mean (s): high"])
    assert (folder / "from-silence-to-disconnected.png").read_bytes().startswith(b"\x89PNG")
    assert json.loads((folder / "answer.json").read_text())["study"] == "windows"
    assert float(rows[0]["mean (s): n"]) == 80
    svg = (folder / "from-silence-to-disconnected.svg").read_text()
    assert svg.startswith("<svg") and "currentColor" not in svg and "currentColor" in page
    out = capsys.readouterr().out
    assert "outside" in out and "LIV-3" in out


def test_without_a_name_the_questions_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["study"]) == 0
    assert "mass-death" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["stom"], "there is no study 'stom'"),
        (["storm", "--ask", "grace=3"], "there is no parameter 'grace'"),
        (["storm", "--scale", "0"], "--scale 0"),
        (["storm", "--scale", "nan"], "--scale nan"),
        (["storm", "--scale", "1e12"], "give fewer points or a smaller scale"),
        (["storm", "--jobs", "-1"], "--jobs -1"),
        (["detection", "--ask", "ping_interval=30"], "ping_interval=30"),
    ],
)
def test_wrong_usage(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["study", *arguments]) == 64
    assert said in capsys.readouterr().err
