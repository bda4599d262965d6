"""What every toxic may do; each file overrides what it needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from chaos.proxy.proxy import Link, Proxy

__all__ = ["Chunk", "Direction", "Toxic"]

Direction = Literal["up", "down"]
"""Up leads from the client to the server, down back."""


@dataclass(slots=True)
class Chunk:
    """Bytes on their way. Empty: the sender has ended its side."""

    data: bytes
    at_s: float  # when they came, by the loop's clock
    direction: Direction


class Toxic:
    """The default does nothing. ``way``: the direction that is hit."""

    def __init__(self, way: Literal["up", "down", "both"] = "both") -> None:
        self.way = way

    def covers(self, direction: Direction) -> bool:
        return self.way in ("both", direction)

    def added(self, proxy: Proxy) -> None:
        """It begins now."""

    def removed(self, proxy: Proxy) -> None:
        """It ends now."""

    def opened(self, link: Link) -> bool:
        """A client has come. False: it is turned away."""
        return True

    async def carry(self, chunk: Chunk, link: Link) -> bool:
        """Called for each chunk before it is passed on. False: the link was ended here, pass on nothing."""
        return True
