"""``relayproof matrix`` from its command line."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from relayproof.cli import run
from sdk_matrix.matrix import file
from sdk_matrix.matrix.model import Cell, Matrix
from tests.sdk_matrix.matrix.made import exits, matrix, pings


def stored(folder: Path, name: str, found: Matrix) -> str:
    path = folder / name
    file.write(found, path)
    return str(path)


def test_a_difference_that_touches_a_clause_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = stored(tmp_path, "a.json", matrix(typescript_1=(exits(), pings())))
    other = stored(tmp_path, "b.json", matrix(typescript_2=(Cell("error"), pings())))
    assert run(["matrix", "diff", one, other]) == 1
    assert "1 changes; clauses touched: ENV-12" in capsys.readouterr().out


def test_no_difference_and_one_that_touches_nothing_pass(tmp_path: Path) -> None:
    one = stored(tmp_path, "a.json", matrix(go_1=(exits(), pings())))
    other = stored(tmp_path, "b.json", matrix(go_1=(exits(), pings(60.0))))
    assert run(["matrix", "diff", one, one]) == 0
    assert run(["matrix", "diff", one, other]) == 0  # no clause rests on that row


def test_columns_that_are_not_there_are_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = stored(tmp_path, "a.json", matrix(go_1=(exits(), pings())))
    assert run(["matrix", "diff", one, one, "--before", "go==1", "--after", "go==2"]) == 64
    assert "there is no 'go==2' among go==1" in capsys.readouterr().err


def test_files_that_are_no_matrix_are_wrong_usage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = tmp_path / "bad.json"
    bad.write_text('{"format": 1}')
    assert run(["matrix", "diff", str(bad), str(bad)]) == 64
    assert run(["matrix", "--again", str(tmp_path / "none.json")]) == 64
    old = stored(tmp_path, "old.json", msgspec.structs.replace(matrix(go_1=(exits(), pings())), format=0))
    assert run(["matrix", "--again", old]) == 64
    holed = matrix(go_1=(exits(), pings()))
    del holed.cells["liveness/ping_interval"]["go==1"]
    assert run(["matrix", "--again", stored(tmp_path, "holed.json", holed)]) == 64
    said = capsys.readouterr().err
    assert "bad.json is no matrix" in said
    assert "none.json: No such file" in said
    assert "has format 0, this version reads 1" in said
    assert "lacks the cell of liveness/ping_interval for go==1" in said


def test_pages_are_made_again_without_measuring(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = stored(tmp_path, "a.json", matrix(typescript_1=(exits(), pings())))
    docs = tmp_path / "docs"
    docs.mkdir()
    assert run(["matrix", "--again", one, "--results", str(tmp_path / "out"), "--docs", str(docs)]) == 0
    assert {path.name for path in (tmp_path / "out").iterdir()} == {
        "matrix.json", "index.html", "sdk-matrix.md", "what-relays-must-never-send.md"
    }  # fmt: skip
    assert {path.name for path in docs.iterdir()} == {
        "sdk-matrix.json", "sdk-matrix.md", "what-relays-must-never-send.md"
    }  # fmt: skip
    assert "2 rows, 2 cells, 0 not measured" in capsys.readouterr().out


def test_too_many_cells_that_were_not_measured_are_no_pass(tmp_path: Path) -> None:
    one = stored(tmp_path, "a.json", matrix(go_1=(Cell("no database", measured=False), pings())))
    assert run(["matrix", "--again", one, "--results", str(tmp_path / "out")]) == 2


def test_rows_and_sdks_that_do_not_exist_are_wrong_usage(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["matrix", "--rows", "nonsense"]) == 64
    assert run(["matrix", "--sdk", "cobol", "--rows", "shutdown/killed"]) == 64
    assert run(["matrix", "--sdk", "python==3.3.0", "--rows", "shutdown/killed"]) == 64
    assert run(["matrix", "--sdk", "python==", "--rows", "shutdown/killed"]) == 64
    assert run(["matrix", "--sdk", "", "--rows", "shutdown/killed"]) == 64
    said = capsys.readouterr().err
    assert "the groups are messages, variants" in said
    assert "no worker for 'cobol'" in said
    assert "proprietary licence" in said
    assert "'python==' names no version" in said
    assert "--sdk names no SDK" in said
