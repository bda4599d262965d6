"""The fault proxy: each toxic does what it says, and what it did is over when it is removed."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import AsyncIterator

import pytest

from chaos.proxy import Cut, CutAfter, Delay, Freeze, HalfOpen, Idle, Loss, Proxy, Refuse, Reset
from tests.chaos.support import eventually

SHORT_S = 0.15
LONG_S = 5.0


class Echo:
    """A server that sends back what it gets, and knows how its connections ended."""

    def __init__(self) -> None:
        self.ends: list[str] = []
        self.open = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.open += 1
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
            self.ends.append("fin")
        except OSError:
            self.ends.append("rst")
        finally:
            self.open -= 1
            writer.close()


@contextlib.asynccontextmanager
async def world() -> AsyncIterator[tuple[Proxy, Echo]]:
    echo = Echo()
    server = await asyncio.start_server(echo.serve, "127.0.0.1", 0)
    proxy = Proxy("127.0.0.1", server.sockets[0].getsockname()[1])
    await proxy.start()
    try:
        yield proxy, echo
    finally:
        await proxy.stop()
        server.close()


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def says(self, text: bytes, within_s: float = LONG_S) -> bytes:
        """What comes back; raises TimeoutError where nothing does."""
        self.writer.write(text)
        return await asyncio.wait_for(self.reader.readexactly(len(text)), within_s)

    async def silent(self, text: bytes) -> bool:
        self.writer.write(text)
        try:
            await asyncio.wait_for(self.reader.readexactly(1), SHORT_S)
        except TimeoutError:
            return True
        return False

    async def ended(self) -> bytes | None:
        """What came before the end; None: it was reset."""
        try:
            return await asyncio.wait_for(self.reader.read(), LONG_S)
        except ConnectionError:
            return None


async def dial(proxy: Proxy) -> Client:
    return Client(*await asyncio.open_connection("127.0.0.1", proxy.port))


async def test_without_a_toxic_bytes_pass_as_they_are() -> None:
    async with world() as (proxy, echo):
        client = await dial(proxy)
        assert await client.says(b"a" * 300_000) == b"a" * 300_000
        client.writer.write_eof()
        assert await client.ended() == b""
        await eventually(lambda: echo.ends == ["fin"] and not proxy.links)


@pytest.mark.parametrize("way", ["up", "down", "both"])
async def test_a_freeze_holds_everything_back_and_lets_it_go_in_order(way: str) -> None:
    async with world() as (proxy, _):
        client, toxic = await dial(proxy), Freeze(way)  # type: ignore[arg-type]
        assert await client.says(b"before") == b"before"
        proxy.add(toxic)
        assert await client.silent(b"one")
        client.writer.write(b"two")
        proxy.remove(toxic)
        assert await asyncio.wait_for(client.reader.readexactly(6), LONG_S) == b"onetwo"


async def test_a_frozen_link_hides_the_end_until_it_is_healed() -> None:
    async with world() as (proxy, echo):
        client, toxic = await dial(proxy), Freeze()
        await client.says(b"hello")
        proxy.add(toxic)
        client.writer.close()
        await asyncio.sleep(SHORT_S)  # the stimulus: time in which nothing may be seen
        assert echo.open == 1
        proxy.remove(toxic)
        await eventually(lambda: echo.open == 0)


async def test_a_delay_adds_its_time_and_keeps_order_and_throughput() -> None:
    async with world() as (proxy, _):
        client, toxic = await dial(proxy), Delay(1.0, way="up")
        proxy.add(toxic)
        began_s = time.monotonic()
        for number in range(10):
            client.writer.write(bytes([number]))
            await asyncio.sleep(0.005)  # portions of their own
        assert await asyncio.wait_for(client.reader.readexactly(10), LONG_S) == bytes(range(10))
        assert 1.0 <= time.monotonic() - began_s < 5, "ten portions take one delay, not ten"
        proxy.remove(toxic)
        began_s = time.monotonic()
        await client.says(b"quick")
        assert time.monotonic() - began_s < 1.0


async def test_loss_stalls_a_stream_and_loses_nothing() -> None:
    async with world() as (proxy, _):
        client, toxic = await dial(proxy), Loss(1.0, seed=1)
        proxy.add(toxic)
        assert await client.silent(b"late")
        proxy.remove(toxic)
        assert await asyncio.wait_for(client.reader.readexactly(4), LONG_S) == b"late"


async def test_the_same_seed_loses_the_same_packets() -> None:
    first, second = Loss(0.5, seed=3), Loss(0.5, seed=3)
    draws = [[toxic._source.random() for _ in range(5)] for toxic in (first, second)]
    assert draws[0] == draws[1]


async def test_a_cut_ends_in_good_order_and_the_next_dial_works() -> None:
    async with world() as (proxy, echo):
        client = await dial(proxy)
        await client.says(b"hello")
        proxy.add(Cut())
        assert await client.ended() == b""
        await eventually(lambda: echo.ends == ["fin"])
        assert await (await dial(proxy)).says(b"again") == b"again"
        assert not proxy.toxics


async def test_a_reset_ends_both_ends_at_once_and_the_next_dial_works() -> None:
    async with world() as (proxy, echo):
        client = await dial(proxy)
        await client.says(b"hello")
        proxy.add(Reset())
        assert await client.ended() is None
        await eventually(lambda: echo.ends == ["rst"])
        assert await (await dial(proxy)).says(b"again") == b"again"


async def test_refused_links_are_turned_away_until_it_is_healed() -> None:
    async with world() as (proxy, _):
        client, toxic = await dial(proxy), Refuse()
        await client.says(b"hello")
        proxy.add(toxic)
        assert await client.ended() is None
        assert not await (await dial(proxy)).ended()
        proxy.remove(toxic)
        assert await (await dial(proxy)).says(b"again") == b"again"


async def test_half_open_hides_the_clients_end_from_the_server() -> None:
    async with world() as (proxy, echo):
        client, toxic = await dial(proxy), HalfOpen()
        await client.says(b"hello")
        proxy.add(toxic)
        assert await client.ended() is None
        second = await dial(proxy)
        assert await second.says(b"new") == b"new"
        assert echo.open == 2, "the server still believes in the first"
        proxy.remove(toxic)
        await eventually(lambda: echo.open == 1)
        assert await second.says(b"on") == b"on"


@pytest.mark.parametrize(("limit", "kept"), [(1, 1), (10, 10), (25, 25)])
async def test_cut_after_bytes_ends_in_the_middle(limit: int, kept: int) -> None:
    async with world() as (proxy, _):
        client = await dial(proxy)
        proxy.add(CutAfter(bytes_=limit, way="down"))
        got = b""
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            for _ in range(5):
                got += await client.says(b"0123456789")
        assert len(got) <= kept and not proxy.toxics
        assert await (await dial(proxy)).says(b"again") == b"again"


async def test_cut_after_frames_lets_so_many_pass() -> None:
    ping = b"\x89\x03abc"
    async with world() as (proxy, _):
        client = await dial(proxy)
        proxy.add(CutAfter(frames=3, way="up"))
        assert await client.says(ping) == ping
        assert await client.says(ping) == ping
        client.writer.write(ping)
        await client.ended()
        await eventually(lambda: not proxy.links)


async def test_an_idle_link_is_ended_and_a_busy_one_is_not() -> None:
    async with world() as (proxy, _):
        busy, idle, toxic = await dial(proxy), await dial(proxy), Idle(1.0)
        await idle.says(b"hello")
        proxy.add(toxic)
        ending = asyncio.create_task(idle.ended())
        while not ending.done():
            await busy.says(b"on")
            await asyncio.sleep(0.05)  # what keeps it from being idle
        assert await busy.says(b"still") == b"still"
        proxy.remove(toxic)


async def test_a_server_that_is_away_ends_the_dial() -> None:
    proxy = Proxy("127.0.0.1", 1)
    await proxy.start()
    assert not await (await dial(proxy)).ended()
    await proxy.stop()
