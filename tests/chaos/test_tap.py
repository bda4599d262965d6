"""The tap between a scripted client and a server: transparent but for the compression offer."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.asyncio.server import ServerConnection, serve
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.http11 import Request, Response

from chaos.frames import masked_text_frame
from chaos.tap import Passing, Tap
from evidence.events import Closed, Fault, Frame, Open, Refused, Upgraded
from evidence.history import Recorder
from tests.chaos.support import eventually, of, recorder

HANDSHAKE = (
    b"GET /e1/websocket/a/key HTTP/1.1\r\nHost: tap\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    b"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"
)
Handler = Callable[[ServerConnection], Awaitable[None]]


async def echo(connection: ServerConnection) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for message in connection:
            await connection.send(message)


@contextlib.asynccontextmanager
async def tapped(
    handler: Handler = echo, refuse: int = 0, requests: list[Request] | None = None
) -> AsyncIterator[tuple[Tap, Recorder]]:
    def gate(connection: ServerConnection, request: Request) -> Response | None:
        if requests is not None:
            requests.append(request)
        return connection.respond(refuse, "no\n") if refuse else None

    made, numbers = recorder(), itertools.count(7)
    async with serve(handler, "127.0.0.1", 0, process_request=gate) as server:
        port = next(iter(server.sockets)).getsockname()[1]
        tap = Tap(
            f"ws://127.0.0.1:{port}/front", made, org="o", app="a", version="v1", language="python",
            next_conn=lambda: next(numbers),
        )  # fmt: skip
        await tap.start()
        try:
            yield tap, made
        finally:
            await tap.stop()


def dial(tap: Tap, label: str = "e1") -> connect:
    return connect(tap.url(label) + "/websocket/a/key")


async def test_frames_pass_and_are_recorded_with_the_executors_id() -> None:
    requests: list[Request] = []
    async with tapped(requests=requests) as (tap, made):
        tap.identify("e1", "id-1")
        async with dial(tap) as client:
            await client.send("text")
            assert await client.recv() == "text"
            await client.send(b"\xff\x00")
            assert await client.recv() == b"\xff\x00"
            await (await client.ping(b"beat"))
    assert requests[0].path == "/front/websocket/a/key"
    assert "Sec-WebSocket-Extensions" not in requests[0].headers
    (opened,) = of(Open, made)
    assert (opened.conn, opened.executor, opened.note, opened.version) == (7, "id-1", "e1", "v1")
    assert [event.conn for event in of(Upgraded, made)] == [7]
    seen = [(frame.by, frame.op) for frame in of(Frame, made)]
    assert seen[:2] == [("executor", "text"), ("relay", "text")]
    assert {("executor", "ping"), ("relay", "pong"), ("executor", "close"), ("relay", "close")} <= set(seen)
    (binary, _) = (frame for frame in of(Frame, made) if frame.op == "binary")
    assert binary.b64 and binary.data == "/wA="
    assert next(frame for frame in of(Frame, made) if frame.op == "close").code == 1000
    (ended,) = of(Closed, made)
    assert ended.how == "close"


async def test_a_dial_waits_until_its_executor_is_known() -> None:
    async with tapped() as (tap, made):
        dialling = asyncio.ensure_future(_open(tap))
        await asyncio.sleep(0.05)
        assert not of(Open, made)
        tap.identify("e1", "id-1")
        await (await dialling).close()
        assert of(Open, made)[0].executor == "id-1"


async def _open(tap: Tap) -> ClientConnection:
    return await dial(tap)


async def test_a_refusal_passes() -> None:
    async with tapped(refuse=403) as (tap, made):
        tap.identify("e1", "id-1")
        with pytest.raises(InvalidStatus) as refused:
            await dial(tap)
        assert refused.value.response.status_code == 403
        (event,) = of(Refused, made)
        assert (event.status, event.body) == (403, "no\n")


async def test_a_relay_that_is_away_is_recorded() -> None:
    made = recorder()
    tap = Tap("ws://127.0.0.1:1", made, org="o", app="a", version="v", language="python", next_conn=lambda: 0)
    await tap.start()
    tap.identify("e1", "id-1")
    with pytest.raises(Exception, match=r"did not receive|closed|EOF"):
        await dial(tap)
    await tap.stop()
    assert of(Refused, made)[0].status == 0


@pytest.mark.parametrize("killed", [True, False])
async def test_an_executor_that_is_gone_is_gone_for_the_relay_at_once(killed: bool) -> None:
    ended = asyncio.Event()

    async def wait(connection: ServerConnection) -> None:
        await connection.wait_closed()
        ended.set()

    async with tapped(wait) as (tap, made):
        tap.identify("e1", "id-1")
        client = await dial(tap)
        if killed:
            tap.killed("e1")
        client.transport.abort()
        await asyncio.wait_for(ended.wait(), 2)
        await eventually(lambda: bool(of(Closed, made)))
        (event,) = of(Closed, made)
        assert event.by == "executor"
        assert event.how == "kill" if killed else event.how in ("fin", "rst")


async def test_an_added_request_reaches_the_executor_and_its_answer_not_the_relay() -> None:
    async with tapped() as (tap, made):
        tap.identify("e1", "id-1")
        answers: list[Mapping[str, Any]] = []
        async with dial(tap) as client:
            await client.send('{"type": "executor_info"}')
            await client.recv()
            assert tap.connected("e1")
            tap.add("e1", {"type": "recovery", "request_id": "mine"}, answers.append)
            assert json.loads(await client.recv()) == {"type": "recovery", "request_id": "mine"}
            await client.send('{"type": "recovery", "request_id": "mine", "success": true}')
            await client.send("after")
            assert await client.recv() == "after"  # the echo of the answer would have come first
        assert [answer["success"] for answer in answers] == [True]
        assert [fault.kind for fault in of(Fault, made)] == ["added-request"]
        assert not any("mine" in frame.data for frame in of(Frame, made))


async def test_listeners_see_each_json_frame_after_it_was_forwarded() -> None:
    async with tapped() as (tap, _):
        tap.identify("e1", "id-1")
        seen: list[Passing] = []
        tap.listeners.append(seen.append)
        async with dial(tap) as client:
            await client.send("no JSON")
            await client.send('{"type": "x"}')
            await client.recv()
            await client.recv()
        assert [(each.by, each.label, each.message["type"]) for each in seen] == [
            ("executor", "e1", "x"), ("relay", "e1", "x"),
        ]  # fmt: skip


async def test_a_fragmented_message_is_one_event() -> None:
    async with tapped() as (tap, made):
        tap.identify("e1", "id-1")
        async with dial(tap) as client:
            await client.send(["one ", "two ", "three"])
            assert await client.recv() == "one two three"
        assert [frame.data for frame in of(Frame, made) if frame.op == "text"] == ["one two three"] * 2


async def test_what_the_relay_has_closed_is_connected_no_more() -> None:
    async def close(connection: ServerConnection) -> None:
        await connection.send(await connection.recv())
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(connection.close(1001), 0.2)
        connection.transport.abort()

    async with tapped(close) as (tap, made):
        tap.identify("e1", "id-1")
        reader, writer = await asyncio.open_connection("127.0.0.1", tap.port)  # one that never answers the close
        writer.write(HANDSHAKE)
        await reader.readuntil(b"\r\n\r\n")
        writer.write(masked_text_frame(b'{"type": "executor_info"}'))
        await eventually(lambda: tap.connected("e1"))
        await eventually(lambda: bool(of(Closed, made)), within_s=20)
        assert not tap.connected("e1") and tap.labels() == []
        writer.close()


async def test_a_listener_that_fails_ends_the_connection_and_that_is_told(caplog: pytest.LogCaptureFixture) -> None:
    def fail(passing: Passing) -> None:
        raise ValueError(f"no {passing.message['type']}, please")

    async with tapped() as (tap, made):
        tap.identify("e1", "id-1")
        tap.listeners.append(fail)
        async with dial(tap) as client:
            await client.send('{"type": "executor_info"}')
            with pytest.raises(ConnectionClosed):
                await client.recv()
        (event,) = of(Closed, made)
        assert event.how == "rst"
        await eventually(lambda: "no executor_info, please" in caplog.text)
