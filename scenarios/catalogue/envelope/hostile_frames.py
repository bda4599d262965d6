"""ENV-6: frames that no executor sends in its right mind."""

from __future__ import annotations

from collections.abc import Mapping

from scenarios.catalogue import scenario
from scenarios.catalogue.connection.dialing import dial
from scenarios.catalogue.envelope.calls import HELD, expect_still_serving, ready_executor
from scenarios.catalogue.envelope.raw_frames import BINARY, CLOSE, CONTINUATION, PING, TEXT, frame, header
from scenarios.catalogue.handshake.answers import SILENT
from scenarios.catalogue.observing import look
from scenarios.world import World

_DEPTH = 100_000
_LONE_SURROGATE = b'{"type": "get_workflow", "request_id": "\\ud800"}'

_TEXTS: Mapping[str, bytes] = {
    "empty text": b"",
    "cut JSON": b'{"type": "executor_info", "request_id": ',
    "two objects": b'{"type": "recovery"}{"type": "recovery"}',
    "no JSON": b"GET / HTTP/1.1\r\n\r\n",
    "array": b'[{"type": "executor_info", "request_id": "1"}]',
    "number": b"42",
    "text": b'"executor_info"',
    "null": b"null",
    "NaN": b'{"type": "recovery", "request_id": "1", "success": NaN}',
    "huge number": b'{"type": "recovery", "request_id": "1", "success": 1e999999}',
    "many digits": b'{"type": "recovery", "request_id": "1", "success": ' + b"9" * 5000 + b"}",
    "lone surrogate": _LONE_SURROGATE,
    "NUL": b'{"type": "recovery\\u0000", "request_id": "\\u0000"}',
    "deep array": b"[" * _DEPTH + b"]" * _DEPTH,
    "deep object": b'{"a":' * _DEPTH + b"1" + b"}" * _DEPTH,
    "deep extra field": b'{"type": "recovery", "request_id": "1", "x": ' + b"[" * _DEPTH + b"]" * _DEPTH + b"}",
    "unclosed depth": b"[" * _DEPTH,
    "unknown type": b'{"type": "no_such_type", "request_id": "1"}',
    "empty object": b"{}",
    "type absent": b'{"request_id": "1", "success": true}',
    "type number": b'{"type": 1, "request_id": "1"}',
    "request_id null": b'{"type": "recovery", "request_id": null, "success": true}',
    "request_id absent": b'{"type": "recovery", "success": true}',
    "request_id object": b'{"type": "recovery", "request_id": {"id": 1}, "success": true}',
}
_WIRE: Mapping[str, bytes] = {
    "invalid UTF-8": frame(TEXT, b'{"type": "\xff\xfe"}'),
    "UTF-8 cut at the end": frame(TEXT, b'{"type": "\xe4'),
    "binary JSON": frame(BINARY, b'{"type": "recovery", "request_id": "1", "success": true}'),
    "binary": frame(BINARY, bytes(range(256))),
    "empty binary": frame(BINARY, b""),
    "reserved opcode": frame(0x3, b"x"),
    "reserved bits": frame(TEXT, b"{}", rsv=0b100),
    "not masked": frame(TEXT, b"{}", masked=False),
    "continuation of nothing": frame(CONTINUATION, b"{}"),
    "text within a fragmented text": frame(TEXT, b"{", fin=False) + frame(TEXT, b"}"),
    "ping too long": frame(PING, b"x" * 126),
    "ping in fragments": frame(PING, b"x", fin=False),
    "close without a reason's code": frame(CLOSE, b"x"),
    "close with an illegal code": frame(CLOSE, b"\x00\x01"),
    "close with broken UTF-8": frame(CLOSE, b"\x03\xe8\xff"),
    "2^40 bytes announced": header(TEXT, 1 << 40) + b'{"type": "',
    "2^63 bytes announced": header(TEXT, 1 << 63) + b'{"type": "',
}


async def _play(world: World, *, handshaken: bool, raw: bool, frames: Mapping[str, bytes]) -> None:
    app, other = await world.app(), await world.app()
    near, far = await ready_executor(world, app, HELD), await ready_executor(world, other, HELD)
    victims = await world.app()  # of its own, so that no call is passed to an executor that is being rude
    beside = await ready_executor(world, victims, HELD)
    since = world.note("three executors that behave, one of them beside those that will not")
    for bystander in (near, far, beside):
        world.expect("ENV-6", "open", "another connection goes on", conn=bystander.conn, since=since, until=None)
        world.expect("ENV-6", "stays", executor=bystander.id, statuses=["HEALTHY"], since=since, until=None)
    for number, (name, data) in enumerate(frames.items()):
        rude = await world.executor(victims, script=None if handshaken else SILENT, connect=False)
        await dial(world, rude)
        await world.until_frame(rude, "executor_info", within_s=world.timing.handshake_deadline_s)  # and answered
        world.note("a hostile frame", frame=name)
        if raw:
            await rude.send_raw(data)
        else:
            await rude.send(data)
        # The answer shows that the relay still serves; it comes after the frame was read, or the relay reads it later
        # while further frames are on their way: then the last round shows it.
        served = await expect_still_serving(world, app, "ENV-6", near, name=f"after-{number}")
        await rude.drop("rst")
        if not served:
            break  # whatever comes now would be about the same frame
    await expect_still_serving(world, other, "ENV-6", far)
    conn, _ = await dial(world, await world.executor(app, connect=False))
    world.expect("ENV-6", "accepted", "a new executor is let in", conn=conn)
    await look(world, app)
    await look(world, other)
    await look(world, victims)


@scenario(
    "ENV-6/texts",
    clauses=("ENV-6",),
    title="Text frames that hold no response leave the relay and everybody else alone",
    disturbs=True,
    faults=(67,),
    variants={"after-handshake": True, "before-handshake": False},
)
async def texts(world: World, handshaken: bool) -> None:
    await _play(world, handshaken=handshaken, raw=False, frames=_TEXTS)


@scenario(
    "ENV-6/wire",
    clauses=("ENV-6",),
    title="Binary, over-long and illegal frames leave the relay and everybody else alone",
    simulated=False,
    disturbs=True,
    variants={"after-handshake": True, "before-handshake": False},
)
async def wire(world: World, handshaken: bool) -> None:
    await _play(world, handshaken=handshaken, raw=True, frames=_WIRE)
