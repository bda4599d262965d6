"""The container loses its network: relay and system database are out of reach, nobody is told, and it comes back."""

from __future__ import annotations

from chaos.docker.containers import Contained
from chaos.docker.faults._network import lasting
from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("disconnect", runtimes=("docker",))
async def disconnect(site: Site, at: FaultAt) -> None:
    await lasting(site, at, Contained.unplug, Contained.plug)
