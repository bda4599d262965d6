"""What the faults of a container's network have in common: they hold for a time, on one life, and are undone."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from chaos.docker.containers import Contained
from chaos.site import Site
from scenarios.schedule import FaultAt

__all__ = ["filtered", "lasting"]


async def lasting(
    site: Site,
    at: FaultAt,
    strike: Callable[[Contained], Awaitable[None]],
    heal: Callable[[Contained], Awaitable[None]],
) -> None:
    """The event is recorded when the engine is asked: what it does takes effect within a second of that."""
    life = site.fleet(at.on).lives[at.on]
    assert isinstance(life, Contained), f"{at.on} is no container"
    site.strike(at.fault, at.on, **at.values)
    try:
        await strike(life)
        await site.hold(at.for_s)
    finally:
        await heal(life)
        site.mark(f"{at.fault}-over", life.executor, slot=at.on)


async def filtered(site: Site, at: FaultAt, rules: Callable[[Contained], dict[str, str]]) -> None:
    """Rules of nft in the container, each hook's (`Contained.filter`), under the fault's own name."""
    name = at.fault.replace("-", "_")
    await lasting(site, at, lambda life: life.filter(name, rules(life)), lambda life: life.unfilter(name))
