"""The process gets only a share of a processor: everything that it does takes longer."""

from __future__ import annotations

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("starve")
async def starve(site: Site, at: FaultAt) -> None:
    life = site.fleet(at.on).lives[at.on]
    site.strike("starve", at.on, share=at.values["share"])
    life.starve(float(at.values["share"]))
    try:
        await site.hold(at.for_s)
    finally:
        life.starve(1.0)
        site.mark("starve-over", life.executor, slot=at.on)
