"""SIGKILL: the process is gone in the middle of whatever it did; its host closes its sockets at once."""

from __future__ import annotations

from chaos.faults import fault
from chaos.fleet import Fleet


@fault("kill")
async def kill(fleet: Fleet, victim: str) -> None:
    fleet.kill(victim)
