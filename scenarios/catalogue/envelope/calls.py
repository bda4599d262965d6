"""Requests that a scenario answers by hand, and the management calls behind them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.errors import Prerequisite
from scenarios.world import App, Executor, Reply, Script, World

DISPATCHED = (
    "list_workflows",
    "get_workflow",
    "list_steps",
    "cancel",
    "resume",
    "list_application_versions",
    "set_latest_application_version",
)
"""The types that an API call of this catalogue makes the relay send."""

HELD = Script(replies={type: Reply(silent=True) for type in DISPATCHED})
"""Answers nothing that an API call started: the scenario sends the answers itself."""

FAILURE = ["4xx", "5xx"]


def workflow_record(workflow_id: str, **fields: Any) -> dict[str, Any]:
    """A small workflow record (protocol page), numbers as text."""
    return {
        "WorkflowUUID": workflow_id,
        "Status": "SUCCESS",
        "WorkflowName": "checkout",
        "CreatedAt": "1700000000000",
        "UpdatedAt": "1700000001500",
        "Priority": "0",
        "WasForkedFrom": False,
        **fields,
    }


def found(request: Mapping[str, Any], **changes: Any) -> dict[str, Any]:
    """The success answer to one get_workflow request."""
    record = workflow_record(request["workflow_id"])
    return {"type": "get_workflow", "request_id": request["request_id"], "output": record, **changes}


async def request_of(
    world: World, executor: Executor, type: str, *, count: int = 1, match: Mapping[str, Any] | None = None
) -> Mapping[str, Any]:
    """Wait for a request of the relay, as long as a dispatch may take. Raises `Prerequisite` where none comes."""
    within_s = world.timing.request_deadline_s + world.timing.slack_s
    frame = await world.until_frame(executor, type, within_s=within_s, count=count, match=match)
    if frame is None:
        raise Prerequisite(f"the relay sent no {type} that matches {match or {}} for an API call that needs one")
    return frame


async def ready_executor(world: World, app: App, script: Script | None = None, **options: Any) -> Executor:
    """An executor that is HEALTHY, for calls to reach it."""
    executor = await world.executor(app, script=script, **options)
    await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    return executor


def expect_served(world: World, clause: str, call: int, workflow_id: str, text: str = "") -> None:
    """The call got the answer about its own workflow."""
    world.expect(clause, "answer", text, call=call, status=[200], body={"workflowId": workflow_id})


async def expect_still_serving(world: World, app: App, clause: str, executor: Executor, name: str = "after") -> None:
    """A further call through this executor is answered as if nothing had happened."""
    executor.script(HELD)
    call = world.spawn(world.control.workflow(app, "get", name))
    await executor.send(found(await request_of(world, executor, "get_workflow", match={"workflow_id": name})))
    expect_served(world, clause, (await call).call, name, "a later call is served as ever")
