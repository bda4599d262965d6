"""Packets between container and relay are lost at random, both ways; TCP sends them again."""

from __future__ import annotations

from chaos.docker.containers import Contained
from chaos.docker.faults._network import filtered
from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt

_OF = 1000


@fault("loss", runtimes=("docker",))
async def loss(site: Site, at: FaultAt) -> None:
    lost = max(1, round(float(at.values["rate"]) * _OF))

    def rules(life: Contained) -> dict[str, str]:
        host, port = life.relay
        some = f"numgen random mod {_OF} < {lost} drop" if lost < _OF else "drop"
        return {
            "output": f"ip daddr {host} tcp dport {port} {some}",
            "input": f"ip saddr {host} tcp sport {port} {some}",
        }

    await filtered(site, at, rules)
