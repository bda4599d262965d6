"""Both ways silent, nobody is told: a pulled cable. What was sent meanwhile arrives in the end, as TCP sends again."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import Freeze
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("disconnect", runtimes=("process",))
async def disconnect(site: Site, at: FaultAt) -> None:
    await lasting(site, at, Freeze("both"))
