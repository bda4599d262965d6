"""What is exchanged about workflows: to read, to cancel, to resume and to delete them."""

from __future__ import annotations

from scenarios.catalogue.message.exchange import Call, Case, Exchanges, Odd
from scenarios.catalogue.message.records import SPARSE, SPARSE_SHOWN, WORKFLOW, WORKFLOW_SHOWN, WORKFLOW_TIMES

ODD_ID = 'wf/ä?#%2F "1"\U0001f600'
"""Clients percent-encode it whole; decoded once, it is this again (API-3)."""
BEYOND_DOUBLE = 2**53 + 1
"""A whole number that a reader of doubles changes."""
LARGE = "ä" * 50_000
TIME, MOMENT = "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05.678+00:00"
_FAILED = (
    Odd(what="success is false", answered={"success": False}, status=("4xx", "5xx")),
    Odd(what="success is absent (Java)", answered={}, status=("4xx", "5xx")),
    Odd(what="success is null", answered={"success": None}, status=("4xx", "5xx")),
)
"""``success`` other than true is a failure (measured)."""


def no_rows(field: str, *, absent: bool = True) -> tuple[Odd, ...]:
    """Ways of the SDKs to say that there are no rows."""
    empty = Odd(what="an empty array", answered={field: []}, shown=[])
    null = Odd(what="null", answered={field: None}, shown=[])
    return (empty, null, Odd(what="no array at all", answered={}, shown=[])) if absent else (empty,)


_READ = [{**SPARSE, "WorkflowUUID": ODD_ID, "Status": "ENQUEUED", "QueueName": "orders"}]
_ODD_RECORD = {
    **SPARSE,
    "WorkflowUUID": ODD_ID,
    "WorkflowName": "",
    "Input": LARGE,
    "Output": "",
    "Error": None,
    "CreatedAt": "0",
    "UpdatedAt": "4102444800123",
    "WorkflowTimeoutMS": str(BEYOND_DOUBLE),
    "Priority": "-7",
    "WasForkedFrom": None,
}
_ODD_SHOWN = {
    "workflowId": ODD_ID,
    "workflowName": "",
    "input": LARGE,
    "output": "",
    "error": None,
    "timeoutMs": BEYOND_DOUBLE,
    "priority": -7,
    "wasForkedFrom": False,
}
_ODD_TIMES = {"createdAt": 0, "updatedAt": 4102444800123}

