"""API keys: created, listed without their secret, revoked at once."""

from __future__ import annotations

from msgspec.structs import replace

from reference_relay.core.records import AppKey
from reference_relay.names import PERMISSIONS, WEBSOCKET_CONNECT
from reference_relay.server.api.answers import Token, TokenCreated
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import Problem, unfit
from reference_relay.server.api.shapes import Body
from reference_relay.server.api.times import rfc3339
from reference_relay.server.gate import digest, make_secret
from reference_relay.server.hub import wall_ms
from reference_relay.store import KeyRecord, SaveKey

LONGEST_NAME = 256


class CreateTokenInputBody(Body, frozen=True, kw_only=True):
    """Without permissions a key may only connect executors; without applications it is for all of them."""

    app_names: list[str] | None = None
    permissions: list[str] | None = None


class RenameTokenInputBody(Body, frozen=True, kw_only=True):
    new_name: str


@operation("GET", "O/permissions", None, answer=list[str], for_scoped=True)
async def list_permissions(request: ApiRequest) -> list[str]:
    """List the permissions that there are."""
    return list(PERMISSIONS)


@operation("GET", "O/tokens", "token.read", answer=list[Token])
async def list_tokens(request: ApiRequest) -> list[Token]:
    """List the API keys of an organisation, without their secrets."""
    return [_view(request, key) for key in request.context.gate.keys(request.org)]


@operation(
    "POST",
    "O/tokens/{tokenName}",
    "token.write",
    status=201,
    answer=TokenCreated,
    conflicts=True,
    body=CreateTokenInputBody,
    audits="token.create",
    target="token",
)
async def create_token(request: ApiRequest) -> TokenCreated:
    """Create an API key. Its secret is shown here and never again."""
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
    return TokenCreated(token=secret, token_name=name)


@operation(
    "DELETE", "O/tokens/{tokenName}", "token.write", status=204, conflicts=True, audits="token.revoke", target="token"
)
async def delete_token(request: ApiRequest) -> None:
    """Revoke an API key. Its open connections are closed; no new one is accepted from here on."""
    name = request.target_id = request.params["tokenName"]
    _stored(request, name)
    request.context.gate.remove(request.org, name)
    request.hub.close_key(request.org, name, "the key was revoked")
    await request.hub.commit([SaveKey(request.org, name, None), *request.audited()])


@operation(
    "PATCH", "O/tokens/{tokenName}", "token.write", status=204, body=RenameTokenInputBody, body_required=True,
    conflicts=True, audits="token.rename", target="token", extension=True,
)  # fmt: skip
async def rename_token(request: ApiRequest) -> None:
    """Rename an API key. Its secret and its open connections stay (release 0.19.0 of the API)."""
    name = request.target_id = request.params["tokenName"]
    new_name = request.details["new_name"] = request.body.new_name
    record = _stored(request, name)
    if problem := _name_problem(request, new_name):
        raise unfit("body.newName", problem)
    if new_name == name:
        return
    _refuse_taken(request, new_name)
    renamed = replace(record, name=new_name)
    request.context.gate.remove(request.org, name)
    request.context.gate.add(renamed)
    request.hub.rename_key(request.org, name, new_name)
    await request.hub.commit(
        [SaveKey(request.org, name, None), SaveKey(request.org, new_name, renamed), *request.audited()]
    )


def _stored(request: ApiRequest, name: str) -> KeyRecord:
    """The key, if it may be changed here. Raises Problem 404 or 409."""
    gate = request.context.gate
    record = gate.key(request.org, name)
    if record is None:
        raise Problem(404, "no such token")
    if gate.is_fixed(request.org, name):
        raise Problem(409, "this key comes from the relay's configuration: change it there")
    return record


def _refuse_taken(request: ApiRequest, name: str) -> None:
    if request.context.gate.key(request.org, name) is not None:
        raise Problem(409, "a token of this name exists; names are unique in an organisation")


def _check(request: ApiRequest, name: str, permissions: tuple[str, ...], apps: list[str] | None) -> None:
    unknown = sorted(set(permissions) - set(PERMISSIONS))
    if unknown:
        raise Problem(400, f"unknown permissions {', '.join(unknown)}; known are {', '.join(PERMISSIONS)}")
    if "token.write" in permissions:
        raise Problem(400, "token.write can't be put on a key")
    if not set(permissions) <= request.subject.permissions:
        raise Problem(403, "a key can't grant a permission that it lacks")
    if apps and len(set(apps)) != len(apps):
        raise unfit("body.appNames", "must be unique")
    for app in apps or ():
        if AppKey(request.org, app) not in request.context.hub.core.applications:
            raise Problem(404, f"no such application: {app}")
    if problem := _name_problem(request, name):
        raise unfit("path.tokenName", problem)
    _refuse_taken(request, name)


def _name_problem(request: ApiRequest, name: str) -> str | None:
    if not 0 < len(name) <= LONGEST_NAME:
        return f"must have 1 to {LONGEST_NAME} characters"
    if not name.isprintable():
        return "must have no control characters"
    if request.context.redactor.name(name) != name:
        return "looks like a key; a name is shown to many"
    return None


def _view(request: ApiRequest, key: KeyRecord) -> Token:
    applications = request.context.hub.core.applications
    found = [applications.get(AppKey(key.org, app)) for app in key.applications or ()]
    return Token(
        token_name=key.name,
        permissions=list(key.permissions),
        app_ids=[application.app_id for application in found if application is not None],
        created_at=rfc3339(key.created_ms),
    )
