"""What the relay sends is lost on the way, and comes when TCP sends it again; the executor is heard."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import Freeze
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("drop-from-relay", runtimes=("process",))
async def drop_from_relay(site: Site, at: FaultAt) -> None:
    await lasting(site, at, Freeze("down"))
