"""What is exchanged about copies of workflows: forks, exports, imports."""

from __future__ import annotations

from scenarios.catalogue.message.exchange import Call, Case, Exchanges, Odd
from scenarios.catalogue.message.of_workflows import LARGE, ODD_ID

NEW_ID = 'fork/ä #"2"'
FAILED_STATUS = ("4xx", "5xx")
FAILED = (
    Odd(what="success is false", answered={"success": False}, status=FAILED_STATUS),
    Odd(what="success is absent (Java)", answered={}, status=FAILED_STATUS),
)


def no_id(field: str, what: str) -> tuple[Odd, ...]:
    """Without an id there is nothing to report as done."""
    return (
        Odd(what=f"null instead of {what}", answered={field: None}, status=FAILED_STATUS),
        Odd(what=f"no {what}", answered={}, status=FAILED_STATUS),
        Odd(what=f"an empty text instead of {what}", answered={field: ""}, status=FAILED_STATUS),
    )


COPIES = (
    Exchanges(
        type="fork_workflow",
        cases=(
            Case(
                call=Call(operation="fork_workflow", subject=ODD_ID, body={"startStep": 3}),
                sent={"body": {"workflow_id": ODD_ID, "start_step": 3, "new_workflow_id": None}},
                answered={"new_workflow_id": NEW_ID},
                status=201,
                shown={"workflowId": NEW_ID},
            ),
            Case(
                call=Call(
                    operation="fork_workflow",
                    subject="wf-1",
                    body={
                        "newWorkflowId": NEW_ID,
                        "appVersion": "v2",
                        "queueName": "orders",
                        "queuePartitionKey": "north",
                    },
                ),
                sent={
                    "body": {
                        "workflow_id": "wf-1",
                        "start_step": 0,
                        "new_workflow_id": NEW_ID,
                        "application_version": "v2",
                        "queue_name": "orders",
                        "queue_partition_key": "north",
                    }
                },
                answered={"new_workflow_id": NEW_ID},
                status=201,
                shown={"workflowId": NEW_ID},
            ),
        ),
        odd=no_id("new_workflow_id", "a new id"),
    ),
    Exchanges(
        type="fork_from_failure",
        cases=(
            Case(
                call=Call(
                    operation="bulk_fork_workflows_from_failure",
                    body={"workflowIds": ["wf-1", ODD_ID], "fromLastFailure": True, "appVersion": "v2"},
                ),
                sent={
                    "body": {
                        "workflow_ids": ["wf-1", ODD_ID],
                        "from_last_failure": True,
                        "application_version": "v2",
                    }
                },
                answered={"forked_workflow_ids": ["a", NEW_ID]},
                shown={"workflowIds": ["a", NEW_ID]},
            ),
            Case(
                call=Call(operation="bulk_fork_workflows_from_failure", body={"workflowIds": ["wf-1"], "fromStep": 0}),
                sent={"body": {"workflow_ids": ["wf-1"], "from_step": 0}},
                answered={"forked_workflow_ids": ["a"]},
                shown={"workflowIds": ["a"]},
            ),
            Case(
                call=Call(
                    operation="bulk_fork_workflows_from_failure", body={"workflowIds": ["wf-1"], "fromStepName": "ä"}
                ),
                sent={"body": {"workflow_ids": ["wf-1"], "from_step_name": "ä"}},
                answered={"forked_workflow_ids": ["a"]},
                shown={"workflowIds": ["a"]},
            ),
        ),
        odd=(
            Odd(what="nothing was forked", answered={"forked_workflow_ids": []}, shown={"workflowIds": []}),
            Odd(what="null", answered={"forked_workflow_ids": None}, shown={"workflowIds": []}),
            Odd(what="absent when empty (Go)", answered={}, shown={"workflowIds": []}),
        ),
    ),
    Exchanges(
        type="export_workflow",
        cases=(
            Case(
                call=Call(operation="export_workflow", subject=ODD_ID),
                sent={"workflow_id": ODD_ID, "export_children": False},
                answered={"serialized_workflow": "gASVä=="},
                shown={"serializedWorkflow": "gASVä=="},
            ),
            Case(
                call=Call(operation="export_workflow", subject="wf-1", query={"exportChildren": True}),
                sent={"workflow_id": "wf-1", "export_children": True},
                answered={"serialized_workflow": LARGE},
                shown={"serializedWorkflow": LARGE},
            ),
        ),
        odd=no_id("serialized_workflow", "an export"),
    ),
    Exchanges(
        type="import_workflow",
        cases=(
            Case(
                call=Call(operation="import_workflow", body={"serializedWorkflow": "gASVä=="}),
                sent={"serialized_workflow": "gASVä=="},
                answered={"success": True},
                status=201,
            ),
            Case(
                call=Call(operation="import_workflow", body={"serializedWorkflow": LARGE}),
                sent={"serialized_workflow": LARGE},
                answered={"success": True},
                status=201,
            ),
        ),
        odd=FAILED,
    ),
)
