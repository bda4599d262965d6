"""Moments and windows that the scenarios of liveness, recovery and audit share.

A window is a text over the short names of the timing; the same text bounds the wait of the scenario
and, as an argument of an expectation, the judge's verdict.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from evidence.window import evaluate
from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, Reply, Script, World

DISCONNECTED_BY = "slack"  # LIV-4, after the socket's end
SILENT_FROM = "w"  # LIV-3, after the last pong
SILENT_BY = "w + i + scan + 2*slack"
DEAD_FROM = "g"  # LIV-7, after the socket's end, which the relay may notice a slack late
DEAD_BY = "g + scan + 2*slack"
SILENT_DEAD_FROM = "w + g"  # LIV-7, after the last pong
SILENT_DEAD_BY = "w + i + g + 2*scan + 3*slack"
ASKED_BY = "g + scan + 2*slack + recovery"  # REC-1 names no bound: whoever is not asked by then is forgotten
JOINED_ASKED_BY = "slack + scan + backoff"  # REC-11
HEALTHY_BY = "scan + 2*slack"  # no clause bounds it: what a handshake and a look of the relay take

ENDS = ("close-1000", "close-1001", "fin", "rst")
"""How a socket ends without the relay's doing: two orderly close codes, and two ends that an observer calls 1006."""

ENDS_NOW = "rst"  # where the kind of end does not matter

PREMISE_S = 8.0  # what a busy host may add before a premise is given up: nothing of it is judged

DEAF = Script(pongs=False)  # reads on and says nothing, not even a pong


def seconds(world: World, window: str, g: float | None = None) -> float:
    """The length of a window text at the run's timing; ``g``: an application's own grace, in seconds."""
    return evaluate(window, world.timing.names() if g is None else {**world.timing.names(), "g": g})


def patience(world: World, window: str, g: float | None = None) -> float:
    """How long to wait for what is due within ``window``: past its end, so that late is seen as late, not as never."""
    return seconds(world, window, g) + max(1.0, 4 * world.timing.slack_s)


def in_seconds(value: float) -> str:
    """A measured length as (part of) a window text."""
    assert value >= 0, "a length is not negative"
    return f"{value:.6f}"


async def healthy(world: World, *executors: Executor) -> None:
    """Everything here stands on it. Raises `Prerequisite` where the list never shows one of them HEALTHY.

    Without a list nothing shows when the relay has read, and kept, the executor_info answer: a slack, then.
    """
    if not world.profile.can("list"):
        await world.sleep(world.timing.slack_s)
        return
    for executor in executors:
        if not await world.until_status(executor, "HEALTHY", within_s=patience(world, "w") + PREMISE_S):
            raise Prerequisite(f"executor {executor.id} answered the handshake and is not listed HEALTHY")


async def leave(world: World, executor: Executor, how: str = ENDS_NOW) -> int:
    """End the newest socket in one of the ways of `ENDS`. Number of a note just before it: the earliest moment."""
    moment = world.note(f"{executor.id} leaves by {how}")
    if how.startswith("close-"):
        await executor.close(int(how.removeprefix("close-")))
    else:
        await executor.drop(how)
    return moment


async def fall_silent(world: World, executor: Executor, *, reading: bool = False) -> int:
    """From now on not a sign of life on an open socket. Number of the last frame that the executor sent.

    ``reading``: it goes on reading, so that the close by the relay is seen when it comes.
    """
    if reading:
        executor.script(DEAF)
    else:
        await executor.freeze()
    return world.last("frame", conn=executor.conn, by="executor")


async def back(world: World, executor: Executor) -> int:
    """Connect again and shake hands. Number of the moment, as `introduced`."""
    await executor.connect()
    return introduced(world, executor)


def introduced(world: World, executor: Executor) -> int:
    """Number of the executor's last frame: its executor_info answer, unless it has said more.

    A relay that took no such answer (it refuses who returns, or never asks): a note, from which its deadlines count.
    """
    try:
        return world.last("frame", conn=executor.conn, by="executor", op="text")
    except LookupError:
        return world.note(f"{executor.id} dialled and was not let in")


async def die(world: World, executor: Executor, how: str = ENDS_NOW, *, g: float | None = None) -> int:
    """Leave and stay away until DEAD. Number of the moment at which it left.

    Raises `Prerequisite` where the relay never says DEAD.
    """
    moment = await leave(world, executor, how)
    await dead(world, executor, g=g)
    return moment


async def dead(world: World, *executors: Executor, window: str = DEAD_BY, g: float | None = None) -> None:
    """Wait until these are DEAD (or, recovered at once, gone). Raises `Prerequisite` where the relay never says so.

    Without a list a recovery frame shows it, to a peer that is asked: where none is, the window is waited out.
    """
    if not world.profile.can("list"):
        for executor in executors:
            await world.until_status(executor, "DEAD", within_s=seconds(world, window, g))
        return
    for executor in executors:
        if not await world.until_status(executor, "DEAD", "GONE", within_s=patience(world, window, g) + PREMISE_S):
            raise Prerequisite(f"executor {executor.id} left and was never declared DEAD")


async def gone(world: World, executor: Executor, *, within: str = "slack + request") -> bool:
    """Wait until the record of a recovered executor is deleted; without a list there is nothing to wait for."""
    if not world.profile.can("list"):
        return True
    return await world.until_status(executor, "GONE", within_s=patience(world, within))


def expect_stays(
    world: World, clause: str, text: str, executor: Executor, *statuses: str, since: int, until: int
) -> None:
    """The polled half of an expectation, where the relay has a list: the wire half stands beside it."""
    if world.profile.can("list"):
        world.expect(clause, "stays", text, executor=executor.id, statuses=list(statuses), since=since, until=until)


async def read_audit(world: World, app: App) -> None:
    """Leave the audit log in the history, for the clause or for the invariants that read it."""
    if world.profile.can("audit"):
        await world.control.audit(app.org)


def scripted(**replies: Reply | list[Reply]) -> Script:
    """A script from replies by request type; everything else is answered as usual."""
    table: Mapping[str, Any] = replies
    return Script(replies=table)


def naming(executor: Executor) -> dict[str, Any]:
    """The fields of a recovery request for exactly this executor."""
    return {"executor_ids": [executor.id]}
