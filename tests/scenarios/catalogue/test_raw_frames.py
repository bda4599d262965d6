"""Frames by hand are frames: the library's own parser reads them as they are meant."""

from __future__ import annotations

import pytest
from websockets.exceptions import PayloadTooBig, ProtocolError
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, Side

from scenarios.catalogue.envelope.raw_frames import BINARY, CONTINUATION, PING, TEXT, fragments, frame, header
from scenarios.catalogue.message.records import epoch_ms


def received(data: bytes, max_size: int = 1 << 20) -> Protocol:
    """A server's side of a connection after these bytes."""
    protocol = Protocol(Side.SERVER, max_size=max_size)
    protocol.receive_data(data)
    return protocol


def frames_of(protocol: Protocol) -> list[Frame]:
    """What it read; after the upgrade there is nothing but frames."""
    return [event for event in protocol.events_received() if isinstance(event, Frame)]


@pytest.mark.parametrize("length", [0, 1, 125, 126, 65535, 65536])
def test_a_frame_of_any_length_is_read_whole(length: int) -> None:
    (event,) = frames_of(received(frame(BINARY, b"x" * length)))
    assert (event.opcode, event.data, event.fin) == (Opcode.BINARY, b"x" * length, True)


def test_fragments_make_one_message_with_control_frames_between() -> None:
    events = frames_of(received(fragments("äbcdef".encode(), 3, frame(PING, b"p"))))
    assert [event.opcode for event in events] == [Opcode.TEXT, Opcode.PING, Opcode.CONT, Opcode.PING, Opcode.CONT]
    assert b"".join(event.data for event in events if event.opcode is not Opcode.PING) == "äbcdef".encode()
    assert [event.fin for event in events if event.opcode is not Opcode.PING] == [False, False, True]


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (frame(TEXT, b"{}", masked=False), ProtocolError),
        (frame(TEXT, b"{}", rsv=0b100), ProtocolError),
        (frame(CONTINUATION, b"{}"), ProtocolError),
        (frame(PING, b"x" * 126), ProtocolError),
        (header(TEXT, 1 << 40), PayloadTooBig),
    ],
)
def test_an_illegal_frame_is_illegal_for_the_reason_meant(data: bytes, error: type[Exception]) -> None:
    assert isinstance(received(data).parser_exc, error)


@pytest.mark.parametrize(
    ("text", "milliseconds"),
    [
        ("2023-11-14T22:13:20.123Z", 1700000000123),
        ("2023-11-15T00:13:20.123+02:00", 1700000000123),
        ("2023-11-14T22:13:20.123", None),
        ("yesterday", None),
        (1700000000123, None),
        (None, None),
    ],
)
def test_times_are_read_as_moments(text: object, milliseconds: int | None) -> None:
    assert epoch_ms(text) == milliseconds
