"""Each recovery is dispatched three times: by the relay, at once to another peer, and again to the first one later."""

from __future__ import annotations

from chaos.proof import prove
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "REC-20/duplicate-recovery",
    clauses=("REC-20", "OUT-2"),
    title="A second recovery for the same dead executor changes no outcome",
    faults=(61,),
    worlds=("real",),
    documented_s=100,
)
async def duplicate_recovery(world: RealWorld) -> None:
    world.expect("REC-20", "duplicate_recovery")
    world.expect("OUT-2", "ended_once")
    await prove(world, "kill", executors=3, beside=("duplicate-recovery",))
