"""A connection on a transport that records: turns, pongs under pressure, signs of life, the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from reference_relay.config import Config, Limits
from reference_relay.core.events import Binary, Closed, Ping, Pong, Progress, Text
from tests.reference_relay.server.recording import Bench, run
from tests.reference_relay.server.test_limits import BINARY, CLOSE, CONT, PING, PONG, TEXT, frame


def test_of_many_pings_to_a_full_peer_the_newest_is_answered() -> None:
    def test(bench: Bench) -> None:
        bench.connection.pause_writing()
        for number in range(1000):
            bench.receive(frame(PING, b"%d" % number))
        assert bench.transport.written == b""
        assert bench.kinds(Ping) == 1000
        bench.connection.resume_writing()
        assert bench.transport.written == b"\x8a\x03999"
        bench.receive(frame(PING, b"x"))
        assert bench.transport.written.endswith(b"\x8a\x01x")

    run(test)


def test_a_flood_is_worked_off_in_turns() -> None:
    async def main() -> None:
        bench = Bench()
        bench.receive(frame(PONG) * 20_000)
        assert not bench.transport.reading
        assert 0 < bench.kinds(Pong) < 20_000
        while bench.kinds(Pong) < 20_000:  # noqa: ASYNC110 - rests are timers of the connection
            await asyncio.sleep(0.001)
        while not bench.transport.reading:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        bench.receive(frame(TEXT, b"{}"))
        assert bench.hub.events[-1] == Text(7, b"{}")

    asyncio.run(main())


def test_what_came_in_order_is_told_in_order() -> None:
    async def main() -> None:
        bench = Bench()
        bench.receive(b"".join(frame(TEXT, b"%d" % number) for number in range(5000)))
        bench.receive(frame(TEXT, b"5000"))
        while bench.kinds(Text) < 5001:  # noqa: ASYNC110
            await asyncio.sleep(0.001)
        assert [event.data for event in bench.hub.events if isinstance(event, Text)] == [b"%d" % n for n in range(5001)]

    asyncio.run(main())


def test_bytes_of_an_unfinished_frame_are_life_but_not_an_event_each() -> None:
    def test(bench: Bench) -> None:
        bench.receive(frame(TEXT, b"", length=1000))
        for _ in range(500):
            bench.receive(b"x")
        assert bench.kinds(Progress) == 1
        bench.receive(b"x" * 500)
        assert bench.hub.events[-1] == Text(7, b"x" * 1000)

    run(test)


def test_a_frame_split_anywhere_is_one_message_and_the_next_one_too() -> None:
    def test(bench: Bench) -> None:
        data = frame(TEXT, b"first") + frame(TEXT, b"y" * 130)
        for at in range(len(data) + 1):
            bench.hub.events.clear()
            bench.receive(data[:at])
            bench.receive(data[at:])
            texts = [event.data for event in bench.hub.events if isinstance(event, Text)]
            assert texts == [b"first", b"y" * 130]

    run(test)


def test_what_looks_like_a_frame_inside_a_frame_is_payload() -> None:
    def test(bench: Bench) -> None:
        inner = frame(TEXT, b"inner")
        bench.receive(frame(BINARY, b"", length=len(inner)))
        bench.receive(inner)
        assert bench.hub.events == [Progress(7), Binary(7, len(inner))]

    run(test)


def test_a_length_written_longer_than_need_be_confuses_nobody() -> None:
    def test(bench: Bench) -> None:
        bench.receive(b"\x81\xfe\x00\x02\x00\x00\x00\x00{}" + frame(PING, b""))
        bench.receive(frame(TEXT, b"[]"))
        assert [event.data for event in bench.hub.events if isinstance(event, Text)] == [b"{}", b"[]"]

    run(test)


def test_a_text_between_fragments_is_a_protocol_error() -> None:
    def test(bench: Bench) -> None:
        bench.receive(frame(TEXT, b"a", fin=False))
        bench.receive(frame(TEXT, b"b"))
        assert bench.hub.events[-1] == Closed(7, "protocol error 1002")

    run(test)


@pytest.mark.parametrize(
    "data",
    [
        frame(TEXT, b'{"skipped":"\xff"}'),
        frame(TEXT, b'{"type":"x"}\xed\xa0\x80'),
        frame(TEXT, b"\xc3", fin=False) + frame(CONT, b"\x28"),
    ],
)
def test_a_text_that_is_not_utf8_ends_the_connection_and_is_not_passed_on(data: bytes) -> None:
    def test(bench: Bench) -> None:
        bench.receive(data)
        assert bench.kinds(Text) == 0
        assert bench.hub.events[-1] == Closed(7, "protocol error 1007")
        assert bench.transport.written[2:4] == (1007).to_bytes(2, "big")

    run(test)


def test_a_character_may_lie_across_two_fragments() -> None:
    def test(bench: Bench) -> None:
        bench.receive(frame(TEXT, b"\xc3", fin=False) + frame(CONT, b"\xa9"))
        assert bench.hub.events[-1] == Text(7, "é".encode())

    run(test)


def test_a_rest_is_short_beside_the_ping_interval_and_what_waits_is_life(monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        bench = Bench()
        interval_s = Config().timing.ping_interval_s
        rests: list[tuple[float, Callable[[], None]]] = []
        monkeypatch.setattr(
            bench.connection._loop, "call_later", lambda delay_s, work, *_: rests.append((delay_s, work))
        )
        slow_s = iter([0.0, 0.0, 60.0] + [60.0] * 100)  # a message that takes a minute to read
        monkeypatch.setattr("reference_relay.server.connection.time.perf_counter", lambda: next(slow_s, 60.0))
        monkeypatch.setattr("reference_relay.server.connection.LIFE_S", 0.0)
        bench.receive(frame(PONG) * 2000)
        ((delay_s, work),) = rests
        assert 0 < delay_s <= interval_s / 10
        bench.hub.events.clear()
        work()
        assert bench.hub.events[0] == Progress(7)

    asyncio.run(main())


def test_fragments_are_life_and_one_message() -> None:
    def test(bench: Bench) -> None:
        bench.receive(frame(TEXT, b"a", fin=False))
        assert bench.hub.events == [Progress(7)]
        bench.receive(frame(CONT, b"b", fin=False) + frame(PING, b"p") + frame(CONT, b"c"))
        assert bench.hub.events[-2:] == [Ping(7), Text(7, b"abc")]
        assert bench.transport.written == b"\x8a\x01p"

    run(test)


def test_a_full_send_buffer_ends_the_connection() -> None:
    def test(bench: Bench) -> None:
        bench.transport.stuck = True
        bench.connection.send(b"x" * 70_000)  # one frame alone may be larger than the limit
        assert bench.transport.did == []
        bench.connection.ping(b"p")
        assert bench.transport.did == []
        bench.connection.send(b"y")
        assert bench.transport.did == ["abort"]
        assert bench.hub.events == [Closed(7, "send buffer full")]

    run(test, Limits(send_buffer_bytes=65_536))


def test_the_write_deadline_starts_anew_with_progress() -> None:
    async def main() -> None:
        bench = Bench(Limits(write_deadline_s=0.2))
        transport = bench.transport
        transport.stuck = True
        bench.connection.send(b"x" * 1000)
        bench.connection.send(b"y")
        assert bench.hub.watched
        for _ in range(4):
            await asyncio.sleep(0.1)
            transport.waiting -= 100
            assert bench.connection.check_progress()
        await asyncio.sleep(0.3)
        assert not bench.connection.check_progress()
        assert transport.did == ["abort"]
        assert bench.hub.events == [Closed(7, "write deadline")]

    asyncio.run(main())


def test_sending_more_is_no_progress() -> None:
    async def main() -> None:
        bench = Bench(Limits(write_deadline_s=0.2))
        bench.transport.stuck = True
        bench.connection.send(b"x" * 1000)
        while bench.connection.check_progress():
            await asyncio.sleep(0.01)
            bench.connection.ping(b"another")
        assert bench.hub.events == [Closed(7, "write deadline")]

    asyncio.run(asyncio.wait_for(main(), 5))


def test_nothing_waiting_needs_no_watching() -> None:
    def test(bench: Bench) -> None:
        bench.connection.pause_writing()
        assert not bench.connection.check_progress()
        assert bench.transport.did == []

    run(test)


def test_an_end_waits_for_nobody() -> None:
    async def main() -> None:
        bench = Bench(Limits(close_deadline_s=0.05))
        bench.connection.end(1008, "é" * 200)
        close = bytes(bench.transport.written)
        assert close[0] == 0x80 | CLOSE
        assert close[1] <= 125
        assert close[2:4] == (1008).to_bytes(2, "big")
        assert bench.transport.did == ["eof"]
        bench.connection.send(b"late")
        bench.connection.ping(b"late")
        bench.receive(frame(TEXT, b"late"))
        await asyncio.sleep(0.1)
        assert bench.transport.did == ["eof", "abort"]
        assert bytes(bench.transport.written) == close
        bench.connection.connection_lost(None)
        assert bench.hub.events == [Closed(7, "end of stream")]
        assert bench.hub.forgotten == [7]
        assert bench.served == set()

    asyncio.run(main())


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (frame(CLOSE, (1000).to_bytes(2, "big")), "close frame 1000"),
        (frame(CLOSE), "close frame 1005"),
        (b"\x81\x00", "protocol error 1002"),
        (frame(TEXT, b"", length=10**9), "protocol error 1009"),
    ],
)
def test_an_end_is_told_once_and_at_once(data: bytes, reason: str) -> None:
    def test(bench: Bench) -> None:
        bench.receive(data + frame(TEXT, b"after the end"))
        assert bench.hub.events == [Closed(7, reason)]
        bench.connection.eof_received()
        bench.connection.connection_lost(ConnectionResetError())
        assert bench.hub.events == [Closed(7, reason)]

    run(test)


def test_a_reset_and_an_end_of_stream_are_told() -> None:
    def reset(bench: Bench) -> None:
        bench.connection.connection_lost(ConnectionResetError("by peer"))
        assert bench.hub.events == [Closed(7, "reset: by peer")]

    def end(bench: Bench) -> None:
        assert not bench.connection.eof_received()
        assert bench.hub.events == [Closed(7, "end of stream")]

    run(reset)
    run(end)
