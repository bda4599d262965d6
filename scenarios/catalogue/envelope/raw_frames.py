"""WebSocket frames by hand (RFC 6455), for what no library would send. All masked with zeros, as clients may."""

from __future__ import annotations

import struct

TEXT, CONTINUATION, BINARY, CLOSE, PING, PONG = 0x1, 0x0, 0x2, 0x8, 0x9, 0xA
_NO_MASK = b"\0\0\0\0"  # masking with zeros changes nothing, so that large payloads cost nothing here


def header(opcode: int, length: int, *, fin: bool = True, rsv: int = 0, masked: bool = True) -> bytes:
    """The header of one frame that announces ``length`` bytes of payload, mask key included."""
    first = (0x80 if fin else 0) | rsv << 4 | opcode
    mask_bit = 0x80 if masked else 0
    if length < 126:
        sized = struct.pack("!BB", first, mask_bit | length)
    elif length < 1 << 16:
        sized = struct.pack("!BBH", first, mask_bit | 126, length)
    else:
        sized = struct.pack("!BBQ", first, mask_bit | 127, length)
    return sized + (_NO_MASK if masked else b"")


def frame(opcode: int, payload: bytes, *, fin: bool = True, rsv: int = 0, masked: bool = True) -> bytes:
    """One whole frame."""
    return header(opcode, len(payload), fin=fin, rsv=rsv, masked=masked) + payload


def fragments(payload: bytes, size: int, between: bytes = b"") -> bytes:
    """One text message in fragments of ``size`` bytes, with the bytes of ``between`` after each but the last."""
    parts = [payload[start : start + size] for start in range(0, len(payload), size)]
    return between.join(
        frame(TEXT if number == 0 else CONTINUATION, part, fin=number == len(parts) - 1)
        for number, part in enumerate(parts)
    )
