"""SIGKILL when one of the executor's workflows reaches a step: before its work, or right after its checkpoint.

The step ledger shows both moments: a row is there before the body works, and another before the checkpoint is written.
"""

from __future__ import annotations

import asyncio

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt

_LOOK_S = 0.01
_MOST_S = 20.0


@fault("kill-at-step", stores=("sqlite", "postgresql"))
async def kill_at_step(site: Site, at: FaultAt) -> None:
    fleet = site.fleet(at.on)
    life = fleet.lives[at.on]
    phase, step = str(at.values["phase"]), f"step-{at.values['step']}"
    loop = asyncio.get_running_loop()
    deadline_s = loop.time() + _MOST_S
    seen = await fleet.store.reached(life.label, step, phase)
    while life.alive and loop.time() < deadline_s and not site.healing.is_set():
        if await fleet.store.reached(life.label, step, phase) > seen:
            fleet.kill(at.on, cause="kill-at-step", step=step, phase=phase)
            return
        await asyncio.sleep(_LOOK_S)  # a database tells nobody of a new row
