"""API-7: only the latest version can resume."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import FAILURE, ready_executor
from scenarios.catalogue.message.exchange import Call
from scenarios.world import Reply, Script, World

RESUMING = {
    "one": Call(operation="resume_workflow", subject="wf-1", body={}),
    "bulk": Call(operation="bulk_resume_workflows", body={"workflowIds": ["wf-1", "wf-2"]}),
}
_TRIES = 6
"""Of two executors each would get a call that goes to anybody; six in a row that miss one are no chance."""


def _knows(*versions: str) -> Script:
    """An executor whose database lists these versions, the latest first in no order but by its timestamp."""
    output = [
        {"version_id": f"id-{name}", "version_name": name, "version_timestamp": 1_700_000_000_000 - at, "created_at": 1}
        for at, name in enumerate(versions)
    ]
    return Script(replies={"list_application_versions": Reply(fields={"output": list(reversed(output))})})


@scenario(
    "API-7/latest",
    clauses=("API-7",),
    title="A resume goes to an executor of the latest version, whoever else is there",
    needs=("workflows",),
    variants=RESUMING,
)
async def latest(world: World, call: Call) -> None:
    app = await world.app()
    script = _knows("v2", "v1")
    old = await ready_executor(world, app, script, version="v1")
    new = await ready_executor(world, app, script, version="v2")
    for _ in range(_TRIES):
        answer = await world.control.operation(app, call.operation, call.subject, body=call.body)
        world.expect("API-7", "answer", "done", call=answer.call, status=[204])
    world.expect("API-7", "count", "all of them", executor=new.id, type="resume", at_least=_TRIES)
    world.expect("API-7", "count", "none", executor=old.id, type="resume", at_most=0)


@scenario(
    "API-7/nobody",
    clauses=("API-7",),
    title="Without an executor of the latest version nothing is resumed, and the caller is told",
    needs=("workflows",),
    variants=RESUMING,
)
async def nobody(world: World, call: Call) -> None:
    app = await world.app()
    old = await ready_executor(world, app, _knows("v2", "v1"), version="v1")
    answer = await world.control.operation(app, call.operation, call.subject, body=call.body)
    world.expect("API-7", "answer", "a failure", call=answer.call, status=FAILURE)
    world.expect("API-7", "count", "the old version is not asked", executor=old.id, type="resume", at_most=0)
