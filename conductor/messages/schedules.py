"""Schedules (protocol page; field facts measured, or read in the Go and Java clients)."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from conductor.field_types import NameFilter, OptionalText, Timestamp
from conductor.messages.base import RequestBase, ResponseBase, SuccessResponse
from conductor.records import ScheduleRecord

__all__ = [
    "BackfillScheduleRequest",
    "BackfillScheduleResponse",
    "GetScheduleRequest",
    "GetScheduleResponse",
    "ListSchedulesBody",
    "ListSchedulesRequest",
    "ListSchedulesResponse",
    "PauseScheduleRequest",
    "PauseScheduleResponse",
    "ResumeScheduleRequest",
    "ResumeScheduleResponse",
    "TriggerScheduleRequest",
    "TriggerScheduleResponse",
]


class ListSchedulesBody(Struct, frozen=True, kw_only=True):
    """`status` is ACTIVE or PAUSED. The SDKs' defaults of `load_context` differ, so it is required."""

    load_context: bool
    status: NameFilter = UNSET
    workflow_name: NameFilter = UNSET
    schedule_name_prefix: NameFilter = UNSET
    application_name: NameFilter = UNSET


class ListSchedulesRequest(RequestBase, frozen=True, kw_only=True, tag="list_schedules"):
    """Lists schedules. Without a body a TypeScript process ends."""

    body: ListSchedulesBody


class ListSchedulesResponse(ResponseBase, frozen=True, kw_only=True, tag="list_schedules"):
    """An empty array on failure too."""

    output: tuple[ScheduleRecord, ...] | UnsetType = UNSET


class GetScheduleRequest(RequestBase, frozen=True, kw_only=True, tag="get_schedule"):
    """Reads one schedule."""

    schedule_name: str
    load_context: bool


class GetScheduleResponse(ResponseBase, frozen=True, kw_only=True, tag="get_schedule"):
    """Null or absent when there is no such schedule."""

    output: ScheduleRecord | UnsetType | None = UNSET


class PauseScheduleRequest(RequestBase, frozen=True, kw_only=True, tag="pause_schedule"):
    """Pauses a schedule."""

    schedule_name: str


class PauseScheduleResponse(SuccessResponse, frozen=True, kw_only=True, tag="pause_schedule"):
    """An unknown schedule is a failure in Go and a success in the other three."""


class ResumeScheduleRequest(RequestBase, frozen=True, kw_only=True, tag="resume_schedule"):
    """Resumes a paused schedule."""

    schedule_name: str


class ResumeScheduleResponse(SuccessResponse, frozen=True, kw_only=True, tag="resume_schedule"):
    """An unknown schedule is a failure in Go and a success in the other three."""


class TriggerScheduleRequest(RequestBase, frozen=True, kw_only=True, tag="trigger_schedule"):
    """Starts a schedule's workflow now."""

    schedule_name: str


class TriggerScheduleResponse(ResponseBase, frozen=True, kw_only=True, tag="trigger_schedule"):
    """Null or absent on failure."""

    workflow_id: OptionalText = UNSET


class BackfillScheduleRequest(RequestBase, frozen=True, kw_only=True, tag="backfill_schedule"):
    """Starts the workflows that a schedule would have started after `start` and before `end` (Java: up to it)."""

    schedule_name: str
    start: Timestamp
    end: Timestamp


class BackfillScheduleResponse(ResponseBase, frozen=True, kw_only=True, tag="backfill_schedule"):
    """Ids that existed already are included; an empty array on failure too."""

    workflow_ids: tuple[str, ...] | UnsetType = UNSET
