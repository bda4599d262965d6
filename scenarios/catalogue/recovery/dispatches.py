"""The recovery requests for one dead executor, in the order in which the relay sends them to whichever peer.

Which candidate is asked first is the relay's own choice. A scenario says what happens to the first
request, to the second, and so on: the peer that gets it plays that part.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from scenarios.catalogue.liveness.moments import ASKED_BY, leave, naming, patience, scripted
from scenarios.errors import Prerequisite
from scenarios.world import Executor, Reply, World

HOLDS = scripted(recovery=Reply(silent=True))
"""The script of a peer whose recovery requests `Dispatches` answers."""


@dataclass(kw_only=True)
class Dispatch:
    """One request as it reached a peer. Numbers are event numbers."""

    peer: Executor
    request_id: str
    frame: int
    end: int = -1  # the answer, or the moment at which the peer was lost; -1: none (yet)
    played: bool = False  # whether its part is over


Part = Callable[[World, Dispatch], Awaitable[None]]


async def answer(world: World, dispatch: Dispatch, **fields: Any) -> None:
    """Answer with these fields, under the request's type unless they say otherwise."""
    await dispatch.peer.send({"type": "recovery", "request_id": dispatch.request_id, **fields})
    dispatch.end = world.last("frame", conn=dispatch.peer.conn, by="executor", op="text")


async def accept(world: World, dispatch: Dispatch) -> None:
    await answer(world, dispatch, success=True)


async def refuse(world: World, dispatch: Dispatch) -> None:
    await answer(world, dispatch, success=False)


async def fail(world: World, dispatch: Dispatch) -> None:
    await answer(world, dispatch, success=False, error_message="the database was away")


async def hold(world: World, dispatch: Dispatch) -> None:
    """Never answer; pongs go on."""


def lost_by(how: str) -> Part:
    """The peer's socket ends with the request outstanding; "freeze": it falls silent."""

    async def part(world: World, dispatch: Dispatch) -> None:
        if how == "freeze":
            await dispatch.peer.freeze()
            dispatch.end = world.last("frame", conn=dispatch.peer.conn, by="executor")
        else:
            dispatch.end = await leave(world, dispatch.peer, how)

    return part


class Dispatches:
    """Watches these peers, each scripted with `HOLDS`, from now on. The last part of the plan repeats."""

    def __init__(self, world: World, dead: Executor, peers: Sequence[Executor], plan: Sequence[Part]) -> None:
        assert plan, "a plan has at least one part"
        self._world = world
        self._dead = dead
        self._plan = tuple(plan)
        self.seen: list[Dispatch] = []
        for peer in peers:
            self.watch(peer)

    def watch(self, peer: Executor) -> None:
        """One more peer."""
        self._world.spawn(self._play(peer))

    async def until(self, count: int, *, within: str = ASKED_BY) -> bool:
        """Wait until so many were sent and their parts played. False: the window (plus patience) passed."""

        async def enough() -> bool:
            return len(self.seen) >= count and all(each.played for each in self.seen[:count])

        return await self._world.until(enough, within_s=patience(self._world, within))

    async def first(self) -> Dispatch:
        """The first of them. Raises `Prerequisite` where nobody is asked."""
        if not await self.until(1):
            raise Prerequisite(f"nobody was asked to recover {self._dead.id}")
        return self.seen[0]

    def others(self, dispatch: Dispatch, peers: Sequence[Executor]) -> list[Executor]:
        """The peers besides the one of this dispatch."""
        return [peer for peer in peers if peer is not dispatch.peer]

    async def _play(self, peer: Executor) -> None:
        asked = 0
        while True:
            asked += 1
            request = await self._world.until_frame(
                peer, "recovery", within_s=_FOR_EVER_S, match=naming(self._dead), count=asked
            )
            if request is None:
                return
            dispatch = Dispatch(
                peer=peer,
                request_id=str(request["request_id"]),
                frame=self._world.last("frame", conn=peer.conn, by="relay", op="text"),
            )
            part = self._plan[min(len(self.seen), len(self._plan) - 1)]
            self.seen.append(dispatch)
            await part(self._world, dispatch)
            dispatch.played = True


_FOR_EVER_S = 3600.0  # the world ends what still runs at the end of the scenario
