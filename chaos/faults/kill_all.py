"""SIGKILL of every executor in the same instant; new ones come after a while, for nobody else can recover them.

Whoever has just been launched is waited for, and spared where it does not connect: see `Fleet.all_known`.
"""

from __future__ import annotations

import asyncio
import contextlib

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt

_KNOWN_S = 10.0


@fault("kill-all", stores=("sqlite", "postgresql"))
async def kill_all(site: Site, at: FaultAt) -> None:
    await asyncio.gather(*(fleet.until(fleet.all_known, _KNOWN_S) for fleet in site.fleets))
    struck = [(fleet, slot) for fleet in site.fleets for slot in fleet.slots if fleet.known(slot)]
    with contextlib.ExitStack() as held:
        for fleet, slot in struck:
            held.enter_context(fleet.held(slot))
            fleet.kill(slot, cause="kill-all")
        await site.hold(float(at.values["down_s"]))
        await asyncio.gather(*(fleet.relaunch(slot) for fleet, slot in struck))
