"""The executor's end is gone and it dials anew; the relay's end stays open and silent until the faults end."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import HalfOpen
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("half-open")
async def half_open(site: Site, at: FaultAt) -> None:
    await lasting(site, at, HalfOpen())
