"""Schedules, as an executor reads and runs them."""

from __future__ import annotations

from msgspec import UNSET

from conductor.messages import (
    BackfillScheduleResponse,
    GetScheduleResponse,
    ListSchedulesResponse,
    PauseScheduleResponse,
    ResumeScheduleResponse,
    TriggerScheduleResponse,
)
from conductor.records import ScheduleRecord
from reference_relay.server.api.answers import BackfillOutputBody, Schedule, TriggerOutputBody
from reference_relay.server.api.operation import ApiRequest, R, Reply, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.shapes import Body, Query, Text, given
from reference_relay.server.api.times import DateTime, portable
from reference_relay.server.api.values import moment, text
from reference_relay.server.api.workflow_copies import created

SCHEDULE = "A/schedules/{scheduleName}"


class SchedulesQuery(Query, frozen=True, kw_only=True):
    status: Text = UNSET
    workflow_name: Text = UNSET
    schedule_name_prefix: Text = UNSET
    load_context: bool = False


class BackfillInputBody(Body, frozen=True, kw_only=True):
    start_time: DateTime
    end_time: DateTime


@operation(
    "GET", "A/schedules", "application.read", answer=list[Schedule], query=SchedulesQuery, sends=("list_schedules",)
)
async def list_schedules(request: ApiRequest) -> list[Schedule]:
    """List the schedules of an application."""
    fields = given(request.query)
    fields["load_context"] = request.query.load_context and not request.application.settings.private_mode
    response = await request.ask(ListSchedulesResponse, {"body": fields})
    return [_view(row) for row in response.output or ()]


@operation("GET", SCHEDULE, "application.read", answer=Schedule, sends=("get_schedule",))
async def get_schedule(request: ApiRequest) -> Schedule:
    """Read one schedule with its context."""
    found = await _schedule_of(request)
    if found is None:
        raise Problem(404, "no such schedule")
    return _view(found)


@operation(
    "POST", SCHEDULE + "/pause", "application.write", status=204,
    sends=("pause_schedule", "get_schedule"), audits="schedule.pause", target="schedule",
)  # fmt: skip
async def pause_schedule(request: ApiRequest) -> None:
    """Pause a schedule. An unknown one is no error to three of the four SDKs."""
    name = request.target_id = request.params["scheduleName"]
    await _ask_about(request, PauseScheduleResponse, {"schedule_name": name})


@operation(
    "POST", SCHEDULE + "/resume", "application.write", status=204,
    sends=("resume_schedule", "get_schedule"), audits="schedule.resume", target="schedule",
)  # fmt: skip
async def resume_schedule(request: ApiRequest) -> None:
    """Resume a paused schedule. An unknown one is no error to three of the four SDKs."""
    name = request.target_id = request.params["scheduleName"]
    await _ask_about(request, ResumeScheduleResponse, {"schedule_name": name})


@operation(
    "POST", SCHEDULE + "/trigger", "application.write", status=201, answer=TriggerOutputBody,
    sends=("trigger_schedule", "get_schedule"), audits="schedule.trigger", target="schedule", location=True,
)  # fmt: skip
async def trigger_schedule(request: ApiRequest) -> Reply:
    """Start the workflow of a schedule now."""
    name = request.target_id = request.params["scheduleName"]
    response = await _ask_about(request, TriggerScheduleResponse, {"schedule_name": name})
    if not response.workflow_id:
        raise Problem(502, "the executor's answer has no id of the new workflow")
    request.details["workflow_id"] = response.workflow_id
    return created(request, response.workflow_id, TriggerOutputBody(workflow_id=response.workflow_id))


@operation(
    "POST", SCHEDULE + "/backfill", "application.write", answer=BackfillOutputBody, body=BackfillInputBody,
    body_required=True, sends=("backfill_schedule", "get_schedule"), renamed={"start_time": "start", "end_time": "end"},
    audits="schedule.backfill", target="schedule",
)  # fmt: skip
async def backfill_schedule(request: ApiRequest) -> BackfillOutputBody:
    """Start a workflow for each time that a schedule was due within a window."""
    name = request.target_id = request.params["scheduleName"]
    fields: dict[str, object] = {
        "schedule_name": name,
        "start": portable(request.body.start_time),
        "end": portable(request.body.end_time),
    }
    response = await _ask_about(request, BackfillScheduleResponse, fields)
    ids = list(response.workflow_ids or ())
    request.details["workflow_ids"] = ids
    return BackfillOutputBody(workflow_ids=ids)


async def _schedule_of(request: ApiRequest) -> ScheduleRecord | None:
    fields: dict[str, object] = {
        "schedule_name": request.params["scheduleName"],
        "load_context": not request.application.settings.private_mode,
    }
    response = await request.ask(GetScheduleResponse, fields)
    return None if response.output is UNSET else response.output


async def _ask_about(request: ApiRequest, kind: type[R], fields: dict[str, object]) -> R:
    """Raises Problem 404 where the path's schedule does not exist."""
    return await request.ask_about(_schedule_of, "no such schedule", kind, fields)


def _view(row: ScheduleRecord) -> Schedule:
    return Schedule(
        schedule_id=row.schedule_id,
        schedule_name=row.schedule_name,
        workflow_name=row.workflow_name,
        workflow_class=text(row.workflow_class_name),
        cron_expression=row.schedule,
        cron_timezone=text(row.cron_timezone),
        status=row.status,
        context=text(row.context),
        last_fired_at=moment(row.last_fired_at),
        automatic_backfill=row.automatic_backfill,
        application_name=text(row.application_name),
    )
