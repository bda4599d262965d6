"""The first peer that is asked refuses, by an answer of the tap in its stead; the next one takes the work over.

A relay that takes the refusal for a recovery deletes the record, and the work is lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from chaos.course import Course
from chaos.real import RealWorld
from chaos.tap import Passing
from scenarios.catalogue import scenario


@scenario(
    "REC-7/refusing-peer",
    clauses=("REC-7", "OUT-1", "OUT-2"),
    title="A peer that refuses the recovery, and a second one that does not",
    faults=(9, 26),
    worlds=("chaos",),
    disturbs=True,
    documented_s=400,
)
async def refusing_peer(world: RealWorld) -> None:
    world.expect("OUT-1", "cases_end")
    world.expect("OUT-2", "cases_end_once")
    course = Course(world)
    fleet = await course.fleet(None, "e1", "e2", "e3")
    await course.work(fleet, "e1")
    dead = fleet.lives["e1"].executor
    refused: list[str] = []

    def refuse(passing: Passing) -> Mapping[str, Any] | None:
        if passing.message.get("type") != "recovery" or (refused and passing.label not in refused):
            return None
        refused.append(passing.label)
        said = {"success": False, "error_message": "this executor is about to leave"}
        return {"type": "recovery", "request_id": passing.message.get("request_id"), **said}

    fleet.tap.stand_ins.append(refuse)
    fleet.kill("e1")
    await fleet.until(lambda: bool(refused), world.timing.grace_s + world.timing.recovery_deadline_s)
    if refused:
        answered = world.last("fault", kind="stand-in")
        other = next(slot for slot in ("e2", "e3") if fleet.lives[slot].label not in refused)
        world.expect(
            "REC-7", "frame", executor=fleet.lives[other].executor, type="recovery", after=answered,
            latest="backoff_cap + 2*scan + 2*slack", match={"executor_ids": [dead]},
        )  # fmt: skip
    await course.finish()
