"""ENV-3: an executor that reports a failure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import FAILURE, expect_still_serving, ready_executor, workflow_record
from scenarios.world import Reply, Script, World

_TRACE = 'Traceback (most recent call last):\n  File "app.py", line 1\nValueError: ä "quoted" <b>'

_ANSWERS: dict[str, tuple[str, str, Mapping[str, Any]]] = {
    "get": ("get", "get_workflow", {"error_message": "boom"}),
    "get-with-output": ("get", "get_workflow", {"error_message": "boom", "output": workflow_record("wf-1")}),
    "get-trace": ("get", "get_workflow", {"error_message": _TRACE, "output": None}),
    "list": ("list", "list_workflows", {"error_message": "boom", "output": []}),
    "list-with-output": ("list", "list_workflows", {"error_message": "boom", "output": [workflow_record("wf-1")]}),
    "search": ("search", "list_workflows", {"error_message": "boom", "output": []}),
    "steps": ("steps", "list_steps", {"error_message": "boom", "output": []}),
    "versions": ("versions", "list_application_versions", {"error_message": "boom", "output": []}),
    "cancel": ("cancel", "cancel", {"error_message": "boom", "success": False}),
    "cancel-success-true": ("cancel", "cancel", {"error_message": "boom", "success": True}),
    "cancel-bare": ("cancel", "cancel", {"error_message": "boom"}),
    "resume-success-true": ("resume", "resume", {"error_message": "boom", "success": True}),
}


@scenario(
    "ENV-3/error-message",
    clauses=("ENV-3",),
    title="A response with error_message is a failure to the caller, whatever else it says",
    faults=(26, 64),
    variants=_ANSWERS,
)
async def error_message(world: World, answered: tuple[str, str, Mapping[str, Any]]) -> None:
    op, type, fields = answered
    app = await world.app()
    executor = await ready_executor(world, app, Script(replies={type: Reply(fields=fields)}))
    workflow_id = "wf-1" if op in ("get", "steps", "cancel", "resume") else ""
    answer = await world.control.workflow(app, op, workflow_id)
    world.expect("ENV-3", "answer", "reported as a failure", call=answer.call, status=FAILURE)
    await expect_still_serving(world, app, "ENV-3", executor)
