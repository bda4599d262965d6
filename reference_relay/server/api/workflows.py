"""Workflows: read and changed through a healthy executor, never from a cache."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from conductor.messages import (
    CancelResponse,
    GetWorkflowResponse,
    ListStepsResponse,
    ListWorkflowsResponse,
    ResumeResponse,
)
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.responses import succeeded, understood
from reference_relay.server.api.versions import versions_of
from reference_relay.server.api.workflow_filters import (
    CancelWorkflow,
    ListQuery,
    ResumeWorkflow,
    StepsQuery,
    WorkflowSearch,
    filters,
)
from reference_relay.server.api.workflow_views import step_view, workflow_view

WORKFLOW = "A/workflows/{workflowId}"


@operation("GET", "A/workflows", "application.read", query=ListQuery)
async def list_workflows(request: ApiRequest) -> list[dict[str, Any]]:
    return await _listed(request, filters(request.query))


@operation("POST", "A/workflows/search", "application.read", body=WorkflowSearch)
async def search_workflows(request: ApiRequest) -> list[dict[str, Any]]:
    return await _listed(request, filters(request.body))


@operation("GET", WORKFLOW, "application.read")
async def get_workflow(request: ApiRequest) -> dict[str, Any]:
    shown = not request.application.settings.private_mode
    fields = {"workflow_id": request.params["workflowId"], "load_input": shown, "load_output": shown}
    response = understood(await request.ask("get_workflow", fields), GetWorkflowResponse)
    if response.output is UNSET or response.output is None:
        raise Problem(404, "no such workflow")
    return workflow_view(response.output)


@operation("GET", WORKFLOW + "/steps", "application.read", query=StepsQuery)
async def list_workflow_steps(request: ApiRequest) -> list[dict[str, Any]]:
    fields: dict[str, object] = {
        "workflow_id": request.params["workflowId"],
        "load_output": not request.application.settings.private_mode,
    }
    for name in ("limit", "offset"):
        if (value := getattr(request.query, name)) is not UNSET:
            fields[name] = value
    response = understood(await request.ask("list_steps", fields), ListStepsResponse)
    return [step_view(step) for step in response.output or ()]


@operation(
    "POST", WORKFLOW + "/cancel", "application.write", status=204,
    body=CancelWorkflow, audits="workflow.cancel", target="workflow",
)  # fmt: skip
async def cancel_workflow(request: ApiRequest) -> None:
    request.target_id = request.params["workflowId"]
    fields: dict[str, object] = {"workflow_id": request.target_id}
    if request.body.cancel_children is not UNSET:
        fields["cancel_children"] = request.body.cancel_children
    succeeded(await request.ask("cancel", fields), CancelResponse)


@operation(
    "POST", WORKFLOW + "/resume", "application.write", status=204,
    body=ResumeWorkflow, audits="workflow.resume", target="workflow",
)  # fmt: skip
async def resume_workflow(request: ApiRequest) -> None:
    """Only an executor of the latest version can resume (API document)."""
    request.target_id = request.params["workflowId"]
    fields: dict[str, object] = {"workflow_id": request.target_id}
    if request.body.queue_name is not UNSET:
        fields["queue_name"] = request.body.queue_name
    succeeded(await request.ask("resume", fields, version=await _latest_version(request)), ResumeResponse)


async def _latest_version(request: ApiRequest) -> str | None:
    """None where the executors list no version at all."""
    versions = await versions_of(request)
    latest = max(versions, key=lambda version: version.version_timestamp, default=None)
    return None if latest is None else latest.version_name


async def _listed(request: ApiRequest, body: dict[str, object]) -> list[dict[str, Any]]:
    if request.application.settings.private_mode:
        body |= {"load_input": False, "load_output": False}
    response = understood(await request.ask("list_workflows", {"body": body}), ListWorkflowsResponse)
    return [workflow_view(workflow) for workflow in response.output or ()]
