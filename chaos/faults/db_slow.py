"""Every statement takes longer."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._database import on_links
from chaos.proxy import Delay
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("db-slow")
async def db_slow(site: Site, at: FaultAt) -> None:
    delay_s = float(at.values["delay_s"])
    await on_links(site, at, lambda: Delay(delay_s, way="up"), at.for_s)
