"""SIGKILL of every executor in the same instant; new ones come after a while, for nobody else can recover them.

Whoever has just been launched is waited for, and spared where it does not connect. SDKs take work from their queues
before they have told a relay who they are (measured with Java, 0.5 s after its launch): what dies in that time dies
under an id that no relay has ever heard of, and says nothing about one.
"""

from __future__ import annotations

import asyncio
import contextlib
from functools import partial

from chaos.faults import fault
from chaos.fleet import Fleet
from chaos.site import Site
from scenarios.schedule import FaultAt

_KNOWN_S = 10.0


@fault("kill-all", stores=("sqlite", "postgresql"))
async def kill_all(site: Site, at: FaultAt) -> None:
    await asyncio.gather(*(fleet.until(partial(_all_known, fleet), _KNOWN_S) for fleet in site.fleets))
    struck = [(fleet, slot) for fleet in site.fleets for slot in fleet.slots if _known(fleet, slot)]
    with contextlib.ExitStack() as held:
        for fleet, slot in struck:
            held.enter_context(fleet.held(slot))
            fleet.kill(slot, cause="kill-all")
        await site.hold(float(at.values["down_s"]))
        await asyncio.gather(*(fleet.relaunch(slot) for fleet, slot in struck))


def _known(fleet: Fleet, slot: str) -> bool:
    life = fleet.lives[slot]
    return life.alive and fleet.tap.known(life.label)


def _all_known(fleet: Fleet) -> bool:
    return all(_known(fleet, slot) for slot in fleet.slots if fleet.lives[slot].alive)
