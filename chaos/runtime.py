"""Where workers live: the Protocols of a runtime and of a running worker."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Protocol

from sdk_matrix.contract import Config, Start
from sdk_matrix.languages import Worker

__all__ = ["Running", "Runtime"]


class Running(Protocol):
    """A launched worker, wherever it runs."""

    label: str
    executor: str  # the id that its SDK made

    @property
    def alive(self) -> bool: ...

    async def start(self, command: Start) -> None:
        """Start a workflow; returns when the worker says that it did. Raises `WorkerGone`."""
        ...

    def kill(self) -> None:
        """SIGKILL, at once."""
        ...

    async def stop(self) -> None:
        """Shut down in good order, whatever still runs, and wait for the end."""
        ...

    async def ended(self) -> None:
        """Wait for its end, whoever brings it about."""
        ...


class Runtime(Protocol):
    """Launches workers and leaves none behind."""

    name: str
    faults: Collection[str]  # names of the faults that work here

    async def launch(self, worker: Worker, config: Config, folder: Path) -> Running:
        """Launch one and wait until its SDK is up. Raises `LaunchFailed` with the end of its log."""
        ...

    async def sweep(self) -> None:
        """Kill whatever still runs and wait for its end."""
        ...
