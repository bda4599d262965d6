"""The database server stops as in a crash and starts again: every connection and transaction is lost."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._database import owned
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("db-restart")
async def db_restart(site: Site, at: FaultAt) -> None:
    database = owned(site, at)
    async with site.database_lock:
        site.mark("db-restart", "database", **at.values)
        await database.restart("immediate", float(at.values["down_s"]))
        site.mark("db-restart-over", "database")
