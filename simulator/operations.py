"""The workflow operations of the management API: the message that each one sends, and what comes back to the caller.

The same outcomes lead to the same status codes as in the relay's own server (API document).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec

from conductor.catalogue import CATALOGUE
from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.events import Call
from reference_relay.core.records import AppKey


class Operation(msgspec.Struct, frozen=True):
    """One call. ``name`` is the API's, ``type`` and ``fields`` make the message."""

    name: str
    type: str
    fields: dict[str, Any]

    def call(self, application: AppKey) -> Call:
        """For `Relay.call`, which numbers it."""
        return Call(0, application, self.type, self.fields)


_LOADS_NOTHING = {"load_input": False, "load_output": False}
_RENAMED = {"user": "authenticated_user", "app_version": "application_version", "workflow_ids": "workflow_uuids"}


def operation(op: str, workflow_id: str, args: Mapping[str, Any]) -> Operation:
    """The operation of this short name (see `scenarios.world.Control.workflow`); ``args`` by the API's names."""
    fields = {_RENAMED.get(name, name): value for name, value in ((_snake(name), args[name]) for name in args)}
    match op:
        case "list" | "search":
            return Operation(f"{op}_workflows", "list_workflows", {"body": _LOADS_NOTHING | fields})
        case "get":
            loads = {"load_input": True, "load_output": True}
            return Operation("get_workflow", "get_workflow", {"workflow_id": workflow_id, **loads, **fields})
        case "steps":
            return Operation("list_steps", "list_steps", {"workflow_id": workflow_id, "load_output": True, **fields})
        case "cancel" | "resume":
            return Operation(f"{op}_workflow", op, {"workflow_id": workflow_id, **fields})
        case "versions":
            return Operation("list_versions", "list_application_versions", {})
    raise ValueError(f"workflow operation {op!r}: give list, search, get, steps, cancel, resume or versions")


def answer_to(asked: Operation, done: CallDone) -> tuple[int, Any]:
    """Status and body for the end of a call."""
    match done.outcome:
        case Outcome.NO_EXECUTOR:
            return 503, problem(503, "no healthy executor of the application is connected")
        case Outcome.ANSWERED:
            assert done.data is not None, "an answered call has an answer"
            return _answered(asked, done.data)
        case Outcome.REFUSED:
            return 502, problem(502, done.error or "the executor reported a failure")
        case _:
            return 502, problem(502, done.error or "every healthy executor failed to answer")


def problem(status: int, detail: str) -> dict[str, Any]:
    """The API's error body (RFC 9457)."""
    return {"type": "about:blank", "status": status, "detail": detail}


def _answered(asked: Operation, data: bytes) -> tuple[int, Any]:
    spec = CATALOGUE[asked.type]
    try:
        response = decode_response_as(data, spec.response)
    except DecodeError as failure:
        return 502, problem(502, f"the executor's answer can't be read: {failure}")
    if spec.success_field is not None:
        return (204, None) if not response.failed else (502, problem(502, "the executor reported no success"))
    output = msgspec.to_builtins(response).get("output")
    if output is None and asked.type == "get_workflow":
        return 404, problem(404, "there is no such workflow")
    return 200, _by_api_names(output or [])


def _by_api_names(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_by_api_names(item) for item in value]
    return {_api_name(name): value[name] for name in value}


def _api_name(name: str) -> str:
    """``WorkflowUUID`` is the API's ``workflowId``, ``version_name`` its ``versionName``."""
    camel = re.sub(r"_(\w)", lambda found: found[1].upper(), name).replace("UUID", "Id")
    return camel[:1].lower() + camel[1:]


def _snake(name: str) -> str:
    return re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
