"""ENV-11: how large a frame may be, before the handshake and after it."""

from __future__ import annotations

import json
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import HELD, expect_still_serving, ready_executor
from scenarios.catalogue.envelope.raw_frames import CONTINUATION, TEXT, frame, header
from scenarios.catalogue.handshake.answers import SILENT, asked_for_info, info_answer, until_listed
from scenarios.catalogue.observing import recorded
from scenarios.world import App, Executor, Reply, Script, World

_KIB = 1024
_MIB = 1024 * _KIB
_BEFORE = 64 * _KIB
_AFTER = 100 * _MIB
_AFTER_FAST = 16 * _MIB
_STRAY = b'{"type": "alert", "request_id": "unasked", "success": true}'
_BLANKS = b" " * _MIB
_MUTE = Script(replies={**HELD.replies, "get_metrics": Reply(silent=True)})
"""No answer of its own may come between the fragments of a long message: the executor would break the protocol."""
_PACE_S = 0.01
_READ_S = 20.0
"""How long a relay may need to read the largest message: no clause speaks of it."""


def _padded(answer: dict[str, Any], length: int) -> bytes:
    """The answer with blanks behind it, ``length`` bytes in all: JSON allows them."""
    return json.dumps(answer).encode().ljust(length)


async def _send_long(world: World, executor: Executor, head: bytes, length: int) -> None:
    """One text message of ``length`` bytes in fragments of 1 MiB: pongs may go between them, and nobody is held up."""
    piece, left = head.ljust(min(length, _MIB)), length
    while left > 0 and not recorded(world, "closed", conn=executor.conn):
        part = piece[:left]
        opcode = TEXT if left == length else CONTINUATION
        left -= len(part)
        await executor.send_raw(frame(opcode, part, fin=left == 0))
        piece = _BLANKS
        await world.sleep(_PACE_S)


async def _expect_taken(world: World, app: App, executor: Executor, length: int) -> None:
    """A response that nobody waits for: its size is the question, not what becomes of its content."""
    since = world.note("a long frame starts", bytes=length)
    world.expect("ENV-11", "open", "the connection goes on", conn=executor.conn, since=since, until=None)
    await _send_long(world, executor, _STRAY, length)
    await executor.ping(b"behind the long frame")

    async def read() -> bool:
        return recorded(world, "frame", conn=executor.conn, by="relay", op="pong", data="behind the long frame")

    await world.until(read, within_s=_READ_S)
    await expect_still_serving(world, app, "ENV-11", executor)


async def _expect_end(world: World, executor: Executor, start: int, latest: str | None = None) -> None:
    await world.until_closed(executor, within_s=_READ_S)
    world.expect("ENV-11", "closed", "refused with a close", conn=executor.conn, after=start, latest=latest)


@scenario(
    "ENV-11/before-handshake-taken",
    clauses=("ENV-11",),
    title="An executor_info answer of up to 64 KiB is taken",
    simulated=False,
    variants={"60-kib": 60 * _KIB, "64-kib": _BEFORE},
)
async def before_handshake_taken(world: World, length: int) -> None:
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    asked = await asked_for_info(world, executor)
    await executor.send(_padded(info_answer(executor.id, asked["request_id"]), length))
    sent = world.note("the answer is out", bytes=length)
    await until_listed(world, app, executor, {"status": "HEALTHY"})
    world.expect(
        "ENV-11",
        "listed",
        "it registers",
        executor=executor.id,
        after=sent,
        fields={"status": "HEALTHY"},
        latest="handshake",
    )


@scenario(
    "ENV-11/before-handshake-refused",
    clauses=("ENV-11",),
    title="A frame of more than 64 KiB before the handshake is refused with a close",
    simulated=False,
    variants={"64-kib-and-1": _BEFORE + 1, "1-mib": _MIB, "64-mib": 64 * _MIB},
)
async def before_handshake_refused(world: World, length: int) -> None:
    """Of the largest only the beginning is sent: it is over the limit by then.

    Well before the handshake's deadline, which would end any connection that has not said who it is.
    """
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    await asked_for_info(world, executor)
    start = world.note("an over-long frame starts", bytes=length)
    await executor.send_raw(header(TEXT, length) + _STRAY.ljust(min(length, _MIB)))
    await _expect_end(world, executor, start, latest="handshake / 2")


@scenario(
    "ENV-11/after-handshake-taken",
    clauses=("ENV-11",),
    title="A message of 1 MiB after the handshake is taken",
    simulated=False,
)
async def after_handshake_taken(world: World) -> None:
    app = await world.app()
    await _expect_taken(world, app, await ready_executor(world, app, _MUTE), _MIB)


@scenario(
    "ENV-11/giants",
    clauses=("ENV-11",),
    title="100 MiB are taken after the handshake (16 MiB at fast timing), more are refused with a close",
    simulated=False,
    disturbs=True,
)
async def giants(world: World) -> None:
    app = await world.app()
    # What a relay needs to read the largest message does not shrink with its ping wait.
    largest = _AFTER if world.timing.ping_wait_s >= _READ_S else _AFTER_FAST
    await _expect_taken(world, app, await ready_executor(world, app, _MUTE), largest)
    greedy = await ready_executor(world, app, _MUTE)
    start = world.note("an over-long message starts", bytes=_AFTER + 1)
    await _send_long(world, greedy, _STRAY, _AFTER + 1)
    await _expect_end(world, greedy, start)
    other = await world.app()
    await expect_still_serving(world, other, "ENV-11", await ready_executor(world, other, _MUTE))
