"""The rows: those of messages and their optional fields from the catalogue of messages, the others from facts.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from conductor.catalogue import CATALOGUE
from sdk_matrix.matrix.model import GROUPS, Row
from sdk_matrix.matrix.optional import FILTERS, OPTIONAL

__all__ = ["rows"]


class _Facts(msgspec.Struct, frozen=True):
    row: tuple[Row, ...]


@cache
def rows() -> tuple[Row, ...]:
    """Every row, in the order of the groups."""
    told = msgspec.convert(tomllib.loads(files(__package__).joinpath("facts.toml").read_text()), _Facts)
    made = sorted((*_message_rows(), *told.row, *_variant_rows()), key=lambda row: GROUPS.index(row.group))
    return tuple(made)


def _message_rows() -> list[Row]:
    made = []
    for kind, spec in CATALOGUE.items():
        place = f"message {spec.number} of 32" if spec.number is not None else "outside the documented 32"
        made.append(
            Row(
                id=f"messages/{kind}",
                title=kind,
                documented=f"{place}; group {spec.group}",
                clauses=(f"MSG-{kind}",),
                expects="answered" if spec.number is not None else "",
                never=f"Send {kind} to no SDK that does not know it." if spec.number is None else "",
                harm=("unknown type",),
            )
        )
    return made


def _variant_rows() -> list[Row]:
    made = [
        Row(
            id=f"variants/filter_{way}_{name}",
            title=f"list_workflows with {name} as {'a text' if way == 'scalar' else 'an array'}",
            documented="not said",
        )
        for name in FILTERS
        for way in ("scalar", "array")
    ]
    for kind in OPTIONAL:
        for way, text in (("absent", "without its optional fields"), ("null", "with its optional fields null")):
            made.append(
                Row(
                    id=f"variants/optional_{way}_{kind}",
                    title=f"{kind} {text}",
                    documented="absent and null mean the same",
                    clauses=("ENV-12", f"MSG-{kind}"),
                )
            )
    return made
