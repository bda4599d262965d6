"""The connection is reset (RST at both ends); the SDK dials again."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import once
from chaos.proxy import Reset
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("reset")
async def reset(site: Site, at: FaultAt) -> None:
    once(site, at, Reset())
