"""Loads the contract from the TOML files beside this module, as frozen values.

``MSG-*`` of the contract stands for one clause a message type: `clauses` expands it over the types
of the protocol page, so that every clause id that a scenario may name is a key.
"""

from __future__ import annotations

import tomllib
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any, Literal

import msgspec

__all__ = [
    "Clause",
    "Fault",
    "Level",
    "SpecError",
    "claimed",
    "claimed_clauses",
    "clause",
    "clauses",
    "faults",
]

Level = Literal["MUST", "SHOULD", "INFO"]

MESSAGE_TYPES = (
    "executor_info", "recovery", "cancel", "resume", "delete", "exist_pending_workflows", "retention",
    "list_workflows", "list_queued_workflows", "get_workflow", "list_steps", "get_workflow_events",
    "get_workflow_notifications", "get_workflow_streams", "get_workflow_aggregates", "get_step_aggregates",
    "fork_workflow", "fork_from_failure", "export_workflow", "import_workflow", "list_schedules", "get_schedule",
    "pause_schedule", "resume_schedule", "trigger_schedule", "backfill_schedule", "list_queues", "get_queue",
    "get_metrics", "list_application_versions", "set_latest_application_version", "alert",
)  # fmt: skip
"""The types of the protocol page, in its order. `conductor.catalogue` has their fields; a test compares the two."""

_ALL_MESSAGES = "MSG-*"


class SpecError(Exception):
    """A file of the contract contradicts itself, or an id is unknown; the text names file and id."""


class Clause(msgspec.Struct, frozen=True):
    """One sentence of the contract. ``family`` is the letters of its id."""

    id: str
    level: Level
    source: str
    text: str

    @property
    def family(self) -> str:
        return self.id.partition("-")[0]


class Claims(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What the catalogue claims to test; see claimed.toml."""

    format: int
    families: tuple[str, ...]
    clauses: tuple[str, ...]
    messages: tuple[str, ...]


class Fault(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A fault that somebody reported. Either scenarios (or tests) that show it here, or a reason why none does."""

    number: int
    link: str
    kind: str
    scenarios: tuple[str, ...] = ()
    reason: str = ""


@cache
def clauses() -> MappingProxyType[str, Clause]:
    """Every clause by its id, in the contract's order; ``MSG-*`` expanded."""
    found: dict[str, Clause] = {}
    for row in _table("clauses.toml")["clause"]:
        read = msgspec.convert(row, Clause)
        expanded = [read]
        if read.id == _ALL_MESSAGES:
            expanded = [msgspec.structs.replace(read, id=f"MSG-{type}", text=_about(type)) for type in MESSAGE_TYPES]
        for each in expanded:
            if each.id in found:
                raise SpecError(f"clauses.toml: clause {each.id} is there twice")
            found[each.id] = each
    return MappingProxyType(found)


def clause(id: str) -> Clause:
    """One clause. Raises `SpecError` for an id that the contract doesn't have."""
    if id not in clauses():
        raise SpecError(f"there is no clause {id!r} in the contract; families are {', '.join(_families())}")
    return clauses()[id]


@cache
def claimed() -> Claims:
    """What the catalogue claims to test, as written. Raises `SpecError` where it names what isn't there."""
    read = msgspec.convert(_table("claimed.toml"), Claims)
    for family in read.families:
        if family not in _families():
            raise SpecError(f"claimed.toml: no clause belongs to family {family!r}; there are {', '.join(_families())}")
    for id in (*read.clauses, *(f"MSG-{type}" for type in read.messages)):
        clause(id)
    return read


@cache
def claimed_clauses() -> tuple[Clause, ...]:
    """Every claimed clause, in the contract's order."""
    read = claimed()
    ids = {*read.clauses, *(f"MSG-{type}" for type in read.messages)}
    return tuple(each for each in clauses().values() if each.family in read.families or each.id in ids)


@cache
def faults() -> MappingProxyType[int, Fault]:
    """The map of reported faults by number. Raises `SpecError` for a fault with neither scenario nor reason."""
    found: dict[int, Fault] = {}
    for row in _table("faults.toml")["fault"]:
        fault = msgspec.convert(row, Fault)
        if fault.number in found:
            raise SpecError(f"faults.toml: fault {fault.number} is there twice")
        if not fault.scenarios and not fault.reason:
            raise SpecError(f"faults.toml: fault {fault.number} names neither scenarios nor a reason")
        found[fault.number] = fault
    return MappingProxyType(found)


def _families() -> list[str]:
    return list(dict.fromkeys(each.family for each in clauses().values()))


def _about(type: str) -> str:
    return (
        f"Where the API has the operation, it makes the relay send {type} with the required fields of the catalogue, "
        "no wrong JSON type or nesting, optional fields absent or null, known extras allowed; and the response's "
        "values reach the API answer. What only the relay itself starts is judged when it is sent."
    )


def _table(name: str) -> dict[str, Any]:
    return tomllib.loads(files("spec").joinpath(name).read_text(encoding="utf-8"))
