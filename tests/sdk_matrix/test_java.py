"""The Java adapter: what it takes and refuses, and in which order it fetches, checks and packs (mvn is a stand-in)."""

from __future__ import annotations

import hashlib
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

import pytest

from sdk_matrix.errors import BuildFailed, LicenceRefused, MissingSdk
from sdk_matrix.languages import LANGUAGES, java, parse

PROGRAM = Path(java.__file__).parents[1] / "workers" / "java"
CLIENT = "dev/dbos/transact/conductor/Conductor.class"


def pom(*licences: str) -> str:
    inner = "".join(f"<license><name>{name}</name></license>" for name in licences)
    return f'<project xmlns="http://maven.apache.org/POM/4.0.0"><licenses>{inner}</licenses></project>'


def jar(path: Path, *names: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, "")
    return path


class Tool:
    """A stand-in for mvn, java and javac on the PATH: it serves one release, notes the calls, and "packs" it."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch, java: str = "17.0.15") -> None:
        self.pom, self.jar = folder / "served.pom", jar(folder / "served.jar", CLIENT)
        self.pom.write_text(pom("MIT License"))
        self._asked = folder / "asked"
        (folder / "bin").mkdir()
        programs = {
            "mvn": f'echo "$*" >> {self._asked}\ncase "$*" in\n'
            f"*:copy*) cp {self.pom} transact-$VERSION.pom;;\n"
            f"*package*) mkdir -p target/lib && cp {self.jar} target/lib/transact-$VERSION.jar"
            " && echo packed > target/worker.jar;;\nesac",
            "java": f"echo 'openjdk version \"{java}\" 2025-04-15' >&2",
            "javac": "exit 0",
        }
        for name, text in programs.items():
            program = folder / "bin" / name
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{folder / 'bin'}:/usr/bin:/bin")
        monkeypatch.setenv("RELAYPROOF_CACHE", str(folder / "cache"))
        monkeypatch.setenv("VERSION", "1.2.0")

    def asked(self) -> list[str]:
        lines = self._asked.read_text().splitlines() if self._asked.exists() else []
        return ["package" if " package" in line else "pom" for line in lines]


@pytest.fixture
def tool(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tool:
    return Tool(tmp_path, monkeypatch)


def test_a_version_is_packed_once_after_its_licence_was_read(tool: Tool) -> None:
    worker = parse("java==1.2.0")
    with pytest.raises(MissingSdk, match=r"1\.2\.0 is not built yet"):
        worker.check()
    worker.build()
    worker.build()
    worker.check()
    assert tool.asked() == ["pom", "package"]
    assert Path(worker.command[-1]).read_text() == "packed\n"
    assert LANGUAGES["java"].make(None).command != worker.command


@pytest.mark.parametrize("licences", [(), ("Apache-2.0",), ("MIT License", "Commercial"), ("DBOS Enterprise Licence",)])
def test_nothing_but_the_mit_licence_is_fetched(licences: tuple[str, ...], tool: Tool) -> None:
    tool.pom.write_text(pom(*licences))
    with pytest.raises(LicenceRefused, match=r"transact-1\.2\.0 declares .*only releases under the MIT licence alone"):
        LANGUAGES["java"].make("1.2.0").build()
    assert tool.asked() == ["pom"]


def test_a_release_without_a_client_of_its_own_is_refused(tool: Tool) -> None:
    jar(tool.jar, "dev/dbos/transact/DBOS.class")
    worker = LANGUAGES["java"].make("1.2.0")
    with pytest.raises(LicenceRefused, match="no Conductor client of its own"):
        worker.build()
    with pytest.raises(MissingSdk):
        worker.check()


def test_other_jars_than_the_locked_ones_fail_the_build(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VERSION", java.JAVA_SDK)
    worker = LANGUAGES["java"].make(None)
    with pytest.raises(
        BuildFailed, match=rf"not as dependencies\.lock has it: .*transact-{re.escape(java.JAVA_SDK)}\.jar"
    ):
        worker.build()


def test_the_lock_is_compared_by_name_and_digest(tmp_path: Path) -> None:
    lock, libraries = tmp_path / "lock", tmp_path / "lib"
    libraries.mkdir()
    (libraries / "a-1.jar").write_bytes(b"a")
    lock.write_text(f"# about\n{hashlib.sha256(b'a').hexdigest()}  a-1.jar\n")
    java.require_locked(lock, libraries)
    (libraries / "b-1.jar").write_bytes(b"b")
    with pytest.raises(BuildFailed, match=r": b-1\.jar$"):
        java.require_locked(lock, libraries)
    (libraries / "b-1.jar").unlink()
    (libraries / "a-1.jar").write_bytes(b"another")
    with pytest.raises(BuildFailed, match=r": a-1\.jar$"):
        java.require_locked(lock, libraries)


@pytest.mark.parametrize("version", ["latest", "[1,)", "1", "1.2 && x", "../1.2"])
def test_what_is_no_version_is_refused(version: str, tool: Tool) -> None:
    with pytest.raises(LicenceRefused, match="no version"):
        LANGUAGES["java"].make(version)
    assert tool.asked() == []


def test_missing_and_old_tools_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Tool(tmp_path, monkeypatch, java="11.0.2")
    worker = LANGUAGES["java"].make(None)
    with pytest.raises(MissingSdk, match=r'version "11\.0\.2".*install a JDK 17'):
        worker.check()
    (tmp_path / "bin" / "javac").unlink()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(MissingSdk, match="javac is not on the PATH"):
        worker.check()


def test_a_built_worker_needs_no_compiler(tool: Tool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worker = LANGUAGES["java"].make("1.2.0")
    worker.build()
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    for name in ("mvn", "javac"):
        (tmp_path / "bin" / name).unlink()
    worker.check()


def test_everything_that_goes_in_is_pinned() -> None:
    """pom.xml allows exactly what dependencies.lock has, and each plugin has a version."""
    root = ElementTree.parse(PROGRAM / "pom.xml").getroot()
    properties = {child.tag.split("}")[1]: child.text or "" for child in root.findall("{*}properties/*")}

    def filled(text: str | None) -> str:
        return re.sub(r"\$\{(.+?)\}", lambda found: properties[found[1]], text or "")

    allowed = {filled(include.text) for include in root.iter("{http://maven.apache.org/POM/4.0.0}include")}
    jars = {"{1}-{2}.jar".format(*entry.replace("[", "").replace("]", "").split(":")) for entry in allowed}
    locked = [line.split() for line in (PROGRAM / "dependencies.lock").read_text().splitlines() if line[0] != "#"]
    assert jars == {name for _, name in locked} and all(re.fullmatch("[0-9a-f]{64}", sha) for sha, _ in locked)
    assert f"transact-{java.JAVA_SDK}.jar" in jars
    plugins = {
        plugin.findtext("{*}artifactId"): plugin.findtext("{*}version")
        for plugin in root.findall(".//{*}plugins/{*}plugin")
    }
    assert len(plugins) == 7 and all(version is not None for version in plugins.values())
    assert java.LICENCE_COPY.endswith(f":maven-dependency-plugin:{plugins['maven-dependency-plugin']}:copy")
