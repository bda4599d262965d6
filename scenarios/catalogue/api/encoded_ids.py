"""API-3: ids that are more than letters and digits."""

from __future__ import annotations

from collections.abc import Awaitable
from urllib.parse import quote

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.envelope.calls import HELD, awaited, expect_served, found, ready_executor
from scenarios.catalogue.message.reads import expect_frame
from scenarios.world import Answer, Executor, Script, World

_IDS = {
    "slash": "a/b",
    "slashes": "/a//b/",
    "question-mark": "a?b=c&d",
    "hash": "a#b",
    "non-ascii": "Bestellung-ä€𐍈-注文",
    "percent": "100%25 %2F",
    "space-and-plus": "a b+c",
    "quotes": "a\"b'c\\d",
    "parent": "../executors",
    "semicolon": "a;b=c,d:e@f",
    "like-an-operation": "wf-1/cancel",
}


async def _expect_passed_on(world: World, executor: Executor, call: Awaitable[Answer], workflow_id: str) -> None:
    """The executor answers about whatever id it was asked for. A relay that asks nothing fails by its own answer."""
    request = await awaited(world, executor, "get_workflow")
    if request is not None:
        await executor.send(found(request))
    answer = await call
    expect_served(world, "API-3", answer.call, workflow_id, "the id comes back")
    expect_frame(world, "API-3", executor, "get_workflow", answer.call, {"workflow_id": workflow_id})


@scenario(
    "API-3/odd-id",
    clauses=("API-3",),
    title="A workflow id reaches the executor decoded and comes back as it was",
    simulated=False,
    needs=("workflows",),
    variants=_IDS,
)
async def odd_id(world: World, workflow_id: str) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    call = world.spawn(world.control.workflow(app, "get", workflow_id))
    await _expect_passed_on(world, executor, call, workflow_id)
    executor.script(Script())
    for op, type in (("steps", "list_steps"), ("cancel", "cancel"), ("resume", "resume")):
        answer = await world.control.workflow(app, op, workflow_id)
        expect_frame(world, "API-3", executor, type, answer.call, {"workflow_id": workflow_id})


@scenario(
    "API-3/any-spelling",
    clauses=("API-3",),
    title="Percent-encoding in lower case, or of characters that need none, means the same id",
    simulated=False,
    needs=("workflows",),
    variants=("lower", "every-byte"),
)
async def any_spelling(world: World, spelling: str) -> None:
    workflow_id = "a/ä?b"
    encoded = quote(workflow_id, safe="")
    encoded = encoded.lower() if spelling == "lower" else "".join(f"%{byte:02X}" for byte in workflow_id.encode())
    app = await world.app()
    executor = await ready_executor(world, app, HELD)
    call = world.spawn(world.control.http("GET", app_path(app, "workflows") + f"/{encoded}", org=app.org))
    await _expect_passed_on(world, executor, call, workflow_id)
