"""Request bodies and queries about workflows, and their translation into fields of messages."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any

from msgspec import UNSET, Meta, Struct, UnsetType

from reference_relay.server.api.operation import Body, Query
from reference_relay.server.api.times import DateTime, portable

Int64 = Annotated[int, Meta(ge=-(2**63), le=2**63 - 1)]
Names = list[str] | None | UnsetType
Time = DateTime | UnsetType
Flag = bool | UnsetType


class ListQuery(Query, frozen=True, kw_only=True):
    status: str | UnsetType = UNSET
    workflow_name: str | UnsetType = UNSET
    limit: Int64 | UnsetType = UNSET
    offset: Int64 | UnsetType = UNSET
    sort_desc: Flag = UNSET
    load_input: bool = False
    load_output: bool = False


class StepsQuery(Query, frozen=True, kw_only=True):
    limit: Int64 | UnsetType = UNSET
    offset: Int64 | UnsetType = UNSET


class WorkflowSearch(Body, frozen=True, kw_only=True):
    workflow_ids: Names = UNSET
    workflow_id_prefix: Names = UNSET
    workflow_name: Names = UNSET
    status: Names = UNSET
    user: Names = UNSET
    app_version: Names = UNSET
    executor_id: Names = UNSET
    queue_name: Names = UNSET
    schedule_name: Names = UNSET
    forked_from: Names = UNSET
    parent_workflow_id: Names = UNSET
    was_forked_from: Flag = UNSET
    has_parent: Flag = UNSET
    queues_only: Flag = UNSET
    attributes: dict[str, Any] | UnsetType = UNSET
    start_time: Time = UNSET
    end_time: Time = UNSET
    completed_after: Time = UNSET
    completed_before: Time = UNSET
    dequeued_after: Time = UNSET
    dequeued_before: Time = UNSET
    limit: Int64 | UnsetType = UNSET
    offset: Int64 | UnsetType = UNSET
    sort_desc: Flag = UNSET
    load_input: bool = False
    load_output: bool = False


class CancelWorkflow(Body, frozen=True, kw_only=True):
    cancel_children: Flag = UNSET


class ResumeWorkflow(Body, frozen=True, kw_only=True):
    queue_name: str | UnsetType = UNSET


_RENAMED = {
    "workflow_ids": "workflow_uuids",
    "user": "authenticated_user",
    "app_version": "application_version",
}


def filters(given: Struct) -> dict[str, object]:
    """The body of a list message. Null and empty filters are left out: an empty array is an SQL error in TypeScript."""
    fields: dict[str, object] = {}
    for name in given.__struct_fields__:
        value = getattr(given, name)
        if value is UNSET or value is None or value == [] or name == "schema_uri":
            continue
        fields[_RENAMED.get(name, name)] = portable(value) if isinstance(value, datetime) else value
    return fields
