"""SIGKILL of the relay, then a start on the same data, soon."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._relay import away
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("relay-kill", stores=("sqlite", "postgresql"))
async def relay_kill(site: Site, at: FaultAt) -> None:
    await away(site, at, float(at.values["down_s"]))
