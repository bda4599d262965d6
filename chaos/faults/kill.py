"""SIGKILL: the process is gone in the middle of whatever it did; its host closes its sockets at once."""

from __future__ import annotations

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("kill", stores=("sqlite", "postgresql"))
async def kill(site: Site, at: FaultAt) -> None:
    site.fleet(at.on).kill(at.on)
