"""A link is reset after a number of further bytes, or of WebSocket frames, in the middle of whatever comes then."""

from __future__ import annotations

import contextlib
from typing import Literal

from chaos.frames import Cutter
from chaos.proxy.proxy import Chunk, Link, Toxic

__all__ = ["CutAfter"]


class CutAfter(Toxic):
    """Counts over all links of the proxy, from now on; takes itself away when it has struck.

    Frames are counted from a portion that begins with one: a portion is what one side wrote at once.
    """

    def __init__(self, *, bytes_: int = 0, frames: int = 0, way: Literal["up", "down", "both"] = "both") -> None:
        """Give one of ``bytes_`` and ``frames``, 1 or more."""
        assert (bytes_ > 0) != (frames > 0), "count either bytes or frames"
        super().__init__(way)
        self._bytes = bytes_
        self._frames = frames
        self._cutters: dict[tuple[Link, str], Cutter] = {}

    async def carry(self, chunk: Chunk, link: Link) -> bool:
        if not chunk.data or chunk.data.startswith((b"GET ", b"HTTP/")):
            return True  # an upgrade is no frame
        kept = self._kept(chunk, link)
        if kept is None:
            return True
        target = link.server if chunk.direction == "up" else link.client
        target.write(chunk.data[:kept])
        link.proxy.remove(self)
        with contextlib.suppress(OSError):  # the other side may have gone first
            await target.drain()
        link.reset()
        return False

    def _kept(self, chunk: Chunk, link: Link) -> int | None:
        """How much of this portion still passes; None: all, and the link stays."""
        if self._bytes:
            if len(chunk.data) < self._bytes:
                self._bytes -= len(chunk.data)
                return None
            return self._bytes
        cutter = self._cutters.setdefault((link, chunk.direction), Cutter())
        passed = 0
        for cut in cutter.feed(chunk.data):
            self._frames -= 1
            passed += len(cut.raw)
            if self._frames == 0:
                return min(passed + 1, len(chunk.data))  # one byte of what comes next, where there is any
        return None
