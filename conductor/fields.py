"""The JSON shape of each request field, read off the message classes so that it stands in one place only."""

from __future__ import annotations

from functools import cache

import msgspec.inspect as inspection
from msgspec import Struct

from conductor.messages import RequestBase

__all__ = ["FieldShape", "body_shape", "shapes"]

_INT64_MIN, _INT64_MAX = -(2**63), 2**63 - 1


class FieldShape(Struct, frozen=True):
    """One request field: its name on the wire, the JSON types that it takes besides null, and its duties."""

    name: str
    kinds: frozenset[str]
    nullable: bool
    required: bool
    is_time: bool

    def accepts(self, value: object) -> bool:
        """Whether a decoded JSON value has a type that the field takes. Arrays hold strings; maps of text hold text."""
        match value:
            case None:
                return self.nullable
            case bool():
                return "boolean" in self.kinds
            case int():
                return "integer" in self.kinds and _INT64_MIN <= value <= _INT64_MAX
            case str():
                return "string" in self.kinds
            case list():
                return "array" in self.kinds and all(isinstance(item, str) for item in value)
            case dict():
                is_text_map = all(isinstance(item, str) for item in value.values())
                return "object" in self.kinds or ("text-map" in self.kinds and is_text_map)
            case _:
                return False


@cache
def shapes(request_class: type[RequestBase]) -> tuple[FieldShape, ...]:
    """The fields of a flat request, request_id apart."""
    return tuple(_shape(field) for field in _struct(request_class).fields if field.name != "request_id")


@cache
def body_shape(request_class: type[RequestBase]) -> tuple[FieldShape, ...]:
    """The fields inside the body of a request that has one."""
    body = next(field.type for field in _struct(request_class).fields if field.name == "body")
    assert isinstance(body, inspection.StructType), request_class
    return tuple(_shape(field) for field in body.fields)


def _struct(request_class: type[RequestBase]) -> inspection.StructType:
    info = inspection.type_info(request_class)
    assert isinstance(info, inspection.StructType), request_class
    return info


def _shape(field: inspection.Field) -> FieldShape:
    options = field.type.types if isinstance(field.type, inspection.UnionType) else (field.type,)
    kinds = [_kind(option) for option in options]
    return FieldShape(
        name=field.encode_name,
        kinds=frozenset(kind for kind in kinds if kind != "null"),
        nullable="null" in kinds,
        required=field.required,
        is_time=any(isinstance(option, inspection.Metadata) for option in options),
    )


def _kind(option: inspection.Type) -> str:
    match option:
        case inspection.Metadata():
            return _kind(option.type)
        case inspection.StrType():
            return "string"
        case inspection.BoolType():
            return "boolean"
        case inspection.IntType():
            return "integer"
        case inspection.NoneType():
            return "null"
        case inspection.VarTupleType(item_type=inspection.StrType()):
            return "array"
        case _:
            assert isinstance(option, inspection.DictType), f"no request field has this type: {option!r}"
            return "text-map" if isinstance(option.value_type, inspection.StrType) else "object"
