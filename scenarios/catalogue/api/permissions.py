"""API-1 for what a relay has beside the first operations, and API-5: what a key may do, and what not."""

from __future__ import annotations

from collections.abc import Sequence

from scenarios.catalogue import scenario
from scenarios.catalogue.api.every import Request, every_request
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.api.state import state
from scenarios.catalogue.api.unmoved import expect_unmoved
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.world import App, World

_NOT_THERE = [404, 405, 501]
_PERMISSIONS = (
    "application.read",
    "application.write",
    "metric.read",
    "organization.read",
    "token.read",
    "websocket.connect",
)
"""Those that a key can have (API document, and the vendor's own client for ``token.write``)."""


async def _expect_refused(
    world: World, clause: str, app: App, requests: Sequence[Request], token: str | None, statuses: list[int]
) -> None:
    """Each of them gets one of the statuses. An operation of later days may be one that the relay lacks."""
    for request in requests:
        answer = await world.control.http(request.method, request.path, json=request.json, token=token)
        wanted = statuses + (_NOT_THERE if request.late else [])
        world.expect(clause, "answer", request.name, call=answer.call, status=wanted)


@scenario(
    "API-1/every-operation",
    clauses=("API-1",),
    title="Without a token, with a wrong one or another organisation's, no operation there is does anything",
    simulated=False,
    needs=("auth", "workflows", "keys"),
    variants={"none": (None, [401]), "unknown": ("dbos_00000000_0123456789abcdef0123456789abcdef", [401])},
)
async def every_operation(world: World, sent: tuple[str | None, list[int]]) -> None:
    token, statuses = sent
    await _expect_unmoved(world, "API-1", await world.app(), token, statuses)


@scenario(
    "API-1/every-operation/other-organisation",
    clauses=("API-1",),
    title="With another organisation's token no operation there is does anything",
    simulated=False,
    needs=("auth", "workflows", "keys", "organisations"),
)
async def other_organisation(world: World) -> None:
    app, elsewhere = await world.app(), await world.app(org="other")
    _, secret = await world.control.create_key(elsewhere.org, permissions=_PERMISSIONS)
    await _expect_unmoved(world, "API-1", app, secret, [403, 404])


@scenario(
    "API-5/permission",
    clauses=("API-5",),
    title="A key with one permission does what it allows, and is refused all else",
    simulated=False,
    needs=("auth", "workflows", "keys"),
    variants=_PERMISSIONS,
)
async def permission(world: World, granted: str) -> None:
    app = await world.app()
    executor = await ready_executor(world, app)
    resident, _ = await world.control.create_key(app.org)
    _, secret = await world.control.create_key(app.org, permissions=[granted])
    intruder = f"{app.name}-intruder"
    requests = every_request(app, resident, intruder)
    before = await state(world, app, (resident, intruder))
    since = world.note("one executor that would answer anything")
    await _expect_refused(world, "API-5", app, [each for each in requests if each.permission != granted], secret, [403])
    until = world.note("all that it does not allow was tried")
    after = await state(world, app, (resident, intruder))
    world.expect("API-5", "equal", "and changes nothing", name="settings and keys", want=before, got=after)
    world.expect(
        "API-5", "quiet", "nothing reaches the executor", conn=executor.conn, since=since, until=until, allow=[]
    )
    for request in requests:
        if request.permission == granted:
            answer = await world.control.http(request.method, request.path, json=request.json, token=secret)
            refused = answer.status in (0, 401, 403)
            world.expect("API-5", "equal", f"{request.name} is allowed", name="refused", want=False, got=refused)


@scenario(
    "API-5/scoped",
    clauses=("API-5",),
    title="A key for one application is refused every other one",
    simulated=False,
    needs=("auth", "workflows", "keys", "scoped_keys"),
)
async def scoped(world: World) -> None:
    own, app = await world.app(), await world.app()
    executor = await ready_executor(world, app)
    permissions = ["application.read", "application.write", "metric.read"]
    _, secret = await world.control.create_key(own.org, apps=[own.name], permissions=permissions)
    before = await state(world, app)
    since = world.note("one executor that would answer anything")
    requests = [each for each in every_request(app, "none", "none") if each.path.startswith(app_path(app))]
    await _expect_refused(world, "API-5", app, requests, secret, [403, 404])
    after = await state(world, app)
    world.expect("API-5", "equal", "and changes nothing", name="settings", want=before, got=after)
    world.expect(
        "API-5", "quiet", "nothing reaches the executor", conn=executor.conn, since=since, until=None, allow=[]
    )
    answer = await world.control.http("GET", app_path(own), token=secret)
    world.expect("API-5", "answer", "its own application", call=answer.call, status=[200])


async def _expect_unmoved(world: World, clause: str, app: App, token: str | None, statuses: list[int]) -> None:
    async def attempt(resident: str, intruder: str) -> None:
        await _expect_refused(world, clause, app, every_request(app, resident, intruder), token, statuses)

    await expect_unmoved(world, clause, app, attempt, allow=[])
