"""What the faults of a link have in common: a toxic in the proxy between an executor and the relay, for a time."""

from __future__ import annotations

from chaos.proxy import Toxic
from chaos.site import Site
from scenarios.schedule import FaultAt

__all__ = ["lasting", "once"]


async def lasting(site: Site, at: FaultAt, toxic: Toxic) -> None:
    """The toxic holds as long as the fault does, on this life's link alone."""
    fleet = site.fleet(at.on)
    life = fleet.lives[at.on]
    proxy = fleet.relay_link(at.on)
    site.strike(at.fault, at.on, **at.values)
    proxy.add(toxic)
    try:
        await site.hold(at.for_s)
    finally:
        proxy.remove(toxic)
        site.mark(f"{at.fault}-over", life.executor, slot=at.on)


def once(site: Site, at: FaultAt, toxic: Toxic) -> None:
    site.strike(at.fault, at.on, **at.values)
    site.fleet(at.on).relay_link(at.on).add(toxic)
