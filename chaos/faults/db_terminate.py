"""Every connection to the system databases is terminated once; new ones are taken at once."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._database import owned
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("db-terminate")
async def db_terminate(site: Site, at: FaultAt) -> None:
    database = owned(site, at)
    async with site.database_lock:
        ended = sum([await database.terminate(fleet.store.database) for fleet in site.fleets])
        site.mark("db-terminate", "database", connections=ended)
