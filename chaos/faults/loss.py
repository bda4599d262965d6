"""Packets are lost at random and sent again by TCP: frames arrive late and in bursts."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import Loss
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("loss", runtimes=("process",))
async def loss(site: Site, at: FaultAt) -> None:
    await lasting(site, at, Loss(float(at.values["rate"]), seed=site.seed))
