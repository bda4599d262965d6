"""SIGSTOP of the relay, and SIGCONT in the end: it holds its sockets and does nothing."""

from __future__ import annotations

from chaos.faults import fault
from chaos.faults._relay import owned
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("relay-pause", stores=("sqlite", "postgresql"))
async def relay_pause(site: Site, at: FaultAt) -> None:
    relay = owned(site, at)
    async with site.relay_lock:
        site.mark("relay-pause", "relay")
        await relay.pause()
        try:
            await site.hold(at.for_s)
        finally:
            await relay.resume()
            site.mark("relay-pause-over", "relay")
