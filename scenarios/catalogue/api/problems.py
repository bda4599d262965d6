"""API-2: how the API says no."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path, org_path
from scenarios.catalogue.api.state import state
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.world import Answer, World

_PROBLEM = "application/problem+json"


def _expect_problem(world: World, answer: Answer, text: str, statuses: list[int]) -> None:
    world.expect("API-2", "answer", text, call=answer.call, status=statuses, content_type=_PROBLEM)


@scenario(
    "API-2/unknown-things",
    clauses=("API-2",),
    title="Unknown applications, workflows, keys and operations are 404, as problem documents",
    simulated=False,
    needs=("workflows", "register", "keys"),
)
async def unknown_things(world: World) -> None:
    app = await world.app()
    unknown = await world.app(register=False)
    await ready_executor(world, app)  # it finds no workflow
    http = world.control.http
    for rest in (
        (),
        ("executors",),
        ("versions",),
        ("workflows",),
        ("workflows", "wf-1"),
        ("workflows", "wf-1", "steps"),
    ):
        answer = await http("GET", app_path(unknown, *rest), org=app.org)
        _expect_problem(world, answer, f"GET of an unknown application: {'/'.join(rest)}", [404])
    for op in ("cancel", "resume"):
        answer = await http("POST", app_path(unknown, "workflows", "wf-1", op), json={}, org=app.org)
        _expect_problem(world, answer, f"{op} in an unknown application", [404])
    answer = await http("PATCH", app_path(unknown), json={"executorTimeoutSecs": 5}, org=app.org)
    _expect_problem(world, answer, "settings of an unknown application", [404])
    answer = await http("DELETE", app_path(unknown), org=app.org)
    _expect_problem(world, answer, "deletion of an unknown application", [404])
    answer = await http("GET", app_path(app, "workflows", "wf-none"), org=app.org)
    _expect_problem(world, answer, "an unknown workflow", [404])
    answer = await http("DELETE", org_path(app, "tokens", "none"), org=app.org)
    _expect_problem(world, answer, "an unknown key", [404])
    answer = await http("GET", org_path(app, "no-such-thing"), org=app.org)
    _expect_problem(world, answer, "an unknown operation", [404])
    answer = await http("GET", app_path(app), org=app.org)
    world.expect("API-2", "answer", "the known application is still there", call=answer.call, status=[200])


_INVALID: dict[str, tuple[str, tuple[str, ...], Any]] = {
    "timeout-zero": ("PATCH", (), {"executorTimeoutSecs": 0}),
    "timeout-negative": ("PATCH", (), {"executorTimeoutSecs": -5}),
    "timeout-text": ("PATCH", (), {"executorTimeoutSecs": "soon"}),
    "timeout-fraction": ("PATCH", (), {"executorTimeoutSecs": 1.5}),
    "timeout-boolean": ("PATCH", (), {"executorTimeoutSecs": True}),
    "timeout-huge": ("PATCH", (), {"executorTimeoutSecs": 10**30}),
    "settings-array": ("PATCH", (), [{"executorTimeoutSecs": 5}]),
    "one-bad-of-two": ("PATCH", (), {"executorTimeoutSecs": 5, "privateMode": "yes"}),
    "latest-without-name": ("PATCH", ("versions", "latest"), {}),
    "latest-name-number": ("PATCH", ("versions", "latest"), {"versionName": 2}),
    "cancel-option-text": ("POST", ("workflows", "wf-1", "cancel"), {"cancelChildren": "yes"}),
    "resume-queue-number": ("POST", ("workflows", "wf-1", "resume"), {"queueName": 7}),
    "search-limit-text": ("POST", ("workflows", "search"), {"limit": "many"}),
    "search-status-number": ("POST", ("workflows", "search"), {"status": [1]}),
    "search-time-text": ("POST", ("workflows", "search"), {"startTime": "yesterday"}),
}
_NO_JSON = {"cut": b'{"executorTimeoutSecs": ', "empty": b"", "binary": b"\xff\xfe\x00", "deep": b"[" * 100_000}


@scenario(
    "API-2/invalid-body",
    clauses=("API-2",),
    title="An invalid body is 422 or 400, as a problem document, and leaves the state unchanged",
    simulated=False,
    needs=("workflows",),
    variants=_INVALID,
)
async def invalid_body(world: World, request: tuple[str, tuple[str, ...], Any]) -> None:
    method, rest, body = request
    app = await world.app()
    executor = await ready_executor(world, app)
    before = await state(world, app)
    since = world.note("one executor that would answer anything")
    answer = await world.control.http(method, app_path(app, *rest), json=body, org=app.org)
    _expect_problem(world, answer, "the body is invalid", [400, 422])
    got = await state(world, app)
    world.expect("API-2", "equal", "and leaves the state unchanged", name="settings", want=before, got=got)
    world.expect(
        "API-2", "quiet", "nor asks the executor", conn=executor.conn, since=since, until=None, allow=["get_metrics"]
    )


@scenario(
    "API-2/no-json",
    clauses=("API-2",),
    title="A body that is no JSON is 422 or 400, as a problem document, and leaves the state unchanged",
    simulated=False,
    needs=("settings",),
    variants=_NO_JSON,
)
async def no_json(world: World, raw: bytes) -> None:
    app = await world.app()
    before = await state(world, app)
    answer = await world.control.http("PATCH", app_path(app), raw=raw, content_type="application/json", org=app.org)
    _expect_problem(world, answer, "the body is no JSON", [400, 422])
    got = await state(world, app)
    world.expect("API-2", "equal", "and leaves the state unchanged", name="settings", want=before, got=got)


@scenario(
    "API-2/other-errors",
    clauses=("API-2",),
    title="401, 503 and a failure of the executor are problem documents too",
    simulated=False,
    needs=("auth", "workflows"),
)
async def other_errors(world: World) -> None:
    app = await world.app()
    answer = await world.control.http("GET", app_path(app), token=None)
    _expect_problem(world, answer, "no token", [401])
    for rest in (("workflows",), ("workflows", "wf-1"), ("versions",)):
        answer = await world.control.http("GET", app_path(app, *rest), org=app.org)
        world.expect("API-2", "answer", "nobody to ask", call=answer.call, status=["4xx", "5xx"], content_type=_PROBLEM)
