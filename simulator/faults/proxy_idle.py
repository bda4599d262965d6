"""A proxy ends connections that were silent for too long."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.clock import ns
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("proxy-idle")
def proxy_idle(fleet: Fleet, at: FaultAt) -> Heal | None:
    path = fleet.places[at.on].path
    path.idle_ns = ns(float(at.values["idle_s"]))

    def look() -> None:
        """The proxy's own timer."""
        if path.idle_ns is None:
            return
        process = fleet.places[at.on].process
        client = process.client if process is not None else None
        if client is not None and client.open and fleet.clock.now_ns - client.route.last_ns >= path.idle_ns:
            client.network_ends("end of stream")
        fleet.clock.call(ns(1.0), look)

    def heal() -> None:
        path.idle_ns = None

    look()
    return heal
