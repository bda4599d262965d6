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


async def awaited(
    world: World, executor: Executor, type: str, *, count: int = 1, match: Mapping[str, Any] | None = None
) -> Mapping[str, Any] | None:
    """Wait for a request of the relay, as long as a dispatch may take. None where none comes."""
    within_s = world.timing.request_deadline_s + world.timing.slack_s
    return await world.until_frame(executor, type, within_s=within_s, count=count, match=match)


async def request_of(
    world: World, executor: Executor, type: str, *, clause: str = "", count: int = 1,
    match: Mapping[str, Any] | None = None,
) -> Mapping[str, Any]:  # fmt: skip
    """As `awaited`; raises `Prerequisite` where none comes.

    ``clause``: the one that demands that the call reaches the executor. It is FAILED then, not untestable.
    """
    frame = await awaited(world, executor, type, count=count, match=match)
    if frame is not None:
        return frame
    if clause:
        world.expect(
            clause, "count", "the call reaches the executor", executor=executor.id, type=type, at_least=count,
            match=dict(match or {}),
        )  # fmt: skip
    raise Prerequisite(f"the relay sent no {type} that matches {match or {}} for an API call that needs one")


async def ready_executor(world: World, app: App, script: Script | None = None, **options: Any) -> Executor:
    """An executor that is HEALTHY, for calls to reach it.

    Without a list nothing shows when the relay has read the executor_info answer: a slack, then.
    """
    executor = await world.executor(app, script=script, **options)
    if world.profile.can("list"):
        await world.until_status(executor, "HEALTHY", within_s=world.timing.handshake_deadline_s)
    else:
        await world.sleep(world.timing.slack_s)
    return executor


def expect_served(world: World, clause: str, call: int, workflow_id: str, text: str = "") -> None:
    """The call got the answer about its own workflow."""
    world.expect(clause, "answer", text, call=call, status=[200], body={"workflowId": workflow_id})


async def expect_still_serving(world: World, app: App, clause: str, executor: Executor, name: str = "after") -> bool:
    """A further call through this executor is answered as if nothing had happened. Whether its request came.

    A call that never reaches the executor is answered with a failure, if at all: the expectation tells.
    """
    executor.script(HELD)
    call = world.spawn(world.control.workflow(app, "get", name))
    request = await awaited(world, executor, "get_workflow", match={"workflow_id": name})
    if request is not None:
        await executor.send(found(request))
    expect_served(world, clause, (await call).call, name, "a later call is served as ever")
    return request is not None
