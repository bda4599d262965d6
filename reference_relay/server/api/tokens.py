"""API keys: created, listed without their secret, revoked at once."""

from __future__ import annotations

from typing import Any

from reference_relay.core.records import AppKey
from reference_relay.names import PERMISSIONS, WEBSOCKET_CONNECT
from reference_relay.server.api.operation import ApiRequest, Body, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.times import rfc3339
from reference_relay.server.gate import digest, make_secret
from reference_relay.server.hub import wall_ms
from reference_relay.store import KeyRecord, SaveKey

LONGEST_NAME = 256


class CreateToken(Body, frozen=True, kw_only=True):
    """Without permissions a key may only connect executors; without applications it is for all of them."""

    app_names: list[str] | None = None
    permissions: list[str] | None = None


@operation("GET", "O/tokens", "token.read")
async def list_tokens(request: ApiRequest) -> list[dict[str, Any]]:
    return [_view(request, key) for key in request.context.gate.keys(request.org)]


@operation(
    "POST", "O/tokens/{tokenName}", "token.write", status=201, body=CreateToken, audits="token.create", target="token"
)
async def create_token(request: ApiRequest) -> dict[str, Any]:
    """The secret is shown here and never again."""
    name = request.target_id = request.params["tokenName"]
    permissions = tuple(request.body.permissions or (WEBSOCKET_CONNECT,))
    apps = request.body.app_names
    request.details.update(permissions=list(permissions), **({"applications": apps} if apps else {}))
    _check(request, name, permissions, apps)
    secret = make_secret(request.org)
    request.context.redactor.learn(secret)
    scope = tuple(apps) if apps else None
    record = KeyRecord(request.org, name, digest(secret), permissions, scope, wall_ms())
    request.context.gate.add(record)  # before the commit, or two calls could create one name
    await request.hub.commit([SaveKey(request.org, name, record), *request.audited()])
    return {"token": secret, "tokenName": name}


@operation("DELETE", "O/tokens/{tokenName}", "token.write", status=204, audits="token.revoke", target="token")
async def delete_token(request: ApiRequest) -> None:
    """Open connections of the key are closed; no new one is accepted from here on."""
    name = request.target_id = request.params["tokenName"]
    gate = request.context.gate
    if gate.key(request.org, name) is None:
        raise Problem(404, "no such token")
    if gate.is_fixed(request.org, name):
        raise Problem(409, "this key comes from the relay's configuration: remove it there")
    gate.remove(request.org, name)
    request.hub.close_key(request.org, name, "the key was revoked")
    await request.hub.commit([SaveKey(request.org, name, None), *request.audited()])


def _check(request: ApiRequest, name: str, permissions: tuple[str, ...], apps: list[str] | None) -> None:
    unknown = sorted(set(permissions) - set(PERMISSIONS))
    if unknown:
        raise Problem(400, f"unknown permissions {', '.join(unknown)}; known are {', '.join(PERMISSIONS)}")
    if "token.write" in permissions:
        raise Problem(400, "token.write can't be put on a key")
    if not set(permissions) <= request.subject.permissions:
        raise Problem(403, "a key can't grant a permission that it lacks")
    if apps and len(set(apps)) != len(apps):
        raise Problem(422, "validation failed", [{"location": "body.appNames", "message": "must be unique"}])
    for app in apps or ():
        if AppKey(request.org, app) not in request.context.hub.core.applications:
            raise Problem(404, f"no such application: {app}")
    if problem := _name_problem(request, name):
        raise Problem(422, "validation failed", [{"location": "path.tokenName", "message": problem}])
    if request.context.gate.key(request.org, name) is not None:
        raise Problem(409, "a token of this name exists; names are unique in an organisation")


def _name_problem(request: ApiRequest, name: str) -> str | None:
    if not 0 < len(name) <= LONGEST_NAME:
        return f"must have 1 to {LONGEST_NAME} characters"
    if not name.isprintable():
        return "must have no control characters"
    if request.context.redactor.name(name) != name:
        return "looks like a key; a name is shown to many"
    return None


def _view(request: ApiRequest, key: KeyRecord) -> dict[str, Any]:
    applications = request.context.hub.core.applications
    found = [applications.get(AppKey(key.org, app)) for app in key.applications or ()]
    return {
        "tokenName": key.name,
        "permissions": list(key.permissions),
        "appIds": [application.app_id for application in found if application is not None],
        "createdAt": rfc3339(key.created_ms),
    }