READING = (
    Exchanges(
        type="list_workflows",
        cases=(
            Case(
                call=Call(operation="list_workflows", query={"status": "ERROR", "limit": 3, "sortDesc": True}),
                sent={"body": {"status": ["ERROR"], "limit": 3, "sort_desc": True, "load_input": False}},
                answered={"output": [WORKFLOW]},
                shown=[dict(WORKFLOW_SHOWN)],
                times=WORKFLOW_TIMES,
            ),
            Case(
                call=Call(operation="search_workflows", body={"user": ["ada"], "completedAfter": TIME}),
                sent={"body": {"authenticated_user": ["ada"], "completed_after": MOMENT, "load_output": False}},
                answered={"output": [WORKFLOW, SPARSE]},
                shown=[dict(WORKFLOW_SHOWN), dict(SPARSE_SHOWN)],
                times=WORKFLOW_TIMES,
            ),
        ),
        odd=(
            *no_rows("output", absent=False),
            Odd(what="odd values", answered={"output": [_ODD_RECORD]}, shown=[_ODD_SHOWN], times=_ODD_TIMES),
        ),
    ),
    Exchanges(
        type="list_queued_workflows",
        cases=(
            Case(
                call=Call(
                    operation="search_workflows", body={"queuesOnly": True, "queueName": ["orders"], "loadInput": True}
                ),
                sent={"body": {"queue_name": ["orders"], "load_input": True}},
                answered={"output": _READ},
                shown=[{"workflowId": ODD_ID, "status": "ENQUEUED", "queueName": "orders"}],
            ),
        ),
        odd=(
            *no_rows("output", absent=False),
            Odd(what="odd values", answered={"output": [_ODD_RECORD]}, shown=[_ODD_SHOWN], times=_ODD_TIMES),
        ),
    ),
    Exchanges(
        type="get_workflow",
        cases=(
            Case(
                call=Call(operation="get_workflow", subject=ODD_ID),
                sent={"workflow_id": ODD_ID, "load_input": True, "load_output": True},
                answered={"output": WORKFLOW},
                shown=dict(WORKFLOW_SHOWN),
                times=WORKFLOW_TIMES,
            ),
        ),
        odd=(
            Odd(what="null is not found", answered={"output": None}, status=(404,)),
            Odd(what="absent is not found", answered={}, status=(404,)),
            Odd(what="odd values", answered={"output": _ODD_RECORD}, shown=_ODD_SHOWN, times=_ODD_TIMES),
        ),
    ),
    Exchanges(
        type="list_steps",
        cases=(
            Case(
                call=Call(operation="list_workflow_steps", subject=ODD_ID, query={"limit": 2, "offset": 1}),
                sent={"workflow_id": ODD_ID, "limit": 2, "offset": 1, "load_output": True},
                answered={"output": [{"function_id": 2, "function_name": "ship", "output": "7"}]},
                shown=[{"stepId": 2, "stepName": "ship", "output": "7", "error": None, "childWorkflowId": None}],
            ),
        ),
        odd=(
            *no_rows("output"),
            Odd(
                what="odd values",
                answered={
                    "output": [
                        {
                            "function_id": 0,
                            "function_name": "",
                            "output": "",
                            "error": LARGE,
                            "started_at_epoch_ms": "1",
                            "completed_at_epoch_ms": "1700000000123",
                        }
                    ]
                },
                shown=[{"stepId": 0, "stepName": "", "output": "", "error": LARGE}],
                times={"startedAt": 1, "completedAt": 1700000000123},
            ),
        ),
    ),
)

_ONE = {"workflow_id": ODD_ID}
_SEVERAL = ["wf-1", ODD_ID]
CHANGING = (
    Exchanges(
        type="cancel",
        cases=(
            Case(
                call=Call(operation="cancel_workflow", subject=ODD_ID, body={"cancelChildren": True}),
                sent={**_ONE, "cancel_children": True},
                answered={"success": True},
                status=204,
            ),
            Case(
                call=Call(operation="bulk_cancel_workflows", body={"workflowIds": _SEVERAL, "cancelChildren": False}),
                sent={"workflow_ids": _SEVERAL, "cancel_children": False},
                answered={"success": True},
                status=204,
            ),
        ),
        odd=_FAILED,
    ),
    Exchanges(
        type="resume",
        cases=(
            Case(
                call=Call(operation="resume_workflow", subject=ODD_ID, body={"queueName": "orders"}),
                sent={**_ONE, "queue_name": "orders"},
                answered={"success": True},
                status=204,
            ),
            Case(
                call=Call(operation="bulk_resume_workflows", body={"workflowIds": _SEVERAL, "queueName": "ä b"}),
                sent={"workflow_ids": _SEVERAL, "queue_name": "ä b"},
                answered={"success": True},
                status=204,
            ),
        ),
        odd=_FAILED,
    ),
    Exchanges(
        type="delete",
        cases=(
            Case(
                call=Call(operation="delete_workflow", subject=ODD_ID),
                sent={**_ONE, "delete_children": False},
                answered={"success": True},
                status=204,
            ),
            Case(
                call=Call(operation="delete_workflow", subject="wf-1", query={"deleteChildren": True}),
                sent={"workflow_id": "wf-1", "delete_children": True},
                answered={"success": True},
                status=204,
            ),
            Case(
                call=Call(operation="bulk_delete_workflows", body={"workflowIds": _SEVERAL, "deleteChildren": True}),
                sent={"workflow_ids": _SEVERAL, "delete_children": True},
                answered={"success": True},
                status=204,
            ),
        ),
        odd=_FAILED,
    ),
)
