"""Cutting a byte stream into WebSocket frames (RFC 6455) without answering any: for looking on from outside.

A protocol library would answer pings and closes by itself. A tap must not: the pong has to be the executor's own.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass

from chaos.errors import NotAWebSocket

__all__ = ["Cut", "Cutter", "close_code", "masked_text_frame", "text_frame"]

CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
NAMES = {TEXT: "text", BINARY: "binary", CLOSE: "close", PING: "ping", PONG: "pong"}


@dataclass(frozen=True, slots=True)
class Cut:
    """One frame: its bytes as they came, and what they say. ``payload`` is unmasked."""

    raw: bytes
    opcode: int
    final: bool
    payload: bytes


class Cutter:
    """Feed bytes in any portions, get whole frames. One for each direction of a connection."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, data: bytes) -> Iterator[Cut]:
        """Raises `NotAWebSocket` for a reserved opcode."""
        self._rest += data
        while (cut := self._next()) is not None:
            del self._rest[: len(cut.raw)]
            yield cut

    def _next(self) -> Cut | None:
        rest = self._rest
        if len(rest) < 2:
            return None
        opcode, masked, length, at = rest[0] & 0x0F, bool(rest[1] & 0x80), rest[1] & 0x7F, 2
        if opcode not in NAMES and opcode != CONTINUATION:
            raise NotAWebSocket(f"opcode {opcode:#x} is none of RFC 6455; was an extension negotiated?")
        wide = {126: 2, 127: 8}.get(length, 0)
        if len(rest) < at + wide + 4 * masked:
            return None
        if wide:
            length = int.from_bytes(rest[at : at + wide], "big")
            at += wide
        mask = bytes(rest[at : at + 4]) if masked else b""
        at += len(mask)
        if len(rest) < at + length:
            return None
        payload = bytes(rest[at : at + length])
        return Cut(bytes(rest[: at + length]), opcode, bool(rest[0] & 0x80), _unmask(payload, mask))


def _unmask(payload: bytes, mask: bytes) -> bytes:
    if not mask or not payload:
        return payload
    key = (mask * (len(payload) // 4 + 1))[: len(payload)]
    return (int.from_bytes(payload, "big") ^ int.from_bytes(key, "big")).to_bytes(len(payload), "big")


def text_frame(payload: bytes) -> bytes:
    """An unmasked text frame, as a server sends it."""
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 1 << 16:
        return b"\x81\x7e" + struct.pack(">H", size) + payload
    return b"\x81\x7f" + struct.pack(">Q", size) + payload


def masked_text_frame(payload: bytes) -> bytes:
    """A text frame as a client sends it. The mask is all zeros: it hides nothing from anybody here."""
    bare = text_frame(payload)
    head = len(bare) - len(payload)
    return bare[:1] + bytes((bare[1] | 0x80,)) + bare[2:head] + bytes(4) + payload


def close_code(payload: bytes) -> int | None:
    """The code in a close frame's payload; None: it has none."""
    return int.from_bytes(payload[:2], "big") if len(payload) >= 2 else None
