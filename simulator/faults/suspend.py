"""The whole host sleeps; its monotonic clock stands still."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("suspend")
def suspend(fleet: Fleet, at: FaultAt) -> Heal | None:
    if at.on == "relay":
        if not fleet.relay.up:
            return None
        fleet.relay.pause()
        fleet.relay.host.sleep()

        def wake_relay() -> None:
            fleet.relay.host.wake()
            fleet.relay.resume()

        return wake_relay
    place = fleet.places[at.on]
    process = place.process
    if process is None:
        return None
    place.host.sleep()
    process.pause()

    def wake() -> None:
        place.host.wake()
        process.resume()

    return wake
