"""Every frame takes longer, by a time that is drawn anew for each."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import Delay
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("delay")
async def delay(site: Site, at: FaultAt) -> None:
    values = at.values
    await lasting(site, at, Delay(float(values["delay_s"]), float(values["jitter_s"]), seed=site.seed))
