"""The engine's multiplexed stream, without an engine."""

from __future__ import annotations

import asyncio
import socket
import struct
from pathlib import Path

from chaos.docker.streams import attach


def frame(stream: int, content: bytes) -> bytes:
    return struct.pack(">BxxxI", stream, len(content)) + content


async def test_reports_and_log_are_told_apart_and_the_log_has_no_key(tmp_path: Path) -> None:
    ours, engines = socket.socketpair()
    ours.setblocking(False)
    log = tmp_path / "e1.log"
    streams = await attach(ours, log, "dbos_proof_0123")
    sent = frame(1, b'{"event":') + frame(2, b"dialling /websocket/app/dbos_pro") + frame(1, b'"ready"}\n')
    sent += frame(2, b"of_0123\nthe end: dbos_proof_0123")
    engines.sendall(sent[:21])  # in the middle of a frame
    await asyncio.sleep(0)
    engines.sendall(sent[21:])
    assert await streams.reports.readline() == b'{"event":"ready"}\n'
    streams.commands.write(b"stop\n")
    await streams.commands.drain()
    assert await asyncio.to_thread(engines.recv, 100) == b"stop\n"
    engines.close()
    assert await streams.reports.read() == b""
    await streams.pump
    assert log.read_text() == "dialling /websocket/app/<key:executors>\nthe end: <key:executors>"
    streams.commands.close()


async def test_a_stream_that_breaks_in_a_frame_ends_the_reports(tmp_path: Path) -> None:
    ours, engines = socket.socketpair()
    ours.setblocking(False)
    streams = await attach(ours, tmp_path / "e1.log", "")
    engines.sendall(frame(1, b"whole\n") + frame(1, b"cut short")[:12])
    engines.close()
    assert await streams.reports.read() == b"whole\n"
    await streams.pump
    streams.commands.close()
