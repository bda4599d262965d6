"""The engine and the images of the tests that need them: without them a test is skipped, with the reason."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest

from chaos.docker.builds import build, images
from chaos.docker.recipes import RELAY
from scenarios.errors import TargetError
from scenarios.targets import image_engine

BUILD = "relayproof chaos images build"


@pytest.fixture(scope="session")
def engine() -> Iterator[Any]:
    """An engine that has the suite's images, of whatever state of its source."""
    try:
        found = image_engine.client()
    except TargetError as problem:
        pytest.skip(str(problem))
    there = {image.name for image in images(found)}
    if missing := {"net", "postgres", "relay", "worker-python"} - there:
        found.close()
        pytest.skip(f"images {', '.join(sorted(missing))} are not built: {BUILD}")
    yield found
    found.close()


@pytest.fixture(scope="session")
def relay_image(engine: Any) -> str:
    """Of the source as it is now: a second where only the suite's own files changed."""
    return asyncio.run(build([RELAY]))[RELAY.name].tag


def left(engine: Any, run: str) -> list[str]:
    """Names of the containers, networks and volumes of this run that the engine has."""
    found = {"label": f"{image_engine.RUN_LABEL}={run}"}
    containers = engine.containers.list(all=True, filters=found, sparse=True)
    return [
        *(container.id for container in containers),
        *(network.name for network in engine.networks.list(filters=found)),
        *(volume.name for volume in engine.volumes.list(filters=found)),
    ]
