"""What faults may touch: the fleets of a run, its relay, its database server, and the way to end them all."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from chaos.errors import UnknownVictim
from conductor.timing import Timing
from evidence.events import Fault
from evidence.history import Recorder

if TYPE_CHECKING:
    from chaos.fleet import Fleet

__all__ = ["NO_CONNECTION", "DatabaseServer", "RelayProcess", "Site"]

NO_CONNECTION = -1
"""In a `Fault` event: it is about no executor's connection."""


class RelayProcess(Protocol):
    """The relay under test as faults see it (`scenarios.wire.relay.WireRelay`)."""

    async def kill(self) -> None: ...
    async def start(self) -> None: ...
    async def pause(self) -> None: ...
    async def resume(self) -> None: ...


class DatabaseServer(Protocol):
    """The server of the system databases as faults see it (`chaos.postgres.PostgresServer`)."""

    async def restart(self, mode: Any = "immediate", down_s: float = 0.0) -> None: ...
    async def terminate(self, database: str) -> int: ...


@dataclass
class Site:
    """One run's world as faults see it. ``grace_s``: of its applications."""

    fleets: Sequence[Fleet]
    recorder: Recorder
    timing: Timing
    grace_s: float
    runtime: str = "process"
    store: str = "sqlite"
    relay: RelayProcess | None = None
    database: DatabaseServer | None = None
    seed: int = 0
    healing: asyncio.Event = field(default_factory=asyncio.Event)  # set: whatever lasts ends now
    relay_lock: asyncio.Lock = field(default_factory=asyncio.Lock)  # one fault of the relay at a time
    database_lock: asyncio.Lock = field(default_factory=asyncio.Lock)
    undo: list[Callable[[], object]] = field(default_factory=list)  # what lies in wait, to be taken away

    def heal(self) -> None:
        """Whatever lasts ends now, and what lies in wait is taken away."""
        self.healing.set()
        while self.undo:
            with contextlib.suppress(ValueError):  # it has struck, and is gone already
                self.undo.pop()()

    def fleet(self, label: str) -> Fleet:
        """The fleet that has this slot. Raises `UnknownVictim`."""
        for fleet in self.fleets:
            if label in fleet.slots:
                return fleet
        known = ", ".join(slot for fleet in self.fleets for slot in fleet.slots)
        raise UnknownVictim(f"there is no executor {label!r} to strike; there are {known}")

    def random(self, purpose: str) -> random.Random:
        """A source of its own for each purpose: what one draws changes nothing for another."""
        return random.Random(f"{purpose} {self.seed}")

    def strike(self, kind: str, label: str, **detail: Any) -> int:
        """Record a fault of an executor, now; the event's number."""
        fleet = self.fleet(label)
        life = fleet.lives[label]
        return self.recorder.add(
            Fault, kind=kind, conn=fleet.tap.conn(life.label), executor=life.executor,
            detail={"slot": label, "label": life.label, **detail},
        )  # fmt: skip

    def mark(self, kind: str, on: str, **detail: Any) -> int:
        """Record a fault that is about no executor, or the end of one."""
        return self.recorder.add(Fault, kind=kind, conn=NO_CONNECTION, executor=on, detail=detail)

    async def hold(self, seconds: float | None) -> None:
        """As long as the fault lasts; None: to the end of the faults. Healing ends it at once."""
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self.healing.wait(), seconds)
