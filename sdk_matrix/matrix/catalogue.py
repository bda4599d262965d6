"""The rows: message rows from the catalogue of messages, the others from facts.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from conductor.catalogue import CATALOGUE
from sdk_matrix.matrix.model import Row

__all__ = ["rows"]


class _Facts(msgspec.Struct, frozen=True):
    row: tuple[Row, ...]


@cache
def rows() -> tuple[Row, ...]:
    """Every row, in the order of the groups."""
    told = msgspec.convert(tomllib.loads(files(__package__).joinpath("facts.toml").read_text()), _Facts)
    return (*_message_rows(), *told.row)


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
