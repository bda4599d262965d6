"""Who may do what: every operation, by key, permission, scope and organisation."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from reference_relay.names import PERMISSIONS
from reference_relay.server.api import app as application
from reference_relay.server.api.operation import OPERATIONS, Operation
from tests.reference_relay.server.test_api import problem
from tests.reference_relay.support import OTHER_ADMIN, Executor, RelayProcess, healthy, relay_in, until

assert application.MODULES
ALL = list(OPERATIONS.values())
LOGIN_ONLY = [
    ("GET", ""), ("PATCH", ""), ("GET", "/domain-claims"), ("POST", "/domain-claims"), ("DELETE", "/domain-claims/a.b"),
    ("POST", "/join"), ("GET", "/members"), ("DELETE", "/members/ann"), ("PUT", "/members/ann/roles/admin"),
    ("GET", "/roles"), ("POST", "/roles"), ("DELETE", "/roles/admin"), ("POST", "/secrets"),
]  # fmt: skip


def send(client: httpx.Client, operation: Operation, app: str, org: str = "acme") -> httpx.Response:
    names = {"orgName": org, "appName": app}
    path = "/".join(names.get(s[1:-1], "x") if s.startswith("{") else s for s in operation.path.split("/"))
    return client.request(operation.method, path, json={} if operation.body else None)


def key(client: httpx.Client, name: str, **body: Any) -> str:
    answer = client.post(f"/v2/orgs/acme/tokens/{name}", json=body)
    assert answer.status_code == 201, answer.text
    return str(answer.json()["token"])


@pytest.mark.parametrize("operation", ALL, ids=lambda operation: operation.name)
def test_without_a_key_it_is_401(relay: RelayProcess, app: str, operation: Operation) -> None:
    for token in (None, "dbos_acme_wrong0123456789abcdef"):
        with relay.client(token) as client:
            answer = send(client, operation, app)
            problem(answer, 401)
            assert answer.headers["WWW-Authenticate"] == "Bearer"


@pytest.mark.parametrize("operation", ALL, ids=lambda operation: operation.name)
def test_another_organisation_is_404(relay: RelayProcess, app: str, operation: Operation) -> None:
    with relay.client(OTHER_ADMIN) as client:
        problem(send(client, operation, app), 404)


@pytest.fixture(scope="module")
def weak(relay: RelayProcess) -> dict[str, str]:
    """By permission: a key with all others."""
    with relay.client() as client:
        grantable = [permission for permission in PERMISSIONS if permission != "token.write"]
        return {
            permission: key(client, f"all-but-{permission}", permissions=[p for p in grantable if p != permission])
            for permission in PERMISSIONS
        }


@pytest.mark.parametrize("operation", [o for o in ALL if o.permission], ids=lambda operation: operation.name)
def test_without_its_permission_it_is_403(
    relay: RelayProcess, weak: dict[str, str], app: str, operation: Operation
) -> None:
    assert operation.permission is not None
    with relay.client(weak[operation.permission]) as client:
        answer = send(client, operation, app)
        assert operation.permission in problem(answer, 403)["detail"]


def test_a_scoped_key_reaches_its_applications_only(relay: RelayProcess, client: httpx.Client, app: str) -> None:
    assert client.put(f"/v2/orgs/acme/apps/{app}-other").status_code == 204
    scoped = key(client, "scoped", appNames=[app], permissions=["application.read", "organization.read"])
    with relay.client(scoped) as narrow:
        assert narrow.get(f"/v2/orgs/acme/apps/{app}").status_code == 200
        problem(narrow.get(f"/v2/orgs/acme/apps/{app}-other"), 403)
        problem(narrow.get("/v2/orgs/acme/audit-logs"), 403)
        assert [found["name"] for found in narrow.get("/v2/orgs/acme/apps").json()] == [app]
        assert narrow.get("/v2/orgs/acme/permissions").json() == list(PERMISSIONS)
        status = narrow.get("/v2/orgs/acme/status").json()
        assert ([found["name"] for found in status["applications"]], status["audit"]) == ([app], [])


@pytest.mark.parametrize(("method", "path"), LOGIN_ONLY)
def test_what_needs_a_login_provider_is_404(client: httpx.Client, method: str, path: str) -> None:
    problem(client.request(method, f"/v2/orgs/acme{path}"), 404)


@pytest.mark.parametrize(("method", "path"), [("POST", "/v2/users"), ("GET", "/v2/users/me")])
def test_users_are_404(client: httpx.Client, method: str, path: str) -> None:
    problem(client.request(method, path), 404)


def test_a_renamed_key_keeps_its_secret_and_its_sockets(relay: RelayProcess, client: httpx.Client, app: str) -> None:
    secret = key(client, "before")
    key(client, "taken")
    executor = Executor(relay, app, "e1", key=secret)
    healthy(client, app, "e1")
    problem(client.patch("/v2/orgs/acme/tokens/before", json={"newName": "taken"}), 409)
    problem(client.patch("/v2/orgs/acme/tokens/admin", json={"newName": "boss"}), 409)
    problem(client.patch("/v2/orgs/acme/tokens/nobody", json={"newName": "x"}), 404)
    problem(client.patch("/v2/orgs/acme/tokens/before", json={"newName": ""}), 422)
    assert client.patch("/v2/orgs/acme/tokens/before", json={"newName": "before"}).status_code == 204
    assert client.patch("/v2/orgs/acme/tokens/before", json={"newName": "after"}).status_code == 204
    names = {token["tokenName"] for token in client.get("/v2/orgs/acme/tokens").json()}
    assert "after" in names and "before" not in names
    assert not executor.closed.is_set()
    assert client.delete("/v2/orgs/acme/tokens/after").status_code == 204
    until(executor.closed.is_set, "the socket of the revoked key closed")


def test_a_bad_key_that_is_tried_again_and_again_is_logged_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    with relay_in(tmp_path_factory.mktemp("relay")) as relay, relay.client() as client:
        client.put("/v2/orgs/acme/apps/shop")
        for _ in range(20):
            with pytest.raises(Exception, match="401"):
                Executor(relay, "shop", "e1", key="dbos_acme_wrong0123456789abcdef")
        assert relay.log().count("an upgrade was refused") == 1
        assert "wrong0123456789" not in relay.log()
