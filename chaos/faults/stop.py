"""A shutdown in good order with work in hand: the SDK closes its socket and leaves its rows PENDING."""

from __future__ import annotations

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("stop", stores=("sqlite", "postgresql"))
async def stop(site: Site, at: FaultAt) -> None:
    site.strike("stop", at.on)
    await site.fleet(at.on).stop(at.on)
