"""Whatever ended the suite, none of its containers, networks and volumes stays in the engine.

A run removes what it made when it ends. For a run that can't (SIGKILL, a lost terminal) a *reaper*, a process of its
own that holds the reading end of a pipe from the run, does it as soon as the pipe closes. What even that missed (the
engine was down, the host restarted) is found by its label.
"""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from scenarios.errors import TargetError
from scenarios.targets.image_engine import LABEL, RUN_LABEL, client

__all__ = ["Reaper", "Swept", "sweep"]

_DONE = b"swept"
_AT_ONCE = 8
_REAPER = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    f"if sys.stdin.buffer.read() != {_DONE!r}:\n"
    "    from scenarios.targets.image_sweep import reap\n"
    "    reap(sys.argv[1])"
)


@dataclass(frozen=True, slots=True)
class Swept:
    """Names of what was removed."""

    containers: Sequence[str]
    networks: Sequence[str]
    volumes: Sequence[str]

    def __bool__(self) -> bool:
        return bool(self.containers or self.networks or self.volumes)


def sweep(engine: Any, run: str | None = None) -> Swept:
    """Remove all objects of this run, or of every run, running or not. Images stay. Blocks; raises `TargetError`."""
    from docker.errors import DockerException

    found = {"label": f"{LABEL}=1" if run is None else f"{RUN_LABEL}={run}"}
    try:
        # Containers first: a network or volume in use can't be removed. At once: each waits for processes to end.
        with ThreadPoolExecutor(_AT_ONCE) as pool:
            containers = pool.map(lambda one: _removed(one, force=True, v=True), _containers(engine, found))
            return Swept(
                containers=list(containers),
                networks=[_removed(one) for one in engine.networks.list(filters=found)],
                volumes=[_removed(one, force=True) for one in engine.volumes.list(filters=found)],
            )
    except DockerException as problem:
        raise TargetError(f"the engine would not remove what the suite made: {problem}") from problem


def reap(run: str) -> None:
    """What a reaper does when its run is gone. An engine that is gone as well has nothing left to remove."""
    with contextlib.suppress(TargetError):
        sweep(client(), run)


class Reaper:
    """Removes this run's objects as soon as this process ends without having called `dismiss`."""

    def __init__(self, run: str) -> None:
        # A session of its own: neither Ctrl-C nor the end of the terminal reaches it.
        self._process = subprocess.Popen(
            [sys.executable, "-c", _REAPER, run], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def dismiss(self) -> None:
        """All is removed already."""
        with contextlib.suppress(OSError):
            self._process.communicate(_DONE, timeout=10)


def _containers(engine: Any, found: dict[str, str]) -> list[Any]:
    # Sparse: one that vanishes while the list is made (it removes itself) is no error.
    listed: list[Any] = engine.containers.list(all=True, filters=found, sparse=True)
    return listed


def _removed(one: Any, **options: bool) -> str:
    from docker.errors import APIError, NotFound

    name = str(one.attrs.get("Name") or one.attrs.get("Names", ["/" + str(one.id)])[0]).lstrip("/")
    try:
        one.remove(**options)
    except NotFound:
        pass
    except APIError as problem:
        if problem.status_code != 409:  # somebody else is removing it right now
            raise
    return name
