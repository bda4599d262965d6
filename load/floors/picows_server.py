"""The reference: a bare picows server on uvloop. It asks executor_info, keeps a registry, matches answers by id.

No liveness, no audit, no metrics, no management API, no checks of what comes in: what a relay adds is its price.
"""

from __future__ import annotations

import asyncio
import itertools
import json
from typing import Any

import msgspec
import uvloop
from picows import WSFrame, WSListener, WSMsgType, WSTransport, WSUpgradeRequest, ws_create_server

from load.floors.control import REQUEST_FIELDS, Control, arguments

READ_BUFFER_BYTES = 2048  # the default of 16 KiB would make the reference cost twice the memory


class Answer(msgspec.Struct):
    type: str
    request_id: str
    executor_id: str = ""
    output: msgspec.Raw = msgspec.Raw()


class Record(msgspec.Struct):
    executor_id: str
    transport: WSTransport


class Bare:
    """All state of the server: who is there, and who waits for which answer."""

    def __init__(self) -> None:
        self.loop = asyncio.get_running_loop()
        self.executors: dict[str, Record] = {}
        self.order: list[Record] = []
        self.waiting: dict[str, asyncio.Future[Answer]] = {}
        self.numbers = itertools.count(1)
        self.encode = msgspec.json.Encoder().encode
        self.decode = msgspec.json.Decoder(Answer).decode

    def registered(self) -> int:
        return len(self.executors)

    async def ask(self, worker: int) -> bool:
        record = self.order[worker % len(self.order)]
        answer = await self.request(record.transport, "list_workflows", REQUEST_FIELDS)
        return answer.type == "list_workflows"

    def request(self, transport: WSTransport, type_: str, fields: dict[str, Any]) -> asyncio.Future[Answer]:
        request_id = f"bare-{next(self.numbers)}"
        future = self.waiting[request_id] = self.loop.create_future()
        transport.send(WSMsgType.TEXT, self.encode({"type": type_, "request_id": request_id, **fields}))
        return future


class Executor(WSListener):
    def __init__(self, server: Bare) -> None:
        self.server = server

    def on_ws_connected(self, transport: WSTransport) -> None:
        self.server.request(transport, "executor_info", {})
        self.transport = transport

    def on_ws_frame(self, transport: WSTransport, frame: WSFrame) -> None:
        if frame.msg_type is WSMsgType.TEXT:
            answer = self.server.decode(frame.get_payload_as_memoryview())
            future = self.server.waiting.pop(answer.request_id)
            if answer.type == "executor_info":
                record = Record(answer.executor_id, transport)
                self.server.executors[record.executor_id] = record
                self.server.order.append(record)
            else:
                future.set_result(answer)


async def main() -> None:
    bare = Bare()

    def listener(request: WSUpgradeRequest) -> WSListener:
        return Executor(bare)

    server = await ws_create_server(listener, "127.0.0.1", 0, read_buffer_init_size=READ_BUFFER_BYTES, backlog=1024)
    print(json.dumps({"event": "ready", "port": server.sockets[0].getsockname()[1]}), flush=True)
    await Control(bare).serve()


if __name__ == "__main__":
    arguments("A bare picows server, for the benchmark.")
    uvloop.run(main())
