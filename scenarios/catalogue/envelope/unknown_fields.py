"""ENV-7: what a newer executor says more."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor, workflow_record
from scenarios.world import Reply, Script, World

_MORE: Mapping[str, Any] = {
    "trace_id": "t-1",
    "took_ms": 1.5,
    "shard": None,
    "warnings": ["a", {"deep": [[]]}],
    "executor_id": "x",
}
_RECORD = workflow_record("wf-1", ShardKey="s-1", Labels={"a": [1]}, RewoundFrom=None, workflowId="another")

_ANSWERS: dict[str, tuple[str, str, Mapping[str, Any], Any]] = {
    "get": ("get", "get_workflow", {"output": _RECORD}, {"workflowId": "wf-1"}),
    "list": ("list", "list_workflows", {"output": [_RECORD]}, [{"workflowId": "wf-1"}]),
    "steps": (
        "steps",
        "list_steps",
        {"output": [{"function_id": 1, "function_name": "charge", "output": "7", "attempts": 3, "stepId": 9}]},
        [{"stepId": 1, "stepName": "charge", "output": "7"}],
    ),
    "cancel": ("cancel", "cancel", {"success": True, "cancelled": ["wf-1"]}, None),
    "resume": ("resume", "resume", {"success": True, "error": "none"}, None),
}


@scenario(
    "ENV-7/more-fields",
    clauses=("ENV-7",),
    title="Fields that the relay doesn't know are ignored, in the response and in its records",
    faults=(26,),
    variants=_ANSWERS,
)
async def more_fields(world: World, answered: tuple[str, str, Mapping[str, Any], Any]) -> None:
    op, type, fields, body = answered
    app = await world.app()
    await ready_executor(world, app, Script(replies={type: Reply(fields={**_MORE, **fields})}))
    answer = await world.control.workflow(app, op, "" if op == "list" else "wf-1")
    shown = {} if body is None else {"body": body}
    world.expect("ENV-7", "answer", "as without them", call=answer.call, status=["2xx"], **shown)
