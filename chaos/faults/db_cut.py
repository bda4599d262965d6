"""Nobody reaches the database: what is sent to it waits on the way, and nobody is told."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._database import on_links
from chaos.proxy import Freeze
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("db-cut")
async def db_cut(site: Site, at: FaultAt) -> None:
    await on_links(site, at, Freeze, at.for_s)
