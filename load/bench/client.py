"""Many executors in one cheap process: frames by hand on raw uvloop protocols, so that the server is what is measured.

They answer executor_info, list_workflows (about 300 bytes) and pings. Frames go out masked, as RFC 6455 demands, with a
key of zero. Commands come in as JSON lines: ``{"connect": 100}``, ``{"counts": null}``.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import json
import os
import sys
from collections import Counter
from typing import Any

import uvloop

TEXT, CLOSE, PING, PONG = 1, 8, 9, 10
ID_MARK = b'"request_id":"'
OUTPUT = (
    b'","output":[{"WorkflowUUID":"5b7f4c7e-5a0e-4f0e-9d1f-4a9f3d6f1c11","Status":"PENDING","WorkflowName":"place_order",'
    b'"CreatedAt":"1750000000000","UpdatedAt":"1750000000123","QueueName":null,"ApplicationVersion":"9f86d081884c7d65",'
    b'"ExecutorID":"executor-000000"}]}'
)


def masked(opcode: int, payload: bytes) -> bytes:
    """One whole client frame of at most 65,535 bytes."""
    size = len(payload)
    length = bytes((0x80 | size,)) if size < 126 else bytes((0x80 | 126, size >> 8, size & 0xFF))
    return bytes((0x80 | opcode,)) + length + b"\0\0\0\0" + payload


class Fleet:
    """All executors of the process, and what they have seen."""

    def __init__(self, port: int, path: str, in_flight: int) -> None:
        self.upgrade = (
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n"
        ).encode()
        self.counts: Counter[str] = Counter()
        self._port = port
        self._free = asyncio.Semaphore(in_flight)
        self._numbers = itertools.count()
        self._members: list[Executor] = []

    async def connect(self, executors: int) -> None:
        """Until each has answered executor_info, at most ``in_flight`` on their way at a time."""
        await asyncio.gather(*(self._connect() for _ in range(executors)))

    async def _connect(self) -> None:
        loop = asyncio.get_running_loop()
        async with self._free:
            executor = Executor(self, next(self._numbers), loop.create_future())
            await loop.create_connection(lambda: executor, "127.0.0.1", self._port)
            await executor.introduced
        self._members.append(executor)


class Executor(asyncio.Protocol):
    __slots__ = ("_fleet", "_number", "_rest", "_transport", "_upgraded", "introduced")

    def __init__(self, fleet: Fleet, number: int, introduced: asyncio.Future[None]) -> None:
        self.introduced = introduced
        self._fleet = fleet
        self._number = number
        self._rest = b""
        self._upgraded = False

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        self._transport = transport
        transport.write(self._fleet.upgrade)

    def data_received(self, data: bytes) -> None:
        if self._rest:
            data = self._rest + data
        if not self._upgraded:
            head, blank, data = data.partition(b"\r\n\r\n")
            if not blank:
                self._rest = head
                return
            if b" 101 " not in head[:16]:
                raise ConnectionError(f"the upgrade was refused: {head[:80]!r}")
            self._upgraded = True
        self._rest = self._frames(data)

    def _frames(self, data: bytes) -> bytes:
        """Handle whole frames; returns what is left."""
        at, size = 0, len(data)
        while size - at >= 2:
            length, start = data[at + 1], at + 2
            if length >= 126:
                wide = 2 if length == 126 else 8
                length = int.from_bytes(data[start : start + wide], "big")
                start += wide
            end = start + length
            if end > size:
                break
            self._frame(data[at] & 0x0F, data[start:end])
            at = end
        return data[at:]

    def _frame(self, opcode: int, payload: bytes) -> None:
        counts = self._fleet.counts
        if opcode == TEXT:
            counts["text"] += 1
            start = payload.index(ID_MARK) + len(ID_MARK)
            request_id = payload[start : payload.index(b'"', start)]
            if b'"list_workflows"' in payload:
                answer = b'{"type":"list_workflows","request_id":"' + request_id + OUTPUT
                self._transport.write(masked(TEXT, answer))
            elif b'"executor_info"' in payload:
                self._introduce(request_id)
        elif opcode == PING:
            counts["ping"] += 1
            self._transport.write(masked(PONG, payload))
        elif opcode == CLOSE:
            counts["close"] += 1

    def _introduce(self, request_id: bytes) -> None:
        info = {
            "type": "executor_info",
            "request_id": request_id.decode(),
            "executor_id": f"executor-{self._number:06}",
            "application_version": "9f86d081884c7d65",
            "hostname": "bench",
            "language": "python",
            "dbos_version": "2.31.1",
            "executor_metadata": None,
        }
        self._transport.write(masked(TEXT, json.dumps(info).encode()))
        self.introduced.set_result(None)

    def connection_lost(self, exc: Exception | None) -> None:
        self._fleet.counts["lost"] += 1
        if not self.introduced.done():
            self.introduced.set_exception(ConnectionError("the server ended the connection before the handshake"))


def give_up(loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
    """A failure in a callback: a client that goes on would measure something else."""
    print(f"{context['message']}: {context.get('exception')}", file=sys.stderr, flush=True)
    os._exit(1)


async def main(port: int, path: str, in_flight: int) -> None:
    fleet = Fleet(port, path, in_flight)
    lines = asyncio.StreamReader()
    loop = asyncio.get_running_loop()
    loop.set_exception_handler(give_up)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(lines), sys.stdin)
    while line := await lines.readline():
        command = json.loads(line)
        if "connect" in command:
            await fleet.connect(command["connect"])
        print(json.dumps(fleet.counts), flush=True)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Executors for the benchmark.")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--path", required=True)
    parser.add_argument("--in-flight", type=int, default=64)
    parser.add_argument("--cpu", type=int)
    given = parser.parse_args()
    if given.cpu is not None:
        os.sched_setaffinity(0, {given.cpu})
    uvloop.run(main(given.port, given.path, given.in_flight))
