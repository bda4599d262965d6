"""The proof itself: one of three executors is killed in the middle of its work."""

from __future__ import annotations

from chaos.proof import OUTCOMES, prove
from chaos.real import RealWorld
from scenarios.catalogue import scenario


@scenario(
    "OUT-1/kill",
    clauses=tuple(OUTCOMES),
    title="SIGKILL in the middle of plain, queued, child and sleeping workflows",
    worlds=("real",),
    documented_s=100,
)
async def kill(world: RealWorld) -> None:
    for clause, rule in OUTCOMES.items():
        world.expect(clause, rule)
    await prove(world, "kill", executors=3)
