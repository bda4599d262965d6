"""What the executor sends is lost on the way, and comes when TCP sends it again; the relay is heard."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import Freeze
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("drop-to-relay", runtimes=("process",))
async def drop_to_relay(site: Site, at: FaultAt) -> None:
    await lasting(site, at, Freeze("up"))
