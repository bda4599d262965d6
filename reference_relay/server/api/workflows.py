"""Workflows: read and changed through a healthy executor, never from a cache."""

from __future__ import annotations

from msgspec import UNSET

from conductor.messages import (
    CancelResponse,
    DeleteResponse,
    GetWorkflowResponse,
    ListQueuedWorkflowsResponse,
    ListStepsResponse,
    ListWorkflowsResponse,
    ResumeResponse,
)
from reference_relay.server.api import workflow_views as views
from reference_relay.server.api.answers import Step, Workflow
from reference_relay.server.api.operation import ApiRequest, R, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.shapes import given
from reference_relay.server.api.versions import latest_of, versions_of
from reference_relay.server.api.workflow_filters import (
    SEARCH_NAMES,
    BulkCancelInputBody,
    BulkDeleteInputBody,
    BulkResumeInputBody,
    CancelWorkflowInputBody,
    DeleteQuery,
    ResumeWorkflowInputBody,
    StepsQuery,
    WorkflowSearchBody,
    WorkflowsQuery,
    fields_of,
)

WORKFLOW = "A/workflows/{workflowId}"
Listed = type[ListWorkflowsResponse] | type[ListQueuedWorkflowsResponse]
RESUMES = ("resume", "list_application_versions", "get_workflow")


# ---- reading


@operation(
    "GET", "A/workflows", "application.read", answer=list[Workflow], query=WorkflowsQuery, sends=("list_workflows",)
)
async def list_workflows(request: ApiRequest) -> list[Workflow]:
    """List workflows by status and name."""
    return await _listed(request, fields_of(request.query, SEARCH_NAMES))


@operation(
    "POST", "A/workflows/search", "application.read", answer=list[Workflow],
    body=WorkflowSearchBody, sends=("list_workflows", "list_queued_workflows"), renamed=SEARCH_NAMES,
)  # fmt: skip
async def search_workflows(request: ApiRequest) -> list[Workflow]:
    """Search workflows with every filter. Without a limit, all that match are answered."""
    fields = fields_of(request.body, SEARCH_NAMES)
    if request.body.queues_only is True and not request.body.load_output:  # two SDKs load no output there
        del fields["queues_only"]
        return await _listed(request, fields, ListQueuedWorkflowsResponse)
    return await _listed(request, fields)


@operation("GET", WORKFLOW, "application.read", answer=Workflow, sends=("get_workflow",))
async def get_workflow(request: ApiRequest) -> Workflow:
    """Read one workflow with its input and output."""
    found = await workflow_of(request)
    if found is None:
        raise Problem(404, "no such workflow")
    return found


@operation("GET", WORKFLOW + "/steps", "application.read", answer=list[Step], query=StepsQuery, sends=("list_steps",))
async def list_workflow_steps(request: ApiRequest) -> list[Step]:
    """Read the recorded steps of a workflow."""
    fields = {
        "workflow_id": request.params["workflowId"],
        "load_output": not request.application.settings.private_mode,
        **given(request.query),
    }
    response = await request.ask(ListStepsResponse, fields)
    return [views.step(step) for step in response.output or ()]


async def workflow_of(request: ApiRequest) -> Workflow | None:
    """The workflow of the path; None: there is none."""
    shown = not request.application.settings.private_mode
    fields: dict[str, object] = {
        "workflow_id": request.params["workflowId"],
        "load_input": shown,
        "load_output": shown,
    }
    response = await request.ask(GetWorkflowResponse, fields)
    return None if response.output is UNSET or response.output is None else views.workflow(response.output)


async def ask_about_workflow(
    request: ApiRequest, kind: type[R], fields: dict[str, object], *, version: str | None = None
) -> R:
    """Raises Problem 404 where the path's workflow does not exist."""
    return await request.ask_about(workflow_of, "no such workflow", kind, fields, version=version)


async def _listed(request: ApiRequest, body: dict[str, object], kind: Listed = ListWorkflowsResponse) -> list[Workflow]:
    if request.application.settings.private_mode:
        body |= {"load_input": False, "load_output": False}
    response = await request.ask(kind, {"body": body})
    return [views.workflow(workflow) for workflow in response.output or ()]


# ---- changing


@operation(
    "POST", WORKFLOW + "/cancel", "application.write", status=204,
    body=CancelWorkflowInputBody, sends=("cancel",), audits="workflow.cancel", target="workflow",
)  # fmt: skip
async def cancel_workflow(request: ApiRequest) -> None:
    """Cancel a workflow. An unknown one is no error to any SDK."""
    request.target_id = request.params["workflowId"]
    await request.ask(CancelResponse, {"workflow_id": request.target_id, **given(request.body)})


@operation(
    "POST", "A/workflows/bulk-cancel", "application.write", status=204, body=BulkCancelInputBody,
    body_required=True, sends=("cancel",), audits="workflow.bulk_cancel",
)  # fmt: skip
async def bulk_cancel_workflows(request: ApiRequest) -> None:
    """Cancel several workflows."""
    if some(request):
        await request.ask(CancelResponse, {"workflow_id": None, **given(request.body)})


@operation(
    "POST", WORKFLOW + "/resume", "application.write", status=204,
    body=ResumeWorkflowInputBody, sends=RESUMES, audits="workflow.resume", target="workflow",
)  # fmt: skip
async def resume_workflow(request: ApiRequest) -> None:
    """Resume a workflow. Only an executor of the latest version can do that (API document)."""
    request.target_id = request.params["workflowId"]
    version = latest_of(await versions_of(request))
    fields = {"workflow_id": request.target_id, **given(request.body)}
    await ask_about_workflow(request, ResumeResponse, fields, version=version)


@operation(
    "POST", "A/workflows/bulk-resume", "application.write", status=204, body=BulkResumeInputBody,
    body_required=True, sends=RESUMES[:2], audits="workflow.bulk_resume",
)  # fmt: skip
async def bulk_resume_workflows(request: ApiRequest) -> None:
    """Resume several workflows, through an executor of the latest version."""
    if some(request):
        version = latest_of(await versions_of(request))
        await request.ask(ResumeResponse, {"workflow_id": None, **given(request.body)}, version=version)


@operation(
    "DELETE", WORKFLOW, "application.write", status=204, query=DeleteQuery,
    sends=("delete",), audits="workflow.delete", target="workflow",
)  # fmt: skip
async def delete_workflow(request: ApiRequest) -> None:
    """Delete a workflow with all that it recorded. An unknown one is no error to any SDK."""
    request.target_id = request.params["workflowId"]
    await request.ask(DeleteResponse, {"workflow_id": request.target_id, **given(request.query)})


@operation(
    "POST", "A/workflows/bulk-delete", "application.write", status=204, body=BulkDeleteInputBody,
    body_required=True, sends=("delete",), audits="workflow.bulk_delete",
)  # fmt: skip
async def bulk_delete_workflows(request: ApiRequest) -> None:
    """Delete several workflows."""
    if some(request):
        await request.ask(DeleteResponse, {"workflow_id": None, **given(request.body)})


def some(request: ApiRequest) -> bool:
    """Note the workflows of a bulk operation for its audit entry. An empty list asks nobody for anything."""
    request.details["workflow_ids"] = request.body.workflow_ids
    return bool(request.body.workflow_ids)
