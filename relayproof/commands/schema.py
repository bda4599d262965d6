"""``relayproof schema [NAME]``: the JSON Schemas of everything that is read or written."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal

import msgspec

from conductor.schema import json_schema as messages_schema
from evidence.schema import json_schema as evidence_schema
from scenarios.profile import Profile
from sdk_matrix.matrix.file import json_schema as matrix_schema

SCHEMAS: Mapping[str, Callable[[], dict[str, Any]]] = {
    "messages": messages_schema,
    "history": partial(evidence_schema, "history"),
    "index": partial(evidence_schema, "index"),
    "verdicts": partial(evidence_schema, "verdicts"),
    "profile": lambda: {"title": "relayproof profile (TOML)"} | msgspec.json.schema(Profile),
    "matrix": matrix_schema,
}


def schema(name: Literal["all", "messages", "history", "index", "verdicts", "profile", "matrix"] = "all") -> int:
    """Print a JSON Schema (2020-12) on standard output.

    Parameters
    ----------
    name
        messages of the protocol, a line of a history, a run's index or verdicts, a relay's profile, a matrix.json;
        all: one object with each of them under its name.
    """
    chosen = {each: make() for each, make in SCHEMAS.items()} if name == "all" else SCHEMAS[name]()
    print(msgspec.json.format(msgspec.json.encode(chosen), indent=2).decode())
    return 0
