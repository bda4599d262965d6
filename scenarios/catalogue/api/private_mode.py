"""API-6: what a private application's executors are never asked for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor, workflow_record
from scenarios.catalogue.message.exchange import Call
from scenarios.errors import Unsupported
from scenarios.world import App, Executor, Reply, Script, World

LOADING: Mapping[str, tuple[Call, str, Mapping[str, Any]]] = {
    "list": (
        Call(operation="list_workflows", query={"loadInput": True, "loadOutput": True}),
        "list_workflows",
        {"body": {"load_input": False, "load_output": False}},
    ),
    "search": (
        Call(operation="search_workflows", body={"loadInput": True, "loadOutput": True}),
        "list_workflows",
        {"body": {"load_input": False, "load_output": False}},
    ),
    "workflow": (
        Call(operation="get_workflow", subject="wf-1"),
        "get_workflow",
        {"load_input": False, "load_output": False},
    ),
    "steps": (Call(operation="list_workflow_steps", subject="wf-1"), "list_steps", {"load_output": False}),
    "schedules": (
        Call(operation="list_schedules", query={"loadContext": True}),
        "list_schedules",
        {"body": {"load_context": False}},
    ),
    "schedule": (Call(operation="get_schedule", subject="nightly"), "get_schedule", {"load_context": False}),
}
"""Call, message, and the flags that it must carry."""

PAYLOADS = {
    "list_workflow_events": "get_workflow_events",
    "list_workflow_notifications": "get_workflow_notifications",
    "list_workflow_streams": "get_workflow_streams",
    "export_workflow": "export_workflow",
}


async def _private(world: World) -> tuple[App, Executor]:
    app = await world.app()
    answers = {"get_workflow": Reply(fields={"output": workflow_record("wf-1")})}
    executor = await ready_executor(world, app, Script(replies=answers))
    answer = await world.control.patch_settings(app, {"privateMode": True})
    if answer.status // 100 != 2:
        raise Unsupported(f"the relay has no setting privateMode: it answers {answer.status}")
    return app, executor


@scenario(
    "API-6/unasked",
    clauses=("API-6",),
    title="In private mode payloads are not loaded, whatever the caller wants",
    needs=("workflows", "settings"),
    variants=LOADING,
)
async def unasked(world: World, tried: tuple[Call, str, Mapping[str, Any]]) -> None:
    call, type, flags = tried
    app, executor = await _private(world)
    answer = await world.control.operation(app, call.operation, call.subject, query=call.query, body=call.body)
    request = await world.until_frame(executor, type, within_s=0)
    if request is None and answer.status // 100 in (4, 5):
        world.expect("API-6", "count", "refused, and not asked for", executor=executor.id, type=type, at_most=0)
        return
    place: Any = (request or {}).get("body") if "body" in flags else request
    want = flags.get("body", flags)
    got = {name: place.get(name, "absent") for name in want} if isinstance(place, Mapping) else None
    world.expect("API-6", "equal", "flags that load nothing", name=f"{type} flags", want=dict(want), got=got)


@scenario(
    "API-6/never-sent",
    clauses=("API-6",),
    title="In private mode messages whose whole answer is payload are not sent",
    needs=("workflows", "settings"),
    variants=PAYLOADS,
)
async def never_sent(world: World, type: str) -> None:
    operation = next(name for name, message in PAYLOADS.items() if message == type)
    app, executor = await _private(world)
    await world.control.operation(app, operation, "wf-1")
    world.expect("API-6", "count", "not asked for", executor=executor.id, type=type, at_most=0)
