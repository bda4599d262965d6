"""SIGKILL of the relay and of one executor in the same instant; only the relay starts again.

The relay never saw the executor's socket end: it has to find out by itself that one of those it knew stays away.
"""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._relay import away
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("relay-and-executor-kill", stores=("sqlite", "postgresql"))
async def relay_and_executor_kill(site: Site, at: FaultAt) -> None:
    await away(site, at, float(at.values["down_s"]), beside=lambda: site.fleet(at.on).kill(at.on, cause=at.fault))
