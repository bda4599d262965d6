"""100,000 damaged frames: each decodes or raises an error of the package's tree, and the judge of forms never does."""

from __future__ import annotations

import json
import random
from collections import Counter

from conductor import codec
from conductor.errors import DecodeError
from conductor.messages import RecoveryResponse
from conductor.sendable import violations
from tests.conductor.protocol_facts import (
    MESSAGES,
    TRANSCRIPTS,
    full_request_fields,
    full_response,
    recorded,
    request_frame,
)

FRAMES = 100_000
SEED = 20_260
LONGEST_SEED_BYTES = 1_500
SNIPPETS = [
    b"null",
    b"[]",
    b"{}",
    b'""',
    b"-1",
    b"1e999",
    b"NaN",
    b"9" * 400,
    b"[" * 60_000,
    b'{"a":' * 3_000,
    b"\\ud800",
    b"\xed\xa0\x80",
    b"\xff",
    b"\x00",
    b'"type":"cancel",',
    b'"request_id":1,',
    b'"body":null,',
    b"\xef\xbb\xbf",
]


def seeds() -> list[bytes]:
    frames = [json.dumps(line["json"]).encode() for path in TRANSCRIPTS for line in recorded(path) if "json" in line]
    frames += [json.dumps(request_frame(kind, full_request_fields(kind))).encode() for kind in MESSAGES]
    frames += [json.dumps(full_response(kind)).encode() for kind in MESSAGES]
    return [frame for frame in dict.fromkeys(frames) if len(frame) <= LONGEST_SEED_BYTES]


def mutated(frame: bytes, others: list[bytes], chance: random.Random) -> bytes:
    """One to three cuts, flips, copies, splices or insertions."""
    data = bytearray(frame)
    for _ in range(chance.randint(1, 3)):
        at = chance.randrange(len(data) + 1)
        match chance.randrange(6):
            case 0:
                data[at : at + 1] = bytes([chance.randrange(256)])
            case 1:
                del data[at : at + chance.randint(1, 20)]
            case 2:
                data[at:at] = chance.choice(SNIPPETS)
            case 3:
                data[at:at] = data[at : at + chance.randint(1, 40)]
            case 4:
                other = chance.choice(others)
                data[at:] = other[chance.randrange(len(other)) :]
            case _:
                digit = data.find(b'"', at)
                data[digit : digit + 1] = chance.choice([b"1", b"\\", b"{", b"'"])
    return bytes(data)


def test_no_mutated_frame_finds_another_exception() -> None:
    chance = random.Random(SEED)
    originals = seeds()
    outcomes: Counter[str] = Counter()
    for number in range(FRAMES):
        frame = mutated(chance.choice(originals), originals, chance)
        for name, decode in (
            ("envelope", codec.decode_envelope),
            ("request", codec.decode_request),
            ("response", codec.decode_response),
        ):
            try:
                decode(frame)
                outcomes[f"{name} decoded"] += 1
            except DecodeError as error:
                outcomes[type(error).__name__] += 1
        if number % 4 == 0:
            violations("text", frame)
            try:
                codec.decode_response_as(frame, RecoveryResponse)
            except DecodeError as error:
                outcomes[type(error).__name__] += 1
    # The search is worth its name only when it reaches every kind of outcome.
    reached = {name for name, count in outcomes.items() if count >= 20}
    assert reached == {
        "envelope decoded",
        "request decoded",
        "response decoded",
        "MalformedJson",
        "InvalidUtf8",
        "FrameTooDeep",
        "NotAnObject",
        "InvalidField",
        "UnknownType",
        "UnexpectedType",
    }, outcomes
