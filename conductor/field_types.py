"""The types of fields on the wire, shared by messages and records.

Absent and null are different on the wire: an absent field is `UNSET`, a null one `None`. Arrays are tuples, so that
messages are values.
"""

from __future__ import annotations

from typing import Annotated, Any, TypeAlias

from msgspec import Meta, UnsetType

__all__ = [
    "Attributes",
    "Int64",
    "NameFilter",
    "NamesFilter",
    "OptionalFlag",
    "OptionalInt",
    "OptionalNumber",
    "OptionalText",
    "OptionalTime",
    "Switch",
    "Timestamp",
]

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
"""A JSON integer. Go reads it into 64 bits; a larger one gets no reply at all from it."""

Timestamp = Annotated[str, Meta(extra_json_schema={"format": "date-time"})]
"""Text `YYYY-MM-DDTHH:MM:SS.mmm+00:00`, the one form that all four SDKs read (measured)."""

OptionalText: TypeAlias = str | UnsetType | None
OptionalInt: TypeAlias = Int64 | UnsetType | None
OptionalNumber: TypeAlias = Int64 | float | UnsetType | None
OptionalTime: TypeAlias = Timestamp | UnsetType | None
OptionalFlag: TypeAlias = bool | UnsetType | None
Switch: TypeAlias = bool | UnsetType
"""A boolean that may be absent but never null: a null makes at least one SDK fail or match nothing."""

NameFilter: TypeAlias = str | tuple[str, ...] | UnsetType | None
"""A filter that takes one name or several. An empty array is an SQL error in TypeScript, and no filter elsewhere."""

NamesFilter: TypeAlias = tuple[str, ...] | UnsetType | None
"""A filter that takes an array only: Java refuses a bare string here."""

Attributes: TypeAlias = dict[str, Any] | UnsetType | None
