"""The connection ends in good order below WebSocket (FIN at both ends); the SDK dials again."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import once
from chaos.proxy import Cut
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("cut")
async def cut(site: Site, at: FaultAt) -> None:
    once(site, at, Cut())
