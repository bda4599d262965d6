"""The peer that has just acknowledged the recovery is killed as well: what it adopted is recovered in turn."""

from __future__ import annotations

from chaos.proof import OUTCOMES, prove
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "OUT-1/adopter-killed",
    clauses=tuple(OUTCOMES),
    title="SIGKILL of an executor, and of its adopter right after the acknowledgement",
    faults=(13,),
    worlds=("real",),
    documented_s=170,
)
async def adopter_killed(world: RealWorld) -> None:
    for clause, rule in OUTCOMES.items():
        world.expect(clause, rule)
    await prove(world, "kill", executors=3, beside=("kill-after-ack",))
