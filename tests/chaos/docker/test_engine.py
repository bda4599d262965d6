"""What is told of an engine, with one and without."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from chaos.docker.engine import Probe, probe, require
from chaos.docker.errors import NotProved
from relayproof.cli import run
from relayproof.errors import HARNESS
from scenarios.targets import image_engine
from tests.chaos.docker.support import engine, left

__all__ = ["engine"]


@pytest.fixture
def nowhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/none.sock")


def test_without_an_engine_the_probe_says_why(nowhere: None) -> None:
    found = asyncio.run(probe())
    assert not found.proved and "no container engine answers" in found.reason
    assert not found.can("nft")
    with pytest.raises(NotProved, match=r"^DOCKER NOT PROVED: no container engine answers: "):
        require(found)


def test_without_an_engine_every_command_ends_with_a_sentence(
    nowhere: None, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["chaos", "engine"]) == HARNESS
    told = capsys.readouterr()
    assert json.loads(told.out)["proved"] is False
    assert "DOCKER NOT PROVED" in told.err
    for command in (["images", "list"], ["images", "build", "net"], ["sweep"]):
        assert run(["chaos", *command]) == HARNESS
        assert "no container engine answers" in capsys.readouterr().err
    assert run(["chaos", "images", "build", "redis"]) == 64
    assert "'redis': choose among net, postgres, relay, " in capsys.readouterr().err


def test_an_engine_is_probed_by_what_it_runs(engine: Any) -> None:
    found = asyncio.run(probe())
    assert found.proved and found.version == engine.version()["Version"]
    assert found.can("nft") and found.can("nft_random"), found.refused
    require(found)
    require(Probe(proved=True))


def test_a_sweep_from_the_command_line_tells_what_it_removed(engine: Any, capsys: pytest.CaptureFixture[str]) -> None:
    name = image_engine.new_run()
    engine.volumes.create(f"relayproof-{name}", labels=image_engine.labels(name))
    assert run(["chaos", "sweep", "--run", name]) == 0
    assert capsys.readouterr().out == f"removed volume relayproof-{name}\n"
    assert not left(engine, name)
    assert run(["chaos", "sweep", "--run", name]) == 0
    assert capsys.readouterr().out == "nothing to remove\n"


def test_the_images_are_listed(engine: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["chaos", "images", "list"]) == 0
    assert "relayproof/relay:" in capsys.readouterr().out
