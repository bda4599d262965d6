"""What the faults of the relay have in common: one at a time, and it always comes back."""

from __future__ import annotations

from collections.abc import Callable

from chaos.errors import FaultRefused
from chaos.site import RelayProcess, Site
from scenarios.schedule import FaultAt

__all__ = ["away", "owned"]


def owned(site: Site, at: FaultAt) -> RelayProcess:
    """Raises `FaultRefused` where the relay is not the run's own to break."""
    if site.relay is None:
        raise FaultRefused(f"{at.fault}: this run may not stop the relay; give one that the suite starts itself")
    return site.relay


async def away(site: Site, at: FaultAt, down_s: float, beside: Callable[[], object] = lambda: None) -> None:
    """SIGKILL, the time, and a start on the same data. ``beside`` happens in the same instant."""
    relay = owned(site, at)
    async with site.relay_lock:
        site.mark(at.fault, "relay", down_s=down_s)
        beside()
        await relay.kill()
        try:
            await site.hold(down_s)
        finally:
            await relay.start()
        site.mark(f"{at.fault}-over", "relay")
