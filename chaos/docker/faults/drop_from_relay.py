"""The relay's packets to the container are dropped; what the container sends arrives, unacknowledged."""

from __future__ import annotations

from chaos.docker.containers import Contained
from chaos.docker.faults._network import filtered
from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


def _rules(life: Contained) -> dict[str, str]:
    host, port = life.relay
    return {"input": f"ip saddr {host} tcp sport {port} drop"}


@fault("drop-from-relay", runtimes=("docker",))
async def drop_from_relay(site: Site, at: FaultAt) -> None:
    await filtered(site, at, _rules)
