"""SIGKILL, then a fresh process of the same version: the SDK gives it another executor id."""

from __future__ import annotations

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("restart", stores=("sqlite", "postgresql"))
async def restart(site: Site, at: FaultAt) -> None:
    fleet = site.fleet(at.on)
    with fleet.held(at.on):
        fleet.kill(at.on, cause="restart")
        await site.hold(float(at.values["down_s"]))
        await fleet.relaunch(at.on)
