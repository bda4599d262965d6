"""The container's packets to the relay are dropped; what the relay sends arrives, but is never acknowledged."""

from __future__ import annotations

from chaos.docker.containers import Contained
from chaos.docker.faults._network import filtered
from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


def _rules(life: Contained) -> dict[str, str]:
    host, port = life.relay
    return {"output": f"ip daddr {host} tcp dport {port} drop"}


@fault("drop-to-relay", runtimes=("docker",))
async def drop_to_relay(site: Site, at: FaultAt) -> None:
    await filtered(site, at, _rules)
