"""MSG-cancel and MSG-resume: what the API changes through an executor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import FAILURE, ready_executor
from scenarios.catalogue.message.reads import expect_frame
from scenarios.world import Reply, Script, World

_CALLS: dict[str, tuple[str, dict[str, Any], Mapping[str, Any]]] = {
    "cancel": ("cancel", {}, {}),
    "cancel-children": ("cancel", {"cancelChildren": True}, {"cancel_children": True}),
    "resume": ("resume", {}, {}),
    "resume-on-queue": ("resume", {"queueName": "orders"}, {"queue_name": "orders"}),
}


async def _change(world: World, op: str, args: Mapping[str, Any], fields: Mapping[str, Any]) -> None:
    clause = f"MSG-{op}"
    app = await world.app()
    executor = await ready_executor(world, app)
    answer = await world.control.workflow(app, op, "wf-1", **args)
    expect_frame(world, clause, executor, op, answer.call, {"workflow_id": "wf-1", **fields})
    world.expect(clause, "answer", "done", call=answer.call, status=[204])


@scenario(
    "MSG-cancel/asked",
    clauses=("MSG-cancel",),
    title="A cancellation reaches the executor with its id and its option",
    variants={name: call for name, call in _CALLS.items() if call[0] == "cancel"},
)
async def cancel(world: World, call: tuple[str, dict[str, Any], Mapping[str, Any]]) -> None:
    await _change(world, *call)


@scenario(
    "MSG-resume/asked",
    clauses=("MSG-resume",),
    title="A resumption reaches the executor with its id and its queue",
    variants={name: call for name, call in _CALLS.items() if call[0] == "resume"},
)
async def resume(world: World, call: tuple[str, dict[str, Any], Mapping[str, Any]]) -> None:
    await _change(world, *call)


async def _refused(world: World, op: str, fields: Mapping[str, Any]) -> None:
    app = await world.app()
    await ready_executor(world, app, Script(replies={op: Reply(fields=fields)}))
    answer = await world.control.workflow(app, op, "wf-1")
    world.expect(f"MSG-{op}", "answer", "success is not true", call=answer.call, status=FAILURE)


_NO_SUCCESS: dict[str, Mapping[str, Any]] = {"false": {"success": False}, "absent": {}}


@scenario(
    "MSG-cancel/no-success",
    clauses=("MSG-cancel",),
    title="A cancellation whose success is false, or absent (Java), is a failure to the caller",
    variants=_NO_SUCCESS,
)
async def cancel_refused(world: World, fields: Mapping[str, Any]) -> None:
    await _refused(world, "cancel", fields)


@scenario(
    "MSG-resume/no-success",
    clauses=("MSG-resume",),
    title="A resumption whose success is false, or absent (Java), is a failure to the caller",
    variants=_NO_SUCCESS,
)
async def resume_refused(world: World, fields: Mapping[str, Any]) -> None:
    await _refused(world, "resume", fields)
