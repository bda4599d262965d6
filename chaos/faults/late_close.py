"""The executor's end is gone and it dials anew; the relay learns of the first end only later."""

from __future__ import annotations

from chaos.faults import fault
from chaos.proxy import HalfOpen
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("late-close")
async def late_close(site: Site, at: FaultAt) -> None:
    proxy = site.fleet(at.on).relay_link(at.on)
    toxic = HalfOpen()
    site.strike("late-close", at.on, **at.values)
    proxy.add(toxic)
    try:
        await site.hold(float(at.values["late_s"]))
    finally:
        proxy.remove(toxic)
