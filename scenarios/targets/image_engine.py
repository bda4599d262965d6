"""The container engine: one place where it is reached, named, labelled and where its errors become ours."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from scenarios.errors import TargetError

__all__ = ["LABEL", "RUN_LABEL", "SDK_TIMEOUT_S", "call", "client", "labels", "new_run", "processes"]

LABEL = "relayproof"
"""Every object that the suite makes in an engine has it, with the value 1."""
RUN_LABEL = "relayproof.run"
"""Whose it is: the value is the name of the run."""
SDK_TIMEOUT_S = 120  # one request; a start on a host whose cores are all taken needs a while

T = TypeVar("T")


def new_run() -> str:
    """A name for a run, short enough to stay readable in the names of its containers."""
    return secrets.token_hex(4)


def labels(run: str) -> dict[str, str]:
    return {LABEL: "1", RUN_LABEL: run}


def client() -> Any:
    """A `docker.DockerClient` of the engine that DOCKER_HOST or the default socket names. Raises `TargetError`."""
    try:
        import docker
    except ImportError as problem:
        raise TargetError("containers need the docker SDK: pip install 'relayproof[chaos]'") from problem
    try:
        found = docker.from_env(timeout=SDK_TIMEOUT_S)
        found.ping()
    except (docker.errors.DockerException, OSError) as problem:
        raise TargetError(f"no container engine answers: {problem}; start one, or set DOCKER_HOST") from problem
    return found


def processes(container: Any) -> Sequence[int]:
    """The container's first process and its children, as this host numbers them. Blocks.

    None where the engine runs on another host, whose processes this one can't see.
    """
    container.reload()
    first = int(container.attrs["State"]["Pid"])
    with contextlib.suppress(OSError):
        if container.id in Path(f"/proc/{first}/cgroup").read_text():
            children = Path(f"/proc/{first}/task/{first}/children").read_text().split()
            return (first, *map(int, children))
    return ()


async def call(what: str, act: Callable[[], T]) -> T:
    """Run a blocking call of the SDK in a thread. ``what`` begins the sentence of the `TargetError` if it fails."""
    return await asyncio.to_thread(_called, what, act)


def _called(what: str, act: Callable[[], T]) -> T:
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        return act()
    except (DockerException, RequestException, OSError) as problem:
        raise TargetError(f"{what}: {problem}") from problem
