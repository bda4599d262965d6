"""The executor answers success to recovery requests and does nothing, as one of another version does.

The tap answers in its stead; the executor never hears of the request. Everything else goes on as before. It holds for
the slot: who takes the place of a process that died goes on lying.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chaos.faults import fault
from chaos.site import Site
from chaos.tap import Passing
from scenarios.schedule import FaultAt


@fault("lying-ack", stores=("sqlite", "postgresql"), on_work=False)
async def lying_ack(site: Site, at: FaultAt) -> None:
    fleet = site.fleet(at.on)

    def lie(passing: Passing) -> Mapping[str, Any] | None:
        if passing.label != fleet.lives[at.on].label or passing.message.get("type") != "recovery":
            return None
        site.strike("lying-ack", at.on, dead=passing.message.get("executor_ids"))
        return {"type": "recovery", "request_id": passing.message.get("request_id"), "success": True}

    fleet.tap.stand_ins.append(lie)
    try:
        await site.hold(at.for_s)
    finally:
        fleet.tap.stand_ins.remove(lie)
