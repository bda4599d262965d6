"""A relay in miniature, for tests of the wire world only: one file, no storage, and faults on request.

    python mini_relay.py --port N [--fault never-pings|early-death|no-recovery|keeps-socket]

Its timing is short and fixed (`TIMING`). It knows no keys: every token and every application will do.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import time
from dataclasses import dataclass, field
from typing import Any

from websockets.frames import Frame, Opcode
from websockets.http11 import Request
from websockets.server import ServerProtocol

PING_S, WAIT_S, SCAN_S = 0.2, 0.6, 0.05
TIMING = """\
[timing]
ping_interval_s = 0.2
ping_wait_s = 0.6
scan_s = 0.05
slack_s = 0.15
request_deadline_s = 1
recovery_deadline_s = 1
backoff_first_s = 0.1
backoff_cap_s = 0.5
redial_s = 0.05
"""


@dataclass
class Member:
    info: dict[str, Any]
    app: str
    writer: asyncio.StreamWriter
    protocol: ServerProtocol
    status: str = "HEALTHY"
    since: float = field(default_factory=time.monotonic)
    heard: float = field(default_factory=time.monotonic)

    def send(self, message: dict[str, Any]) -> None:
        self.protocol.send_text(json.dumps(message).encode())
        self.flush()

    def flush(self) -> None:
        for data in self.protocol.data_to_send():
            if data:
                self.writer.write(data)
            else:
                self.writer.close()


class MiniRelay:
    def __init__(self, fault: str = "") -> None:
        self.fault = fault
        self.members: dict[tuple[str, str], Member] = {}
        self.grace_s: dict[str, float] = {}
        self.recovering: dict[str, str] = {}  # request_id -> dead executor

    async def serve(self, port: int) -> asyncio.Server:
        self.scanner = asyncio.create_task(self.scan())
        return await asyncio.start_server(self.connected, "127.0.0.1", port)

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                if b"upgrade: websocket" in head.lower():
                    await self.websocket(head, reader, writer)
                    return
                await self.http(head, reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            return
        finally:
            writer.close()

    async def http(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        method, path = head.split(b" ")[:2]
        length = re.search(rb"content-length: (\d+)", head.lower())
        body = await reader.readexactly(int(length[1])) if length else b""
        app = path.decode().partition("/apps/")[2].partition("/")[0]
        status, answer = 204, b""
        if path.endswith(b"/executors"):
            rows = [
                {"executorId": id, "status": member.status, "appVersion": member.info.get("application_version", "")}
                for (owner, id), member in self.members.items()
                if owner == app
            ]
            status, answer = 200, json.dumps(rows).encode()
        elif method == b"PATCH":
            self.grace_s[app] = json.loads(body)["executorTimeoutSecs"]
        elif method in (b"GET", b"POST") and path != b"/healthz":
            status = 404
        writer.write(
            b"HTTP/1.1 %d x\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s"
            % (status, len(answer), answer)
        )

    async def websocket(self, head: bytes, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        protocol = ServerProtocol()
        protocol.receive_data(head)
        (request,) = protocol.events_received()
        assert isinstance(request, Request)
        refused = request.path.endswith("/bad-key")
        protocol.send_response(protocol.reject(401, "no") if refused else protocol.accept(request))
        app = request.path.split("/")[-2]
        member = Member({}, app, writer, protocol)
        member.flush()
        if refused:
            return
        member.send({"type": "executor_info", "request_id": "info-1"})
        pinger = asyncio.create_task(self.ping(member))
        message = b""
        try:
            while data := await reader.read(65536):
                protocol.receive_data(data)
                member.heard = time.monotonic()
                for event in protocol.events_received():
                    if isinstance(event, Frame) and event.opcode in (Opcode.TEXT, Opcode.CONT):
                        message += bytes(event.data)
                        if event.fin:
                            self.answered(member, json.loads(message))
                            message = b""
                member.flush()
        except ConnectionError:
            pass
        finally:
            pinger.cancel()
            if self.members.get((app, member.info.get("executor_id", ""))) is member:
                member.status, member.since = "DISCONNECTED", time.monotonic()
            member.writer.transport.abort()

    async def ping(self, member: Member) -> None:
        while self.fault != "never-pings":
            member.protocol.send_ping(b"")
            member.flush()
            await asyncio.sleep(PING_S)

    def answered(self, member: Member, answer: dict[str, Any]) -> None:
        if answer["type"] == "executor_info":
            member.info = answer
            self.members[member.app, answer["executor_id"]] = member
        elif answer["type"] == "recovery" and answer.get("success"):
            self.members.pop((member.app, self.recovering.pop(answer["request_id"], "")), None)

    async def scan(self) -> None:
        while True:
            await asyncio.sleep(SCAN_S)
            now = time.monotonic()
            for (app, id), member in list(self.members.items()):
                grace_s = 0.3 if self.fault == "early-death" else self.grace_s.get(app, 60.0)
                if member.status == "HEALTHY" and now - member.heard > WAIT_S:
                    member.status, member.since = "DISCONNECTED", now
                    if self.fault != "keeps-socket":
                        member.writer.transport.abort()
                elif member.status == "DISCONNECTED" and now - member.since > grace_s:
                    member.status = "DEAD"
                    self.recover(app, id)

    def recover(self, app: str, dead: str) -> None:
        for (other_app, id), peer in self.members.items():
            if self.fault != "no-recovery" and other_app == app and id != dead and peer.status == "HEALTHY":
                self.recovering[f"recovery-{dead}"] = dead
                peer.send({"type": "recovery", "request_id": f"recovery-{dead}", "executor_ids": [dead]})
                return


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--fault", default="")
    options = parser.parse_args()
    server = await MiniRelay(options.fault).serve(options.port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(main())
