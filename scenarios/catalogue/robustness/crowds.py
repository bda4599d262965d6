"""ROB-1: connections that cost the others nothing. A small crowd: enough to find who waits for whom."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial
from scenarios.catalogue.envelope.calls import HELD, expect_still_serving, ready_executor
from scenarios.catalogue.envelope.raw_frames import PING, TEXT, frame, header
from scenarios.catalogue.handshake.answers import SILENT
from scenarios.catalogue.observing import look
from scenarios.world import Executor, Script, World

_CROWD = 30
_DEEP = b'{"type": "recovery", "request_id": "1", "x": ' + b"[" * 50_000


async def _say_nothing(executor: Executor) -> None:
    """No handshake, no pong."""


async def _send_deep_json(executor: Executor) -> None:
    for _ in range(5):
        await executor.send(_DEEP)


async def _announce_a_giant(executor: Executor) -> None:
    await executor.send_raw(header(TEXT, 90 << 20) + b'{"type": "')


async def _ping_in_a_storm(executor: Executor) -> None:
    await executor.send_raw(frame(PING, b"storm") * 40)


async def _ask_for_more_than_it_reads(executor: Executor) -> None:
    """Every ping makes the relay write a pong: more of them than the socket's buffers hold."""
    await executor.send_raw(frame(PING, b"x" * 125) * 4000)


_MUTE = Script(replies=SILENT.replies, pongs=False)
_DEAF = Script(reading=False)
_KINDS: dict[str, tuple[Script, Callable[[Executor], Awaitable[None]]]] = {
    "no-handshake": (_MUTE, _say_nothing),
    "not-reading": (_DEAF, _ask_for_more_than_it_reads),
    "deep-json": (Script(), _send_deep_json),
    "giant-frames": (Script(), _announce_a_giant),
    "ping-storm": (Script(), _ping_in_a_storm),
}


@scenario(
    "ROB-1/small-crowd",
    clauses=("ROB-1",),
    title="Thirty hostile connections keep nobody else from being served and HEALTHY",
    simulated=False,
    disturbs=True,
    faults=(25, 65, 67),
    variants=_KINDS,
)
async def small_crowd(world: World, kind: tuple[Script, Callable[[Executor], Awaitable[None]]]) -> None:
    script, act = kind
    app, theirs = await world.app(), await world.app()
    resident = await ready_executor(world, app, HELD)
    since = world.note("one executor that behaves; a crowd comes")
    world.expect("ROB-1", "open", "its socket is kept", conn=resident.conn, since=since, until=None)
    world.expect("ROB-1", "stays", executor=resident.id, statuses=["HEALTHY"], since=since, until=None)
    crowd = [await world.executor(theirs, script=script, connect=False) for _ in range(_CROWD)]
    for executor in crowd:
        await dial(world, executor)
    for executor in crowd:
        await act(executor)
    for number in range(5):
        await expect_still_serving(world, app, "ROB-1", resident, name=f"amid-{number}")
        await look(world, app)
    await world.until_ping(resident, within_s=world.timing.ping_wait_s)
    await look(world, app)
