from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from websockets.frames import Frame, Opcode

from chaos.errors import NotAWebSocket
from chaos.frames import Cutter, close_code, text_frame

SIZES = (0, 1, 125, 126, 65535, 65536, 70000)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("mask", [True, False])
def test_a_frame_is_read_whatever_its_length_form(size: int, mask: bool) -> None:
    raw = Frame(Opcode.TEXT, b"a" * size).serialize(mask=mask)
    (cut,) = Cutter().feed(raw)
    assert (cut.raw, cut.payload, cut.final) == (raw, b"a" * size, True)


@pytest.mark.parametrize("size", SIZES)
def test_an_own_frame_is_as_a_server_sends_it(size: int) -> None:
    assert text_frame(b"b" * size) == Frame(Opcode.TEXT, b"b" * size).serialize(mask=False)


@given(
    st.lists(st.tuples(st.sampled_from(list(Opcode)), st.binary(max_size=300), st.booleans()), max_size=6),
    st.integers(1, 50),
)
def test_bytes_come_out_as_they_went_in_however_they_are_cut(
    frames: list[tuple[Opcode, bytes, bool]], portion: int
) -> None:
    stream = b"".join(Frame(op, data).serialize(mask=mask) for op, data, mask in frames)
    cutter = Cutter()
    cuts = [cut for at in range(0, len(stream), portion) for cut in cutter.feed(stream[at : at + portion])]
    assert b"".join(cut.raw for cut in cuts) == stream
    assert [(cut.opcode, cut.payload) for cut in cuts] == [(op, data) for op, data, _ in frames]


def test_a_reserved_opcode_is_no_websocket() -> None:
    with pytest.raises(NotAWebSocket, match="0x3"):
        list(Cutter().feed(b"\x83\x00"))


def test_close_codes() -> None:
    assert close_code(b"\x03\xe8bye") == 1000
    assert close_code(b"") is None
