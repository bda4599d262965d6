"""An executor that was taken for dead and lives: how experiments make one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chaos.course import Course
from chaos.fleet import Fleet
from scenarios.errors import Prerequisite

__all__ = ["TAKEN_S", "taken_for_dead"]

TAKEN_S = 20.0
"""How long each thing may take that must come about: the work in hand, the recovery, the work at the peer."""


@asynccontextmanager
async def taken_for_dead(course: Course, fleet: Fleet, workflows: int, *, in_step: bool) -> AsyncIterator[None]:
    """Within, e1 is stopped and e2 has its workflows in hand (``in_step``: and begun a step); afterwards e1 goes on.

    Its socket is reset in the same instant, so that the relay needs the grace period alone. Raises `Prerequisite`
    where nobody was asked to recover it.
    """
    course.site.strike("pause", "e1")
    fleet.lives["e1"].pause()
    try:
        await course.strike("reset", "e1")
        if not await course.until_recovery_of(fleet, fleet.lives["e1"].executor, TAKEN_S):
            raise Prerequisite("no recovery of the stopped executor was asked")
        await course.until_in_hand(fleet, "e2", least=workflows, within_s=TAKEN_S, in_step=in_step)
        yield
    finally:
        fleet.lives["e1"].resume()
        course.site.mark("pause-over", fleet.lives["e1"].executor, slot="e1")
