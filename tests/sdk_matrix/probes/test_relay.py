"""The scripted relay, tried with the client of a library that knows nothing of it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from sdk_matrix.probes.link import BINARY, PING, TEXT, Link
from sdk_matrix.probes.relay import Door, Refuse, ScriptedRelay, Silent

WITHIN_S = 20.0
Story = Callable[[ClientConnection, Link, Door], Awaitable[None]]


def play(story: Story) -> None:
    """With one client that is connected."""

    async def played() -> None:
        async with met() as (client, link, door):
            await story(client, link, door)

    asyncio.run(played())


@asynccontextmanager
async def met() -> AsyncIterator[tuple[ClientConnection, Link, Door]]:
    async with ScriptedRelay() as relay, connect(f"{relay.url}/websocket/app/key-1", ping_interval=None) as client:
        door = relay.door("key-1")
        yield client, await door.connected(WITHIN_S), door


def test_a_text_goes_either_way_and_is_recorded() -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        await link.send({"type": "executor_info", "request_id": "r"})
        assert await client.recv() == '{"type": "executor_info", "request_id": "r"}'
        await client.send('{"request_id": "r", "host": "é"}')
        assert (await link.answer("r", WITHIN_S))["host"] == "é"
        assert [(frame.by, frame.kind) for frame in door.record] == [
            ("executor", "dial"), ("relay", "text"), ("executor", "text")
        ]  # fmt: skip

    play(story)


def test_fragments_and_a_ping_between_them_are_one_message() -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        await link.frame(TEXT, b"on", final=False)
        await link.frame(PING, b"p")
        await link.frame(0, b"e")
        assert await client.recv() == "one"
        await link.until(lambda: b"p" in link.pongs, WITHIN_S)
        await link.frame(BINARY, b"\x00")
        assert await client.recv() == b"\x00"
        await client.send(['{"request_id": "r", ', '"host": ', '"x"}'])
        assert await link.answer("r", WITHIN_S) == {"request_id": "r", "host": "x"}

    play(story)


@pytest.mark.parametrize("size", [10, 126, 70_000, 3_000_000])
def test_sizes_of_every_length_field(size: int) -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        await link.frame(TEXT, b"x" * size)
        assert len(await client.recv()) == size
        await client.send('{"request_id": "r", "text": "%s"}' % ("y" * size))
        assert len((await link.answer("r", WITHIN_S))["text"]) == size

    async def played() -> None:
        async with (
            ScriptedRelay() as relay,
            connect(f"{relay.url}/websocket/app/key-1", ping_interval=None, max_size=None) as client,
        ):
            await story(client, await relay.door("key-1").connected(WITHIN_S), relay.door("key-1"))

    asyncio.run(played())


def test_its_close_code_reaches_the_client_and_the_echo_is_seen() -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        await link.close(4401, "because")
        with pytest.raises(ConnectionClosed) as caught:
            await client.recv()
        assert caught.value.rcvd is not None and (caught.value.rcvd.code, caught.value.rcvd.reason) == (4401, "because")
        assert await link.ended(WITHIN_S)
        assert link.close_code == 4401

    play(story)


def test_a_close_of_the_clients_is_seen_with_its_reason() -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        await client.close(1001, "going")
        assert await link.ended(WITHIN_S)
        assert (link.close_code, link.close_reason) == (1001, "going")
        with pytest.raises(ConnectionError):
            await link.send("too late")

    play(story)


def test_pings_are_answered_unless_told_otherwise() -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        await asyncio.wait_for(await client.ping(), WITHIN_S)
        link.answers_pings = False
        unanswered = await client.ping()
        await client.send('{"request_id": "behind"}')
        await link.answer("behind", WITHIN_S)
        assert asyncio.isfuture(unanswered) and not unanswered.done()
        assert [f.kind for f in door.record if f.by == "executor"] == ["dial", "ping", "ping", "text"]
        assert [f.kind for f in door.record if f.by == "relay"] == ["pong"]

    play(story)


def test_a_reset_ends_the_connection_without_a_close_frame() -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        link.reset()
        with pytest.raises(ConnectionClosed) as caught:
            await client.recv()
        assert caught.value.rcvd is None
        assert await link.ended(WITHIN_S)
        assert link.close_code is None

    play(story)


def test_a_stalled_relay_reads_nothing() -> None:
    async def story(client: ClientConnection, link: Link, door: Door) -> None:
        link.stall()
        await client.send('{"request_id": "unread"}')
        with pytest.raises(TimeoutError):
            await link.answer("unread", 0.3)
        link.read_on()
        assert await link.answer("unread", WITHIN_S) == {"request_id": "unread"}

    play(story)


def test_the_script_says_what_each_dial_gets() -> None:
    async def played() -> None:
        async with ScriptedRelay() as relay:
            door = relay.door("key-1")
            door.script.extend([Refuse(503, b"no \xff", {"Retry-After": "30"}), Silent()])
            url = f"{relay.url}/websocket/app/key-1"
            with pytest.raises(InvalidStatus) as caught:
                await connect(url, proxy=None)
            assert caught.value.response.status_code == 503
            assert caught.value.response.headers["Retry-After"] == "30"
            assert caught.value.response.body == b"no \xff"
            with pytest.raises(TimeoutError):
                await connect(url, open_timeout=0.3, proxy=None)
            async with connect(url, ping_interval=None):
                assert (await door.dial(2, WITHIN_S)).path == "/websocket/app/key-1"
                assert (await door.connected(WITHIN_S, since=2)).open
            assert door.dials[0].ended_s is not None

    asyncio.run(played())


def test_workers_are_told_apart_by_their_keys() -> None:
    async def played() -> None:
        async with (
            ScriptedRelay() as relay,
            connect(f"{relay.url}/websocket/app/one"),
            connect(f"{relay.url}/websocket/app/two"),
        ):
            for key in ("one", "two"):
                await relay.door(key).connected(WITHIN_S)
                assert [dial.path for dial in relay.door(key).dials] == [f"/websocket/app/{key}"]

    asyncio.run(played())
