"""SIGSTOP, and SIGCONT in the end: the executor neither computes nor reads, its sockets stay open.

Without a given time it lasts until the relay has declared the executor DEAD, and past w + i + g + 2 slack: the process
that wakes is then a zombie.
"""

from __future__ import annotations

from chaos.faults import fault
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("pause")
async def pause(site: Site, at: FaultAt) -> None:
    fleet = site.fleet(at.on)
    life = fleet.lives[at.on]
    site.strike("pause", at.on)
    with fleet.held(at.on):
        life.pause()
        try:
            if at.for_s is None:
                timing = site.timing
                await site.hold(timing.ping_wait_s + timing.ping_interval_s + site.grace_s + 2 * timing.slack_s)
                if not site.healing.is_set():
                    await fleet.until_declared_dead(life.executor, timing.recovery_deadline_s)
            else:
                await site.hold(at.for_s)
        finally:
            life.resume()
            site.mark("pause-over", life.executor, slot=at.on)
