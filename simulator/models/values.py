"""Values of messages, drawn by their types: what a field may hold is read off the message classes of `conductor`.

They are those that are easily taken for others: null and absent, empty and zero, several elements, mixed case, slashes,
quotes and letters beyond ASCII, long texts, whole numbers that no double holds, fractions.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any

import msgspec.inspect as inspection
from msgspec import Struct

Fields = dict[str, Any]
Drawer = Callable[[Random, str], Any]
"""Of a random source and a mark: a short text of one's own, which texts are made around."""

_AROUND = (
    ("", ""), ("", ""), ("", "/b c/"), ("Über-", "_Æ"), ('"', "\" #'%2F"), ("A.", ".z\n"), ("\U0001f5c4 ", ""),
    ("", "x" * 300),
)  # fmt: skip
_PLAIN = ("", "0", "null", "false", " ", "PENDING", '{"k": [1, null]}', '"import_workflow"')
_WHOLE = (0, 1, 2, 7, 150, 86_400_000, 1_700_000_000_123, 2**53 + 1, 2**63 - 1)
_FRACTIONS = (0.0, 0.25, 1.5, 59.999, 1e-9, 123_456_789.125)
_TIMES = ("2026-01-02T03:04:05.678+00:00", "1970-01-01T00:00:00.000+00:00", "2024-02-29T23:59:59.999+00:00")
_ANYTHING: tuple[object, ...] = (
    None,
    True,
    False,
    0,
    2**53 + 1,
    1.5,
    "",
    "text",
    [],
    [1, "b", None],
    {},
    {"k": {"n": None}},
)


def text(random: Random, mark: str) -> str:
    """Around the mark."""
    before, after = _AROUND[int(random.random() * len(_AROUND))]
    return f"{before}{mark}{after}"


def texts(random: Random, mark: str) -> list[str]:
    """One to three, all different."""
    return [text(random, f"{mark}{at}") for at in "abc"[: 1 + int(random.random() * 2.5)]]


@cache
def request_drawer(struct: type[Struct]) -> Drawer:
    """Draws the fields of a request but its id. Arrays are not empty, and no text of its own accord is without a mark:
    requests must differ from one another."""
    return _struct(struct, _in_request)


@cache
def answer_drawer(struct: type[Struct]) -> Drawer:
    """Draws what a response says besides type, request_id and error_message: seldom nothing at all."""
    fields = [(each.encode_name, _in_answer(each.type)) for each in _fields(struct)]

    def answer(random: Random, mark: str) -> Fields:
        return {name: draw(random, mark) for name, draw in fields if random.random() < 0.9}

    return answer


def _fields(struct: type[Struct]) -> list[inspection.Field]:
    info = inspection.type_info(struct)
    assert isinstance(info, inspection.StructType), struct
    return [each for each in info.fields if each.name not in ("request_id", "error_message")]


def _struct(struct: type[Struct], drawer: Callable[[inspection.Type], Drawer]) -> Drawer:
    """Required fields always; of the others none, some, or all."""
    fields = _fields(struct)
    always = [(each.encode_name, drawer(each.type)) for each in fields if each.required]
    perhaps = [(each.encode_name, drawer(each.type)) for each in fields if not each.required]
    if not perhaps:
        return lambda random, mark: {name: draw(random, mark) for name, draw in always}
    count = len(perhaps)

    def record(random: Random, mark: str) -> Fields:
        drawn = {name: draw(random, mark) for name, draw in always}
        chosen = random.getrandbits(count)
        if count > 3:
            chosen &= random.getrandbits(count)  # a quarter of them: long lists of fields are rarely full
        for at, (name, draw) in enumerate(perhaps):
            if chosen >> at & 1:
                drawn[name] = draw(random, mark)
        return drawn

    return record


def _in_request(kind: inspection.Type) -> Drawer:
    match kind:
        case inspection.StrType():
            return text
        case inspection.VarTupleType():
            return texts
        case inspection.DictType(value_type=inspection.StrType()):
            return lambda random, mark: {name: text(random, mark) for name in texts(random, mark)}
        case _:
            return _common(kind, _in_request)


def _in_answer(kind: inspection.Type) -> Drawer:
    match kind:
        case inspection.StrType():
            return _any_text
        case inspection.VarTupleType(item_type=item):
            draw = _in_answer(item)
            return lambda random, mark: [draw(random, mark) for _ in range(int(random.random() * 3.5))]
        case _:
            return _common(kind, _in_answer)


def _common(kind: inspection.Type, within: Callable[[inspection.Type], Drawer]) -> Drawer:
    match kind:
        case inspection.BoolType():
            return lambda random, mark: random.random() < 0.5
        case inspection.IntType():
            return _one_of(_WHOLE)
        case inspection.FloatType():
            return _one_of(_FRACTIONS)
        case inspection.NoneType():
            return lambda random, mark: None
        case inspection.AnyType():
            return _one_of(_ANYTHING)
        case inspection.Metadata():  # times alone have one
            return _one_of(_TIMES)
        case inspection.DictType(value_type=value):
            draw = within(value)
            return lambda random, mark: {
                name: draw(random, mark) for name in ("status", "name", "k")[: int(random.random() * 4)]
            }
        case inspection.UnionType(types=types):
            options = tuple(within(each) for each in types if not isinstance(each, inspection.NoneType))
            absent = 0.2 if len(options) < len(types) else 0.0
            if len(options) == 1:
                return lambda random, mark: None if random.random() < absent else options[0](random, mark)
            return lambda random, mark: None if random.random() < absent else random.choice(options)(random, mark)
        case inspection.StructType(cls=struct):
            return _struct(struct, within)
        case _:
            raise AssertionError(f"no field of a message has this type: {kind!r}")


def _one_of(values: tuple[object, ...]) -> Drawer:
    count = len(values)
    return lambda random, mark: values[int(random.random() * count)]  # Random.choice costs three times as much


def _any_text(random: Random, mark: str) -> str:
    number = int(random.random() * 2.5 * len(_PLAIN))
    return _PLAIN[number] if number < len(_PLAIN) else text(random, mark)
