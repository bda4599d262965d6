from __future__ import annotations

import multiprocessing
import subprocess
import sys
from pathlib import Path

import pytest

from sdk_matrix.errors import BuildFailed, LicenceRefused, MissingSdk, UnknownLanguage
from sdk_matrix.languages import LANGUAGES, WORKERS, parse, python, worker
from sdk_matrix.languages.base import Environment, digest, refuse_from, require_mit, run

MIT = """MIT License

Copyright (c) 2024 Somebody

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files, to deal in the Software without restriction.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR IMPLIED.
"""


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RELAYPROOF_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_a_language_names_its_worker_and_its_version() -> None:
    assert parse("python") is worker("python") is WORKERS["python"]
    newer = parse(" typescript == 5.2.11 ")
    assert (newer.language, newer.version) == ("typescript", "5.2.11")
    assert newer is worker("typescript", "5.2.11") is not worker("typescript")
    assert all(WORKERS[name].language == name for name in LANGUAGES)
    with pytest.raises(UnknownLanguage, match=r"cobol.*python"):
        parse("cobol==1.0")


def test_the_pinned_versions_have_lock_files() -> None:
    programs = Path(python.__file__).parents[1] / "workers"
    for version in LANGUAGES["python"].versions:
        assert f"dbos=={version}\n" in (programs / "python" / "locks" / f"{version}.txt").read_text()
    first, *others = LANGUAGES["typescript"].versions
    for lock, version in [
        (programs / "typescript" / "package-lock.json", first),
        *((programs / "typescript" / "locks" / version / "package-lock.json", version) for version in others),
    ]:
        assert f'"@dbos-inc/dbos-sdk": "{version}"' in lock.read_text()


@pytest.mark.parametrize("sdk", ["python==3.3.0", "python==4.0", "typescript==5.3.0", "typescript==6.1.2"])
def test_a_version_with_a_proprietary_client_is_refused_before_anything_is_fetched(sdk: str) -> None:
    with pytest.raises(LicenceRefused, match="proprietary"):
        parse(sdk)


@pytest.mark.parametrize("version", ["", "latest", ">=2", "2", "../2.1"])
def test_what_is_no_version_is_refused(version: str) -> None:
    with pytest.raises(LicenceRefused, match="no version"):
        refuse_from("dbos", version, (3, 3))


def test_only_the_mit_licence_is_accepted(tmp_path: Path) -> None:
    licence = tmp_path / "LICENSE"
    licence.write_text(MIT)
    require_mit("some 1.0", licence)
    licence.write_text("The Licensee may use the Software for evaluation only. See also: MIT License.")
    with pytest.raises(LicenceRefused, match=r"some 1\.0 is not under the MIT licence"):
        require_mit("some 1.0", licence)
    for nothing in (None, tmp_path / "absent"):
        with pytest.raises(LicenceRefused, match="no licence file"):
            require_mit("some 1.0", nothing)


def test_an_environment_is_built_once(cache: Path) -> None:
    environment = Environment("python-1.0-abc")
    calls: list[Path] = []

    def make(folder: Path) -> None:
        calls.append(folder)
        (folder / "file").touch()

    assert not environment.built
    environment.build(make)
    environment.build(make)
    assert calls == [cache / "sdks" / "python-1.0-abc"] and environment.built and (calls[0] / "file").exists()


def test_a_failed_build_leaves_nothing_and_is_begun_anew(cache: Path) -> None:
    environment = Environment("python-1.0-abc")

    def fails(folder: Path) -> None:
        (folder / "half").touch()
        run((sys.executable, "-c", "print('what went wrong'); exit(3)"), cwd=folder)

    with pytest.raises(BuildFailed, match=r"(?s)exit code 3.*what went wrong"):
        environment.build(fails)
    assert not environment.built and not environment.folder.exists()
    environment.build(lambda folder: (folder / "whole").touch())
    assert [path.name for path in environment.folder.iterdir() if path.name[0] != "."] == ["whole"]


def _build_slowly(log: str) -> None:
    def make(folder: Path) -> None:
        with Path(log).open("a") as out:
            out.write("built\n")
        subprocess.run(["sleep", "0.3"], check=True)

    Environment("python-1.0-abc").build(make)


def test_two_processes_build_one_environment_once(cache: Path, tmp_path: Path) -> None:
    log = tmp_path / "log"
    with multiprocessing.get_context("fork").Pool(3) as pool:
        pool.map(_build_slowly, [str(log)] * 3)
    assert log.read_text() == "built\n"


def test_a_digest_follows_every_input(tmp_path: Path) -> None:
    file = tmp_path / "a.txt"
    file.write_text("one")
    first = digest("3.11", file)
    assert digest("3.11", file) == first and digest("3.12", file) != first
    file.write_text("two")
    assert digest("3.11", file) != first
    folder = digest(tmp_path)
    (tmp_path / "b.txt").touch()
    assert digest(tmp_path) != folder


def test_a_missing_program_is_named(tmp_path: Path) -> None:
    with pytest.raises(MissingSdk, match="no-such-program is not installed"):
        run(("no-such-program", "--version"), cwd=tmp_path)


@pytest.mark.parametrize("sdk", ["python==2.31.1", "typescript==4.27.6"])
def test_a_version_that_is_not_built_says_so(sdk: str, cache: Path) -> None:
    language, _, version = sdk.partition("==")
    made = LANGUAGES[language].make(version)
    assert str(cache) in " ".join(made.command)
    with pytest.raises(MissingSdk, match=r"build\(\)|PATH"):
        made.check()


def test_a_language_without_its_tools_says_how_to_get_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(MissingSdk, match=r"node or npm.*install Node"):
        worker("typescript").check()
