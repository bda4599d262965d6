"""SIGKILL of whichever executor next says ``success: true`` to a recovery, as soon as that answer is on its way.

What it adopted is then ENQUEUED, or already PENDING under its id: in either case somebody else must end it.
"""

from __future__ import annotations

from chaos.faults import fault
from chaos.fleet import Fleet
from chaos.tap import Passing


@fault("kill-after-ack")
async def kill_after_ack(fleet: Fleet, victim: str) -> None:
    """``victim`` "" is the first to answer, else only this label."""

    def look(passing: Passing) -> None:
        acknowledged = (
            passing.by == "executor"
            and passing.message.get("type") == "recovery"
            and passing.message.get("success") is True
        )
        if acknowledged and victim in ("", passing.label):
            fleet.tap.listeners.remove(look)
            fleet.kill(passing.label)

    fleet.tap.listeners.append(look)
