"""The Go adapter: what it takes and refuses, and in which order it fetches, checks and compiles (go is a stand-in)."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from sdk_matrix.errors import LicenceRefused, MissingSdk
from sdk_matrix.languages import LANGUAGES, go, parse
from tests.sdk_matrix.test_languages import MIT

MODULE = "github.com/dbos-inc/dbos-transact-golang"
PROGRAM = Path(go.__file__).parents[1] / "workers" / "go"


class Tool:
    """A stand-in for go on the PATH: it notes what it is asked for, shows a module, and "compiles" a file."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, reported: str = "go1.26.0") -> None:
        self.module = folder / "module"
        self._asked = folder / "asked"
        (self.module / "dbos").mkdir(parents=True)
        (self.module / "LICENSE").write_text(MIT)
        (self.module / "dbos" / "conductor.go").touch()
        (folder / "bin").mkdir()
        program = folder / "bin" / "go"
        program.write_text(
            f'#!/bin/sh\necho "$*" >> {self._asked}\ncase "$1" in\n'
            f"list) echo {self.module};;\nenv) echo {reported};;\nbuild) echo binary > $4;;\nesac\n"
        )
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
        monkeypatch.setenv("RELAYPROOF_CACHE", str(folder / "cache"))

    def asked(self) -> list[str]:
        """Its sub-commands, in order."""
        lines = self._asked.read_text().splitlines() if self._asked.exists() else []
        return [" ".join(line.split()[:2]) for line in lines if not line.startswith("env")]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    return Tool(tmp_path, monkeypatch)


@pytest.mark.parametrize("version", ["1.7.0", "v1.7.0", "1.8.0", "2.0.0"])
def test_a_version_whose_client_is_proprietary_is_refused_before_anything_is_fetched(version: str, tool: Tool) -> None:
    with pytest.raises(LicenceRefused, match=r"proprietary.*before 1\.7"):
        parse(f"go=={version}")
    assert tool.asked() == []


def test_a_version_is_written_with_or_without_its_v(tool: Tool) -> None:
    plain, prefixed = LANGUAGES["go"].make("1.6.0"), LANGUAGES["go"].make("v1.6.0")
    assert (plain.version, plain.command) == (prefixed.version, prefixed.command) == ("1.6.0", prefixed.command)


def test_the_pinned_version_is_compiled_once_as_locked(tool: Tool) -> None:
    worker = LANGUAGES["go"].make(None)
    with pytest.raises(MissingSdk, match=r"1\.6\.0 is not built yet"):
        worker.check()
    worker.build()
    worker.build()
    worker.check()
    assert tool.asked() == ["mod download", "list -m", "build -trimpath"]
    assert Path(worker.command[0]).read_text() == "binary\n"


def test_another_version_is_resolved_first(tool: Tool) -> None:
    LANGUAGES["go"].make("1.5.0").build()
    assert tool.asked() == [f"get {MODULE}@v1.5.0", "mod tidy", "mod download", "list -m", "build -trimpath"]


def test_each_version_has_a_program_of_its_own(tool: Tool) -> None:
    pinned, other = LANGUAGES["go"].make(None), LANGUAGES["go"].make("1.5.0")
    other.build()
    assert pinned.command != other.command
    with pytest.raises(MissingSdk):
        pinned.check()


@pytest.mark.parametrize("fault", ["another licence", "no licence", "no client"])
def test_nothing_is_compiled_of_what_is_refused(fault: str, tool: Tool) -> None:
    match fault:
        case "another licence":
            (tool.module / "LICENSE").write_text("All rights reserved. For evaluation only.")
        case "no licence":
            (tool.module / "LICENSE").unlink()
        case _:
            (tool.module / "dbos" / "conductor.go").unlink()
    worker = LANGUAGES["go"].make("1.5.0")
    with pytest.raises(LicenceRefused, match=r"MIT|no Conductor client"):
        worker.build()
    assert "build -trimpath" not in tool.asked()
    with pytest.raises(MissingSdk):
        worker.check()


def test_a_missing_and_an_old_compiler_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Tool(tmp_path, monkeypatch, reported="go1.21.5")
    worker = LANGUAGES["go"].make(None)
    with pytest.raises(MissingSdk, match=r"go1\.21\.5 is older.*install Go 1\.25"):
        worker.check()
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingSdk, match="go is not on the PATH"):
        worker.check()


def test_a_built_program_needs_no_compiler(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = LANGUAGES["go"].make(None)
    worker.build()
    monkeypatch.setenv("PATH", "/nowhere")
    worker.check()


def test_the_module_and_its_digest_are_pinned() -> None:
    assert f"{MODULE} v{go.GO_SDK}\n" in (PROGRAM / "go.mod").read_text()
    sums = [line.split() for line in (PROGRAM / "go.sum").read_text().splitlines()]
    versions = {version for module, version, _ in sums if module == MODULE}
    assert versions == {f"v{go.GO_SDK}", f"v{go.GO_SDK}/go.mod"}


@pytest.mark.skipif(shutil.which("gofmt") is None, reason="gofmt is not installed: it comes with Go")
def test_the_program_is_formatted() -> None:
    said = subprocess.run(["gofmt", "-l", str(PROGRAM)], capture_output=True, text=True, check=True)
    assert said.stdout == ""
