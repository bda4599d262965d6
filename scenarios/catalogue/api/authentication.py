"""API-1: who may call."""

from __future__ import annotations

from scenarios.catalogue import scenario
from scenarios.catalogue.api.operations import operations
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.api.unmoved import expect_unmoved
from scenarios.world import App, World

_ALL_PERMISSIONS = [
    "organization.read",
    "organization.write",
    "application.read",
    "application.write",
    "metric.read",
    "token.read",
    "websocket.connect",
]
"""All that can be put on a key; ``token.write`` can't (measured by the vendor's own client)."""

_TOKENS: dict[str, str | None] = {
    "none": None,
    "unknown": "dbos_00000000_0123456789abcdef0123456789abcdef",
    "malformed": "not a token",
    "jwt": "eyJhbGciOiJub25lIn0.eyJzdWIiOiJhZG1pbiJ9.",
}


async def _expect_unmoved(world: World, app: App, token: str | None, statuses: list[int]) -> None:
    """Every operation with this token: these statuses, nothing reaches the executor, nothing changes."""

    async def attempt(resident: str, intruder: str) -> None:
        for operation in operations(app, resident, intruder):
            answer = await world.control.http(operation.method, operation.path, json=operation.json, token=token)
            world.expect("API-1", "answer", operation.name, call=answer.call, status=statuses)

    await expect_unmoved(world, "API-1", app, attempt, allow=["get_metrics"])


@scenario(
    "API-1/no-valid-token",
    clauses=("API-1",),
    title="Without or with a wrong bearer token every operation answers 401",
    simulated=False,
    needs=("auth", "workflows", "keys"),
    variants=_TOKENS,
)
async def no_valid_token(world: World, token: str | None) -> None:
    await _expect_unmoved(world, await world.app(), token, [401])


@scenario(
    "API-1/revoked-token",
    clauses=("API-1",),
    title="With a revoked token every operation answers 401",
    simulated=False,
    needs=("auth", "workflows", "keys"),
)
async def revoked_token(world: World) -> None:
    app = await world.app()
    name, secret = await world.control.create_key(app.org, permissions=_ALL_PERMISSIONS)
    await world.control.revoke_key(app.org, name)
    await _expect_unmoved(world, app, secret, [401])


@scenario(
    "API-1/other-organisation",
    clauses=("API-1",),
    title="With a token of another organisation every operation answers 403 or 404 and changes nothing",
    simulated=False,
    needs=("auth", "workflows", "keys", "organisations"),
)
async def other_organisation(world: World) -> None:
    app, elsewhere = await world.app(), await world.app(org="other")
    _, secret = await world.control.create_key(elsewhere.org, permissions=_ALL_PERMISSIONS)
    own = await world.control.http("GET", app_path(elsewhere), token=secret)
    world.expect("API-1", "answer", "the token is good at home", call=own.call, status=[200])
    await _expect_unmoved(world, app, secret, [403, 404])
