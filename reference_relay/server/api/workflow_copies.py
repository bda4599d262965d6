"""Copies of workflows: fork, export, import."""

from __future__ import annotations

from urllib.parse import quote

from conductor.messages import (
    ExportWorkflowResponse,
    ForkFromFailureResponse,
    ForkWorkflowResponse,
    ImportWorkflowResponse,
)
from reference_relay.server.api.answers import (
    BulkForkFromFailureOutputBody,
    ExportWorkflowOutputBody,
    ForkWorkflowOutputBody,
)
from reference_relay.server.api.operation import APP, ApiRequest, Reply, operation
from reference_relay.server.api.problems import Problem, unfit
from reference_relay.server.api.workflow_filters import (
    FORK_NAMES,
    BulkForkFromFailureBody,
    ExportQuery,
    ForkWorkflowInputBody,
    ImportWorkflowInputBody,
    fields_of,
)
from reference_relay.server.api.workflow_payloads import refuse_in_private_mode
from reference_relay.server.api.workflows import WORKFLOW, ask_about_workflow, some


@operation(
    "POST", WORKFLOW + "/fork", "application.write", status=201, answer=ForkWorkflowOutputBody,
    body=ForkWorkflowInputBody, sends=("fork_workflow", "get_workflow"), renamed=FORK_NAMES, location=True,
    audits="workflow.fork", target="workflow",
)  # fmt: skip
async def fork_workflow(request: ApiRequest) -> Reply:
    """Copy a workflow up to a step into a new one, and run that."""
    request.target_id = request.params["workflowId"]
    fields = {
        "workflow_id": request.target_id,
        "new_workflow_id": None,  # Python wants both keys even where nothing is chosen
        "application_version": None,
        **fields_of(request.body, FORK_NAMES),
    }
    response = await ask_about_workflow(request, ForkWorkflowResponse, {"body": fields})
    if not response.new_workflow_id:
        raise Problem(502, "the executor's answer has no id of the new workflow")
    request.details["new_workflow_id"] = response.new_workflow_id
    return created(request, response.new_workflow_id, ForkWorkflowOutputBody(workflow_id=response.new_workflow_id))


@operation(
    "POST", "A/workflows/bulk-fork-from-failure", "application.write", answer=BulkForkFromFailureOutputBody,
    body=BulkForkFromFailureBody, body_required=True, sends=("fork_from_failure",), renamed=FORK_NAMES,
    audits="workflow.fork_from_failure",
)  # fmt: skip
async def bulk_fork_workflows_from_failure(request: ApiRequest) -> BulkForkFromFailureOutputBody:
    """Fork several workflows from where they failed."""
    chosen = request.body.selectors()
    if len(chosen) != 1:
        raise unfit("body", f"set exactly one of fromLastFailure, fromLastStep, fromStep, fromStepName; got {chosen}")
    if not some(request):
        return BulkForkFromFailureOutputBody(workflow_ids=[])
    response = await request.ask(ForkFromFailureResponse, {"body": fields_of(request.body, FORK_NAMES)})
    ids = list(response.forked_workflow_ids or ())
    request.details["new_workflow_ids"] = ids
    return BulkForkFromFailureOutputBody(workflow_ids=ids)


@operation(
    "GET", WORKFLOW + "/export", "application.read", answer=ExportWorkflowOutputBody, query=ExportQuery,
    sends=("export_workflow", "get_workflow"),
)  # fmt: skip
async def export_workflow(request: ApiRequest) -> ExportWorkflowOutputBody:
    """Export a workflow as text that an executor of the same language can import."""
    refuse_in_private_mode(request)
    fields: dict[str, object] = {
        "workflow_id": request.params["workflowId"],
        "export_children": request.query.export_children,
    }
    response = await ask_about_workflow(request, ExportWorkflowResponse, fields)
    if not response.serialized_workflow:
        raise Problem(502, "the executor's answer has no exported workflow")
    return ExportWorkflowOutputBody(serialized_workflow=response.serialized_workflow)


@operation(
    "POST", "A/workflows/import", "application.write", status=201, body=ImportWorkflowInputBody,
    body_required=True, sends=("import_workflow",), audits="workflow.import",
)  # fmt: skip
async def import_workflow(request: ApiRequest) -> None:
    """Import what was exported. Python unpickles it: whoever may import may run code in the executor."""
    await request.ask(ImportWorkflowResponse, {"serialized_workflow": request.body.serialized_workflow})


def created(request: ApiRequest, workflow_id: str, body: object) -> Reply:
    """201 with the place of the new workflow."""
    path = APP.format(orgName=quote(request.org, safe=""), appName=quote(request.params["appName"], safe=""))
    return Reply(body, {"Location": f"{path}/workflows/{quote(workflow_id, safe='')}"})
