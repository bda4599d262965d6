"""The relay is down for longer than the grace period: nobody may be declared dead for that."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._relay import away
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("relay-away", stores=("sqlite", "postgresql"))
async def relay_away(site: Site, at: FaultAt) -> None:
    """Where the schedule gives no time of its own it is half a grace more than the grace period."""
    asked_s = float(at.args["down_s"]) if "down_s" in at.args else 1.5 * site.grace_s
    await away(site, at, max(asked_s, 1.1 * site.grace_s))
