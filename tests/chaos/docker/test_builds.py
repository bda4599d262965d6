"""Contexts and tags, without an engine; then builds, with one."""

from __future__ import annotations

import asyncio
import io
import tarfile
import time
from pathlib import Path
from typing import Any

import pytest

from chaos.docker import machine
from chaos.docker.builds import IMAGE_LABEL, build, images, prune
from chaos.docker.context import digest, tar, tree
from chaos.docker.errors import BuildFailed, UnknownImage
from chaos.docker.recipes import NET, POSTGRES, RELAY, Recipe, worker_recipe
from scenarios.targets import image_engine
from sdk_matrix.languages import WORKERS, Worker, parse
from tests.chaos.docker.support import engine

__all__ = ["engine"]


def test_a_tag_changes_with_each_part_path_and_content() -> None:
    first = digest(["relay", "base"], {"a": b"1", "b": b"2"})
    assert first == digest(["relay", "base"], {"b": b"2", "a": b"1"})
    others = {
        digest(["relay", "other"], {"a": b"1", "b": b"2"}),
        digest(["relaybase"], {"a": b"1", "b": b"2"}),
        digest(["relay", "base"], {"a": b"1", "c": b"2"}),
        digest(["relay", "base"], {"a": b"12", "b": b""}),
    }
    assert len(others | {first}) == 5


def test_a_context_is_the_same_whenever_it_is_packed(tmp_path: Path) -> None:
    (tmp_path / "pkg" / "__pycache__").mkdir(parents=True)
    (tmp_path / "pkg" / "a.py").write_bytes(b"x = 1\n")
    (tmp_path / "pkg" / "run").write_bytes(b"#!/bin/sh\n")
    (tmp_path / "pkg" / "__pycache__" / "a.pyc").write_bytes(b"\0")
    found = tree(tmp_path, "source/")
    assert set(found) == {"source/pkg/a.py", "source/pkg/run"}
    packed = tar(found)
    (tmp_path / "pkg" / "a.py").touch()
    assert tar(tree(tmp_path, "source/")) == packed
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        assert {entry.name: entry.mode for entry in archive} == {"source/pkg/a.py": 0o644, "source/pkg/run": 0o755}
    assert tree(tmp_path / "pkg" / "a.py", "one/") == {"one/a.py": b"x = 1\n"}


def test_what_belongs_to_the_machine_reaches_a_build_from_the_environment_alone(tmp_path: Path) -> None:
    assert machine.arguments({}) == {} and machine.bundle({}) is None
    certificates = tmp_path / "ca.pem"
    certificates.write_bytes(b"-----")
    environment = {"SSL_CERT_FILE": str(certificates), "PIP_INDEX_URL": "https://mirror/simple", "HOME": "/root"}
    assert machine.arguments(environment) == {"PIP_INDEX_URL": "https://mirror/simple", "PIP_CERT": machine.BUNDLE}
    assert machine.bundle(environment) == b"-----"
    assert machine.bundle({"SSL_CERT_FILE": str(tmp_path / "none")}) is None


def test_the_relays_image_changes_with_its_source_and_not_with_the_suites() -> None:
    files = RELAY.files()
    assert b"uvicorn==" in files["requirements.txt"] and b"pytest" not in files["requirements.txt"]
    assert "source/reference_relay/main.py" in files and "source/broken_relays/__main__.py" in files
    assert not any(path.startswith(("source/chaos", "source/scenarios", "source/evidence")) for path in files)


@pytest.mark.parametrize("language", sorted(WORKERS))
def test_every_language_has_an_image_that_changes_with_its_version(language: str) -> None:
    recipe = worker_recipe(parse(language))
    assert recipe.name == f"worker-{language}" and "Dockerfile" in recipe.files()
    assert recipe.files() == worker_recipe(parse(language)).files()
    if language == "python":
        assert worker_recipe(parse("python==2.31.0")).files() != recipe.files()


def test_a_language_without_an_image_is_told_with_those_that_have_one() -> None:
    stranger = Worker("cobol", (), (), False, lambda: None)
    with pytest.raises(UnknownImage, match="python, typescript"):
        worker_recipe(stranger)


def test_what_is_there_is_not_built_again_and_is_listed(engine: Any) -> None:
    said: list[str] = []
    asyncio.run(build([NET, POSTGRES], tell=said.append))
    began_s = time.monotonic()
    again = asyncio.run(build([NET, POSTGRES], tell=said.append))
    took_s = time.monotonic() - began_s
    assert not any(image.built for image in again.values())
    assert took_s < 10 and len(said) <= 2
    listed = {image.tag for image in images(engine)}
    assert {image.tag for image in again.values()} <= listed


def test_a_dockerfile_that_fails_is_told_with_the_end_of_its_output(
    engine: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = b"ARG BASE\nFROM ${BASE}\nRUN echo before it && echo the reason >&2 && exit 3\n"
    monkeypatch.setattr(Recipe, "files", lambda self: {"Dockerfile": text, "which": image_engine.new_run().encode()})
    with pytest.raises(BuildFailed, match=r"(?s)image net did not build: .*exit.*3.*before it.*the reason"):
        asyncio.run(build([Recipe("net", None, "")]))
    monkeypatch.undo()
    asyncio.run(build([NET]))


def test_images_keep_a_label_that_containers_do_not_sweep_by(engine: Any) -> None:
    tag = asyncio.run(build([NET]))["net"].tag
    labels = engine.images.get(tag).labels
    assert labels[IMAGE_LABEL] == "net" and image_engine.LABEL not in labels


def test_only_the_newest_build_of_a_name_survives_pruning(engine: Any) -> None:
    name = f"test{image_engine.new_run()}"
    for number in range(3):
        text = f"FROM scratch\nLABEL number={number}\n"
        engine.images.build(
            fileobj=io.BytesIO(text.encode()), tag=f"relayproof/{name}:{number}", labels={IMAGE_LABEL: name}, rm=True
        )
    try:
        kept = [image for image in images(engine) if image.name == name]
        assert [image.tag for image in kept] == [f"relayproof/{name}:{number}" for number in (2, 1, 0)]
        removed = {image.tag for image in prune(engine, name)}
        assert removed == {f"relayproof/{name}:0", f"relayproof/{name}:1"}
        assert [image.tag for image in images(engine) if image.name == name] == [f"relayproof/{name}:2"]
    finally:
        engine.images.remove(f"relayproof/{name}:2", force=True)
