"""The next recovery request that reaches an executor finds the database gone: its server restarts at that moment.

An acknowledgement may then cover less than it says (measured with dbos 2.31.1: failures of single rows are swallowed).
"""

from __future__ import annotations

import asyncio

from chaos.faults import fault
from chaos.faults._database import owned
from chaos.fleet import Fleet
from chaos.site import DatabaseServer, Site
from chaos.tap import Passing
from scenarios.schedule import FaultAt

_DOWN_S = 2.0


@fault("db-cut-during-recovery")
async def db_cut_during_recovery(site: Site, at: FaultAt) -> None:
    """``for_s``: how long the server is down, 2 s by default."""
    database = owned(site, at)
    struck = asyncio.Event()

    def listen(fleet: Fleet) -> None:
        def look(passing: Passing) -> None:
            if passing.by == "relay" and passing.message.get("type") == "recovery" and not struck.is_set():
                struck.set()

        fleet.tap.listeners.append(look)
        site.undo.append(lambda: fleet.tap.listeners.remove(look))

    for fleet in site.fleets:
        listen(fleet)
    if await _either(struck, site.healing):
        await _restart(site, database, at.for_s or _DOWN_S)


async def _either(struck: asyncio.Event, healing: asyncio.Event) -> bool:
    waits = [asyncio.create_task(struck.wait()), asyncio.create_task(healing.wait())]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
    return struck.is_set()


async def _restart(site: Site, database: DatabaseServer, down_s: float) -> None:
    async with site.database_lock:
        site.mark("db-cut-during-recovery", "database", down_s=down_s)
        await database.restart("immediate", down_s)
        site.mark("db-cut-during-recovery-over", "database")
