"""What workflows carry beside input and output: events, messages, streams; and counts over workflows and steps."""

from __future__ import annotations

from conductor.messages import (
    GetStepAggregatesResponse,
    GetWorkflowAggregatesResponse,
    GetWorkflowEventsResponse,
    GetWorkflowNotificationsResponse,
    GetWorkflowStreamsResponse,
)
from reference_relay.server.api import workflow_views as views
from reference_relay.server.api.answers import Event, Notification, StepAggregate, StreamEntry, WorkflowAggregate
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import Problem, unfit
from reference_relay.server.api.shapes import Body
from reference_relay.server.api.workflow_filters import (
    AGGREGATE_NAMES,
    PAIRED_NAMES,
    STEP_AGGREGATE_NAMES,
    StepAggregatesBody,
    WorkflowAggregatesBody,
    fields_of,
)
from reference_relay.server.api.workflows import WORKFLOW


@operation("GET", WORKFLOW + "/events", "application.read", answer=list[Event], sends=("get_workflow_events",))
async def list_workflow_events(request: ApiRequest) -> list[Event]:
    """Read the events that a workflow set."""
    response = await request.ask(GetWorkflowEventsResponse, _payload(request))
    return [views.event(row) for row in response.events or ()]


@operation(
    "GET", WORKFLOW + "/notifications", "application.read", answer=list[Notification],
    sends=("get_workflow_notifications",),
)  # fmt: skip
async def list_workflow_notifications(request: ApiRequest) -> list[Notification]:
    """Read the messages that were sent to a workflow."""
    response = await request.ask(GetWorkflowNotificationsResponse, _payload(request))
    return [views.notification(row) for row in response.notifications or ()]


@operation("GET", WORKFLOW + "/streams", "application.read", answer=list[StreamEntry], sends=("get_workflow_streams",))
async def list_workflow_streams(request: ApiRequest) -> list[StreamEntry]:
    """Read the streams that a workflow wrote."""
    response = await request.ask(GetWorkflowStreamsResponse, _payload(request))
    return [views.stream(row) for row in response.streams or ()]


@operation(
    "POST", "A/workflows/aggregates", "application.read", answer=list[WorkflowAggregate],
    body=WorkflowAggregatesBody, sends=("get_workflow_aggregates",), renamed=AGGREGATE_NAMES,
)  # fmt: skip
async def get_workflow_aggregates(request: ApiRequest) -> list[WorkflowAggregate]:
    """Count workflows by group."""
    _require_group(request.body)
    fields = fields_of(request.body, AGGREGATE_NAMES)
    fields |= {twin: fields[name] for name, twin in PAIRED_NAMES.items() if name in fields}
    response = await request.ask(GetWorkflowAggregatesResponse, {"body": fields})
    return [views.workflow_aggregate(row) for row in response.output or ()]


@operation(
    "POST", "A/steps/aggregates", "application.read", answer=list[StepAggregate],
    body=StepAggregatesBody, sends=("get_step_aggregates",), renamed=STEP_AGGREGATE_NAMES,
)  # fmt: skip
async def get_step_aggregates(request: ApiRequest) -> list[StepAggregate]:
    """Count steps by group."""
    _require_group(request.body)
    fields = fields_of(request.body, STEP_AGGREGATE_NAMES)
    response = await request.ask(GetStepAggregatesResponse, {"body": fields})
    return [views.step_aggregate(row) for row in response.output or ()]


def refuse_in_private_mode(request: ApiRequest) -> None:
    """An empty answer would say that there is nothing; so whoever asks learns that it is kept from them."""
    if request.application.settings.private_mode:
        raise Problem(403, "the application is in private mode: payloads are never asked for")


def _payload(request: ApiRequest) -> dict[str, object]:
    refuse_in_private_mode(request)
    return {"workflow_id": request.params["workflowId"]}


def _require_group(body: Body) -> None:
    """Every SDK fails without a group (measured); the time bucket is one too."""
    names = [name for name in body.__struct_fields__ if name.startswith("group_by_") or name == "time_bucket_size_ms"]
    if not any(getattr(body, name) not in (False, None) and isinstance(getattr(body, name), int) for name in names):
        raise unfit("body", "set at least one groupBy flag or timeBucketSizeMs")
