"""Where workers live: the Protocols of a runtime and of a running worker."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Protocol

from sdk_matrix.contract import Command, Config, Start
from sdk_matrix.languages import Worker

__all__ = ["Running", "Runtime"]


class Running(Protocol):
    """A launched worker, wherever it runs."""

    label: str  # of this life: unique in its run
    executor: str  # the id that its SDK made
    sdk_version: str
    unsupported: Mapping[str, str]  # as in `sdk_matrix.contract.Ready`

    @property
    def alive(self) -> bool: ...

    async def start(self, command: Start) -> None:
        """Start a workflow; returns when the worker says that it did. Raises `WorkerGone`."""
        ...

    async def do(self, command: Command) -> None:
        """Any other command but stop; returns when the SDK took it. Raises `WorkerGone`, or `CommandRefused`."""
        ...

    def kill(self) -> None:
        """SIGKILL, at once."""
        ...

    async def stop(self) -> None:
        """Shut down in good order, whatever still runs, and wait for the end."""
        ...

    def pause(self) -> None:
        """It neither computes nor reads from here on; its sockets stay open."""
        ...

    def resume(self) -> None: ...

    def starve(self, share: float) -> None:
        """It gets only this share of one processor until it is told 1.0."""
        ...

    async def ended(self) -> None:
        """Wait for its end, whoever brings it about."""
        ...


class Runtime(Protocol):
    """Launches workers and leaves none behind. Faults are looked up under its name (`chaos.faults`)."""

    name: str
    host: str  # the address of this host as workers see it

    def prepare(self, worker: Worker) -> None:
        """Begin what a first launch of this worker would have to wait for."""
        ...

    async def launch(self, worker: Worker, config: Config, folder: Path) -> Running:
        """Launch one and wait until its SDK is up. Raises `LaunchFailed` with the end of its log."""
        ...

    async def sweep(self) -> None:
        """Kill whatever still runs and wait for its end."""
        ...
