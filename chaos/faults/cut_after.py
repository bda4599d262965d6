"""The connection is reset after a number of further bytes or frames, in the middle of whatever comes then."""

from __future__ import annotations

from typing import Literal, cast

from chaos.faults import fault
from chaos.faults._links import once
from chaos.proxy import CutAfter
from chaos.site import Site
from scenarios.schedule import FaultAt


@fault("cut-after")
async def cut_after(site: Site, at: FaultAt) -> None:
    values = at.values
    way = cast(Literal["up", "down", "both"], values["direction"])  # the kind allows no other word
    size = int(values["bytes"])
    once(site, at, CutAfter(bytes_=size, frames=0 if size else int(values["frames"]), way=way))
