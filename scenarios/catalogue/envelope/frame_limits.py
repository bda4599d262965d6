"""ENV-11: how large a frame may be, before the handshake and after it."""

from __future__ import annotations

import json
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import recorded
from scenarios.catalogue.envelope.calls import HELD, expect_still_serving, ready_executor
from scenarios.catalogue.envelope.raw_frames import TEXT, header
from scenarios.catalogue.handshake.answers import SILENT, asked_for_info, info_answer
from scenarios.world import Executor, World

_KIB = 1024
_MIB = 1024 * _KIB
_CHUNK = b" " * (4 * _MIB)


def _padded(answer: dict[str, Any], length: int) -> bytes:
    """The answer with blanks behind it, ``length`` bytes in all: JSON allows them."""
    return json.dumps(answer).encode().ljust(length)


@scenario(
    "ENV-11/before-handshake-taken",
    clauses=("ENV-11",),
    title="An executor_info answer of up to 64 KiB is taken",
    simulated=False,
    variants={"60-kib": 60 * _KIB, "64-kib": 64 * _KIB},
)
async def before_handshake_taken(world: World, length: int) -> None:
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    asked = await asked_for_info(world, executor)
    await executor.send(_padded(info_answer(executor.id, asked["request_id"]), length))
    sent = world.note("the answer is out", bytes=length)
    await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
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
    title="A larger frame before the handshake is refused with a close",
    simulated=False,
    disturbs=True,
    variants={"64-kib-and-1": 64 * _KIB + 1, "1-mib": _MIB, "64-mib": 64 * _MIB},
)
async def before_handshake_refused(world: World, length: int) -> None:
    app = await world.app()
    executor = await world.executor(app, script=SILENT, connect=False)
    await asked_for_info(world, executor)
    await _expect_refused(world, executor, length)


@scenario(
    "ENV-11/after-handshake-taken",
    clauses=("ENV-11",),
    title="A frame of 100 MiB after the handshake is taken",
    simulated=False,
    disturbs=True,
    variants={"1-mib": _MIB, "100-mib": 100 * _MIB},
)
async def after_handshake_taken(world: World, length: int) -> None:
    """It is a response that nobody waits for: its size is the question, not what becomes of its content."""
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    since = world.note("connected and HEALTHY")
    stray = json.dumps({"type": "alert", "request_id": "unasked", "success": True}).encode()
    await _send_long(world, executor, stray, length)
    await expect_still_serving(world, app, "ENV-11", executor)
    world.expect("ENV-11", "open", "the connection goes on", conn=executor.conn, since=since, until=None)


@scenario(
    "ENV-11/after-handshake-refused",
    clauses=("ENV-11",),
    title="A frame of more than 100 MiB is refused with a close",
    simulated=False,
    disturbs=True,
    variants={"100-mib-and-1": 100 * _MIB + 1, "1-tib": 1 << 40},
)
async def after_handshake_refused(world: World, length: int) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    await _expect_refused(world, executor, length)
    heir = await ready_executor(world, app, HELD)
    await expect_still_serving(world, app, "ENV-11", heir)


async def _send_long(world: World, executor: Executor, head: bytes, length: int) -> None:
    """Send one text frame of ``length`` bytes in pieces, until it is out, the relay ends the connection, or 128 MiB."""
    await executor.send_raw(header(TEXT, length) + head)
    left = min(length, 128 * _MIB) - len(head)
    while left > 0 and not recorded(world, "closed", conn=executor.conn):
        piece = _CHUNK[:left]
        await executor.send_raw(piece)
        left -= len(piece)


async def _expect_refused(world: World, executor: Executor, length: int) -> None:
    start = world.note("an over-long frame starts", bytes=length)
    await _send_long(world, executor, b'{"type": "executor_info"', length)
    await world.until_closed(executor, within_s=world.timing.request_deadline_s)
    world.expect("ENV-11", "closed", "refused with a close", conn=executor.conn, after=start, latest="request")
