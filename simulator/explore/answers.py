"""What executors may answer, as bytes."""

from __future__ import annotations

from typing import Any

import msgspec

from reference_relay.core.records import ExecutorKey
from simulator.explore.model import Member
from simulator.explore.outside import Frame

_encode = msgspec.json.encode

FIELDS: dict[tuple[str, str], dict[str, Any]] = {
    ("executor_info", "no id"): {"application_version": "v1"},
    ("executor_info", "error"): {"executor_id": "x", "error_message": "not now"},
    ("recovery", "true"): {"success": True},
    ("recovery", "false"): {"success": False},
    ("recovery", "error"): {"success": True, "error_message": "no such executor"},
    ("exist_pending_workflows", "no"): {"exist": False},
    ("exist_pending_workflows", "yes"): {"exist": True},
    ("exist_pending_workflows", "error"): {"exist": False, "error_message": "the database is away"},
    ("get_workflow_aggregates", "nobody"): {"output": []},
    ("get_workflow_aggregates", "error"): {"output": [], "error_message": "no such message"},
    ("list_application_versions", "error"): {"output": [], "error_message": "the database is away"},
    ("list_workflows", "ok"): {"output": []},
    ("list_workflows", "error"): {"output": [], "error_message": "the database is away"},
}
"""Fields of an answer, by type of the request and kind of the answer."""

WRONG_TYPE = "of another type"
MALFORMED = "no JSON"


def data(frame: Frame, kind: str, member: Member, owners: tuple[ExecutorKey, ...]) -> bytes:
    """The answer to a frame. ``owners``: forgotten ids that own work again, for the kind "owners"."""
    if kind == MALFORMED:
        return b"{"
    type_ = frame.type if kind != WRONG_TYPE else "alert"
    return _encode({"type": type_, "request_id": frame.request_id, **fields(frame.type, kind, member, owners)})


def fields(type_: str, kind: str, member: Member, owners: tuple[ExecutorKey, ...]) -> dict[str, Any]:
    if kind == WRONG_TYPE:
        return {}
    if (type_, kind) == ("executor_info", "ok"):
        return {"executor_id": member.id, "application_version": member.version, "language": member.language}
    if (type_, kind) == ("get_workflow_aggregates", "owners"):
        rows = [{"group": {"executor_id": key.executor_id, "application_version": None}, "count": 1} for key in owners]
        return {"output": rows}
    if type_ == "list_application_versions" and kind != "error":
        return {"output": [_version("v1", 1), _version(kind, 2)]}
    return FIELDS[type_, kind]


def _version(name: str, order: int) -> dict[str, Any]:
    return {"version_id": name, "version_name": name, "version_timestamp": order, "created_at": order}
