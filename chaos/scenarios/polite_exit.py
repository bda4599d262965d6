"""An executor that leaves in good order, close code 1000, leaves its rows PENDING: it is recovered like a dead one."""

from __future__ import annotations

from chaos.proof import OUTCOMES, prove
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "OUT-1/polite-exit",
    clauses=tuple(OUTCOMES),
    title="A shutdown in good order with work in hand",
    faults=(12,),
    worlds=("real",),
    documented_s=100,
)
async def polite_exit(world: RealWorld) -> None:
    for clause, rule in OUTCOMES.items():
        world.expect(clause, rule)
    await prove(world, "stop", executors=2)
