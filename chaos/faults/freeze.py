"""Bandwidth 0 in one direction or both: what is sent waits on the way, and arrives in the end."""

from __future__ import annotations

from typing import Literal, cast

from chaos.faults import fault
from chaos.faults._links import lasting
from chaos.proxy import Freeze
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("freeze")
async def freeze(site: Site, at: FaultAt) -> None:
    way = cast(Literal["up", "down", "both"], at.values["direction"])  # the kind allows no other word
    await lasting(site, at, Freeze(way))
