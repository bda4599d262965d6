"""SIGKILL of whichever executor next says ``success: true`` to a recovery, as soon as that answer is on its way.

What it adopted is then ENQUEUED, or already PENDING under its id: in either case somebody else must end it.
"""

from __future__ import annotations

from chaos.faults import fault
from chaos.fleet import Fleet
from chaos.site import Site
from chaos.tap import Passing
from scenarios.schedule import FaultAt


@fault("kill-after-ack", stores=("sqlite", "postgresql"), on_work=False)
async def kill_after_ack(site: Site, at: FaultAt) -> None:
    """``on`` "" is the first to answer, else only this label."""
    for fleet in site.fleets if not at.on else (site.fleet(at.on),):
        _wait(site, fleet, at.on)


def _wait(site: Site, fleet: Fleet, victim: str) -> None:
    def look(passing: Passing) -> None:
        acknowledged = (
            passing.by == "executor"
            and passing.message.get("type") == "recovery"
            and passing.message.get("success") is True
        )
        slot = fleet.slot_of(passing.label)
        if acknowledged and slot is not None and victim in ("", slot):
            fleet.tap.listeners.remove(look)
            fleet.kill(slot, cause="kill-after-ack")

    fleet.tap.listeners.append(look)
    site.undo.append(lambda: fleet.tap.listeners.remove(look))
