"""A member's place in a fleet: what stays while its processes come and go."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference_relay.core.records import AppKey
from scenarios.schedule.file import Member
from simulator.models.host import HostClock
from simulator.models.manner import Manner
from simulator.models.path import Path
from simulator.models.process import Process


@dataclass
class Place:
    """A member's place: its host, its way to the relay, and the process that runs there now."""

    member: Member
    app: AppKey
    path: Path
    host: HostClock
    manner: Manner = field(default_factory=Manner)
    version: str = ""
    process: Process | None = None
    started: int = 0
    slowness: float = 1.0
    held_back: bool = False  # not started yet

    @property
    def running(self) -> bool:
        return self.process is not None and self.process.alive
