"""A shutdown in good order with work in hand: the SDK closes its socket with 1000 and leaves its rows PENDING."""

from __future__ import annotations

from chaos.faults import fault
from chaos.fleet import Fleet
from evidence.events import Fault


@fault("stop")
async def stop(fleet: Fleet, victim: str) -> None:
    worker = fleet.workers[victim]
    fleet.recorder.add(Fault, kind="stop", conn=fleet.tap.conn(victim), executor=worker.executor)
    await worker.stop()
