"""JSON Schema of what this package reads and writes: a line of a history, a run's index, its verdicts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from evidence.events import FORMAT, Event
from evidence.run import Index
from evidence.verdict import RunResult

__all__ = ["SCHEMAS", "json_schema"]

_DIALECT = "https://json-schema.org/draft/2020-12/schema"

SCHEMAS: Mapping[str, tuple[Any, str]] = {
    "history": (Event, f"One line of a history, format {FORMAT}: the tag ev names the event; times are nanoseconds."),
    "index": (Index, "index.json of a run's folder: what was run and where its histories are."),
    "verdicts": (RunResult, "verdicts.json of a run's folder: every verdict with its findings."),
}
"""Name -> type and description of each published schema."""


def json_schema(name: str) -> dict[str, Any]:
    """The JSON Schema (2020-12) of ``history``, ``index`` or ``verdicts``. Raises KeyError for another name."""
    type_, about = SCHEMAS[name]
    return {"$schema": _DIALECT, "title": f"relayproof {name}", "description": about} | msgspec.json.schema(type_)
