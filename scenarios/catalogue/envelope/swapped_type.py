"""ENV-5: the right request_id under the wrong type."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import FAILURE, ready_executor, workflow_record
from scenarios.world import Reply, Script, World

_OTHER: dict[str, tuple[str, str, Mapping[str, Any]]] = {
    "get-as-list": ("get", "get_workflow", {"type": "list_workflows", "output": [workflow_record("wf-1")]}),
    "get-as-alert": ("get", "get_workflow", {"type": "alert", "output": workflow_record("wf-1"), "success": True}),
    "get-as-unknown": ("get", "get_workflow", {"type": "no_such_type", "output": workflow_record("wf-1")}),
    "get-as-executor-info": ("get", "get_workflow", {"type": "executor_info", "output": workflow_record("wf-1")}),
    "cancel-as-resume": ("cancel", "cancel", {"type": "resume", "success": True}),
    "cancel-as-recovery": ("cancel", "cancel", {"type": "recovery", "success": True}),
    "resume-as-cancel": ("resume", "resume", {"type": "cancel", "success": True}),
    "list-as-queued": ("list", "list_workflows", {"type": "list_queued_workflows", "output": []}),
    "null-type": ("cancel", "cancel", {"type": None, "success": True}),
    "number-type": ("cancel", "cancel", {"type": 3, "success": True}),
}


@scenario(
    "ENV-5/other-type",
    clauses=("ENV-5",),
    title="A response of another type than the request's is no success to the caller",
    faults=(26,),
    variants=_OTHER,
)
async def other_type(world: World, answered: tuple[str, str, Mapping[str, Any]]) -> None:
    """Whether the relay answers with an error at once or waits for its deadline is its own choice."""
    op, type, fields = answered
    app = await world.app()
    await ready_executor(world, app, Script(replies={type: Reply(fields=fields)}))
    answer = await world.control.workflow(app, op, "" if op == "list" else "wf-1")
    world.expect("ENV-5", "answer", "no success", call=answer.call, status=FAILURE)
