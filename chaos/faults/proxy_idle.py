"""A proxy stands between, which ends a connection that was silent for a time."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import Idle
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("proxy-idle")
async def proxy_idle(site: Site, at: FaultAt) -> None:
    await lasting(site, at, Idle(float(at.values["idle_s"])))
