"""The rows: message rows from the catalogue of messages, the others from facts.toml."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from conductor.catalogue import CATALOGUE
from sdk_matrix.matrix.model import Row

__all__ = ["rows"]

_LANGUAGES = ("python", "typescript", "go", "java")
# Read in the MIT-licensed clients; what is not here is known to all four.
_UNKNOWN = {"restart": ("go",), "rewind_workflow": ("go", "java")}
_MISSING_FIELDS = {
    ("list_queues", "go"): "no partition_ keys", ("get_queue", "go"): "no partition_ keys",
    ("list_queues", "java"): "no application_name, no partition_ keys",
    ("get_queue", "java"): "no application_name, no partition_ keys",
    ("list_workflows", "java"): "no ApplicationName; one more key, Request",
    ("list_queued_workflows", "java"): "no ApplicationName; one more key, Request",
    ("get_workflow", "java"): "no ApplicationName; one more key, Request",
}  # fmt: skip


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
        declared = {}
        for language in _LANGUAGES:
            known = "unknown type" if language in _UNKNOWN.get(kind, ()) else "answered"
            missing = _MISSING_FIELDS.get((kind, language))
            declared[language] = f"{known}; {missing}" if missing else known
        made.append(
            Row(
                id=f"messages/{kind}",
                title=kind,
                documented=f"{place}; group {spec.group}",
                declared=declared,
                clauses=(f"MSG-{kind}",),
                expects="answered" if spec.number is not None else "",
            )
        )
    return made
