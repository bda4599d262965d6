"""Frames by hand against the protocol library: the same bytes out, the same messages in, and nothing else taken."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode
from websockets.protocol import OPEN
from websockets.server import ServerProtocol

from reference_relay.server.frames import is_utf8, sole_text, text_frame, wire_bytes

EDGES = [0, 1, 125, 126, 127, 65_535, 65_536, 70_000]
LIMIT = 1 << 20


def client_frame(payload: bytes, opcode: Opcode = Opcode.TEXT, *, fin: bool = True) -> bytes:
    return Frame(opcode, payload, fin).serialize(mask=True)


@pytest.mark.parametrize("size", EDGES)
def test_a_text_goes_out_as_the_library_would_send_it(size: int) -> None:
    payload = b"x" * size
    assert text_frame(payload) == Frame(Opcode.TEXT, payload).serialize(mask=False)


@pytest.mark.parametrize("size", EDGES)
def test_one_whole_text_below_64_kib_is_read(size: int) -> None:
    payload = os.urandom(size)
    data = client_frame(payload)
    assert sole_text(data, LIMIT) == (payload if size < 65_536 else None)
    assert sole_text(data, size - 1) is None
    assert sole_text(data[:-1], LIMIT) is None
    assert sole_text(data + b"\x81", LIMIT) is None


@pytest.mark.parametrize("opcode", [op for op in Opcode if op is not Opcode.TEXT])
def test_no_other_frame_is_taken(opcode: Opcode) -> None:
    assert sole_text(client_frame(b"{}", opcode), LIMIT) is None


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x81",
        b"\x81\x02{}",  # not masked
        b"\x81\x02{}\x00\x00\x00\x00",
        client_frame(b"{}", fin=False),
        b"\xc1" + client_frame(b"{}")[1:],  # a reserved bit
        b"\x81\xff" + (2).to_bytes(8, "big") + bytes(4) + b"{}",
        b"\x81\xff\xff\xff\xff\xff\xff\xff\xff\xff\x00\x00\x00\x00",
    ],
    ids=("nothing", "half a header", "not masked", "no mask bit", "first part", "reserved bit", "long form", "huge"),
)
def test_what_is_not_plainly_right_is_left_to_the_library(data: bytes) -> None:
    assert sole_text(data, LIMIT) is None


@given(st.binary(max_size=300))
def test_whatever_is_taken_the_library_reads_alike(data: bytes) -> None:
    for candidate in (data, b"\x81" + data, b"\x81\x85" + data, b"\x81\xfe\x00\x80" + data):
        payload = sole_text(candidate, LIMIT)
        if payload is not None:
            protocol = ServerProtocol(state=OPEN, max_size=LIMIT)
            protocol.receive_data(candidate)
            (frame,) = protocol.events_received()
            assert isinstance(frame, Frame)
            assert (frame.opcode, frame.fin, bytes(frame.data)) == (Opcode.TEXT, True, payload)


@pytest.mark.parametrize("size", EDGES)
def test_the_wire_length_is_the_client_s(size: int) -> None:
    frame = Frame(Opcode.TEXT, bytes(size))
    assert wire_bytes(frame) == len(frame.serialize(mask=True))


@given(st.binary(max_size=40) | st.text(max_size=40).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_utf8_is_what_decodes(data: bytes) -> None:
    try:
        data.decode()
    except UnicodeDecodeError:
        assert not is_utf8(data)
    else:
        assert is_utf8(data)


def test_a_character_may_lie_across_two_chunks() -> None:
    text = ("x" * 65_535 + "é" * 40_000).encode()
    assert is_utf8(text)
    assert not is_utf8(text[:-1])
