"""What the faults of the database have in common."""

from __future__ import annotations

from collections.abc import Callable

from chaos.errors import FaultRefused
from chaos.proxy import Toxic
from chaos.site import DatabaseServer, Site
from scenarios.schedule import FaultAt

__all__ = ["on_links", "owned"]


def owned(site: Site, at: FaultAt) -> DatabaseServer:
    """Raises `FaultRefused` where there is no server of the run's own."""
    if site.database is None:
        raise FaultRefused(f"{at.fault}: this run has no database server of its own to break")
    return site.database


async def on_links(site: Site, at: FaultAt, make: Callable[[], Toxic], for_s: float | None) -> None:
    """A toxic on every executor's way to the database, of those that come meanwhile too, for a time."""
    site.mark(at.fault, "database", **at.values)
    for fleet in site.fleets:
        fleet.poison_database(make)
    try:
        await site.hold(for_s)
    finally:
        for fleet in site.fleets:
            fleet.heal_database()
        site.mark(f"{at.fault}-over", "database")
