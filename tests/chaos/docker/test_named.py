"""Tests with a name in containers: the relay, its databases and its executors. Needs an engine and images."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chaos import arena
from chaos.docker.session import DockerSession
from chaos.named import play_named
from chaos.sessions import session_class
from evidence.verdict import Verdict
from scenarios import worlds
from scenarios.profile_loading import resolve
from tests.chaos.docker.support import engine, relay_image

__all__ = ["engine", "relay_image"]


@pytest.fixture
def own_world() -> Iterator[None]:
    yield
    worlds.register("chaos", arena.ChaosSession)


@pytest.mark.slow  # a relay, two databases and three executors in containers, and a recovery beyond its deadline
@pytest.mark.timeout(300)
@pytest.mark.usefixtures("relay_image", "own_world")
async def test_a_broken_relay_is_caught_with_containers_that_are_all_gone_afterwards(
    engine: Any, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    played = await play_named(
        resolve("builtin:broken/deletes-before-the-answer"), ["double-dispatch"], seed=1, results=tmp_path,
        runtime="docker",
    )  # fmt: skip
    assert played.result.clauses["REC-10"] is Verdict.FAILED and played.result.clauses["OUT-1"] is Verdict.OK
    (name,) = [line.split()[-1] for line in capfd.readouterr().err.splitlines() if "containers of this run" in line]
    named = engine.containers.list(all=True, filters={"name": name.removesuffix("*")}, sparse=True)
    assert named == []


def test_each_runtime_has_its_session() -> None:
    assert session_class("docker") is DockerSession
    assert session_class("process") is arena.ChaosSession
