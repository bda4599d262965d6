"""API-4: the shapes of what a relay answers from its own records, and of its errors."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.api.shapes import deviations
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.world import World

_ERROR = {"status", "title", "detail", "type", "instance", "errors", "$schema"}


@scenario(
    "API-4/records",
    clauses=("API-4",),
    title="An application and its executors have the fields of the document, null where nothing is known",
    simulated=False,
    needs=("workflows",),
)
async def records(world: World) -> None:
    app = await world.app()
    await ready_executor(world, app, metadata={"zone": "eu"})
    await ready_executor(world, app, hostname=None, metadata=None)
    for operation in ("get_app", "list_executors"):
        answer = await world.control.operation(app, operation)
        world.expect("API-4", "answer", operation, call=answer.call, status=[200], content_type="application/json")
        found = deviations(operation, answer.body)
        world.expect("API-4", "equal", f"the shape of {operation}", name="deviations", want=[], got=found)


@scenario(
    "API-4/problems",
    clauses=("API-4",),
    title="Errors have the fields of the document, and a validation failure names the place",
    simulated=False,
    needs=("workflows",),
    variants={
        "unknown": ("GET", ("workflows", "none"), None, [404]),
        "nobody": ("GET", ("workflows",), None, [503]),
        "invalid": ("POST", ("workflows", "search"), {"limit": "many"}, [422]),
    },
)
async def problems(world: World, tried: tuple[str, tuple[str, ...], Any, list[int]]) -> None:
    method, path, body, statuses = tried
    app = await world.app()
    if 503 not in statuses:
        await ready_executor(world, app)
    answer = await world.control.http(method, app_path(app, *path), json=body, org=app.org)
    world.expect("API-4", "answer", "its status", call=answer.call, status=statuses)
    given = answer.body if isinstance(answer.body, dict) else {}
    got = [sorted(set(given) - _ERROR), given.get("status") == answer.status, bool(given.get("title"))]
    world.expect("API-4", "equal", "an error model", name="fields", want=[[], True, True], got=got)
    if 422 in statuses:
        errors = given.get("errors")
        places = [str(each.get("location")) for each in errors] if isinstance(errors, list) else []
        world.expect("API-4", "equal", "names the place", name="location", want=["body.limit"], got=places)
