"""A rolling upgrade of one member: a shutdown in good order, then a fresh process of another application version.

Its unfinished work is of the old version: it is ended by a peer that still has it, or waits until one comes.
"""

from __future__ import annotations

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("upgrade", stores=("sqlite", "postgresql"))
async def upgrade(site: Site, at: FaultAt) -> None:
    fleet = site.fleet(at.on)
    site.strike("stop", at.on, cause="upgrade")
    with fleet.held(at.on):
        await fleet.stop(at.on)
        await site.hold(float(at.values["down_s"]))
        await fleet.relaunch(at.on, version=str(at.values["version"]))
