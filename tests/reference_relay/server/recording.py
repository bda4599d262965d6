"""A connection between a hub and a transport that record."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

from websockets.datastructures import Headers
from websockets.http11 import Request

from reference_relay.config import Config, Limits
from reference_relay.core.events import Event
from reference_relay.core.records import AppKey
from reference_relay.server.connection import Connection
from reference_relay.server.context import Context
from reference_relay.server.gate import Gate
from reference_relay.server.hub import Hub
from reference_relay.server.logs import RateLimitedLog, Redactor
from tests.reference_relay.server.test_upgrade import UPGRADE


class RecordingHub:
    def __init__(self) -> None:
        self.events: list[Event] = []
        self.watched = 0
        self.forgotten: list[int] = []

    def open(self, peer: object, application: AppKey) -> int:
        return 7

    def feed(self, event: Event) -> None:
        self.events.append(event)

    def watch(self, peer: object) -> None:
        self.watched += 1

    def forget(self, conn: int) -> None:
        self.forgotten.append(conn)


class RecordingTransport:
    """Takes what is written, or with ``stuck`` keeps it all in its buffer."""

    def __init__(self) -> None:
        self.written = bytearray()
        self.waiting = 0
        self.stuck = False
        self.reading = True
        self.did: list[str] = []

    def get_extra_info(self, name: str) -> tuple[str, int]:
        return ("127.0.0.1", 1)

    def set_protocol(self, protocol: object) -> None:
        pass

    def write(self, data: bytes) -> None:
        if self.stuck:
            self.waiting += len(data)
        self.written += data

    def get_write_buffer_size(self) -> int:
        return self.waiting

    def pause_reading(self) -> None:
        self.reading = False

    def resume_reading(self) -> None:
        self.reading = True

    def is_closing(self) -> bool:
        return "abort" in self.did

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.did.append("eof")

    def abort(self) -> None:
        self.did.append("abort")


class Bench:
    def __init__(self, limits: Limits | None = None) -> None:
        self.hub = RecordingHub()
        config = Config(auth="none", limits=limits or Limits())
        context = Context(
            config=config,
            hub=cast(Hub, self.hub),
            gate=Gate(config, (), lambda application: True),
            redactor=Redactor(),
            refused=RateLimitedLog(),
        )
        self.connection = Connection(context)
        self.transport = RecordingTransport()
        request = Request("/websocket/shop/key", Headers(UPGRADE))
        self.served: set[Any] = set()
        self.connection.accept(cast(asyncio.Transport, self.transport), request, self.served)
        assert self.transport.written.startswith(b"HTTP/1.1 101 ")
        self.transport.written.clear()

    def receive(self, data: bytes) -> None:
        self.connection.data_received(data)

    def kinds(self, kind: type[Event]) -> int:
        return sum(isinstance(event, kind) for event in self.hub.events)


def run(test: Callable[[Bench], None], limits: Limits | None = None) -> None:
    async def main() -> None:
        test(Bench(limits))

    asyncio.run(main())
