"""SIGKILL of every executor in the same instant; new ones come after a while, for nobody else can recover them."""

from __future__ import annotations

import asyncio

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("kill-all", stores=("sqlite", "postgresql"))
async def kill_all(site: Site, at: FaultAt) -> None:
    struck = [(fleet, slot) for fleet in site.fleets for slot in fleet.slots if fleet.lives[slot].alive]
    for fleet, slot in struck:
        fleet.kill(slot, cause="kill-all")
    await asyncio.sleep(float(at.values["down_s"]))  # the fault's own argument: nobody is there meanwhile
    await asyncio.gather(*(fleet.relaunch(slot) for fleet, slot in struck))
