"""Names that callers choose: a key among them is shown nowhere, anything printable is kept as it is."""

from __future__ import annotations

import httpx
import pytest

from tests.reference_relay.support import ADMIN, RelayProcess

PASTED = "dbos_acme_0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize("pasted", [PASTED, ADMIN, f"x{PASTED}y"])
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "O/tokens/{}"),
        ("DELETE", "O/tokens/{}"),
        ("PUT", "O/apps/{}!"),
        ("PATCH", "O/apps/{}"),
        ("DELETE", "O/apps/{}"),
        ("POST", "A/workflows/{}/cancel"),
        ("GET", "O/audit-logs?limit={}"),
        ("GET", "{}"),
    ],
)
def test_a_key_pasted_as_a_name_is_shown_nowhere(
    relay: RelayProcess, client: httpx.Client, app: str, method: str, path: str, pasted: str
) -> None:
    org = "/v2/orgs/acme"
    url = path.replace("O/", f"{org}/").replace("A/", f"{org}/apps/{app}/").format(pasted)
    answer = client.request(method, url, json={} if method == "PATCH" else None)
    assert 400 <= answer.status_code < 600
    assert pasted not in answer.text
    assert pasted not in client.get(f"{org}/audit-logs", params={"limit": 1000}).text
    assert pasted not in client.get(f"{org}/tokens").text
    assert pasted not in relay.log()


@pytest.mark.parametrize("name", ["a%0Ab", "a%00", "x" * 257])
def test_a_token_s_name_can_be_shown(client: httpx.Client, name: str) -> None:
    answer = client.post(f"/v2/orgs/acme/tokens/{name}")
    assert answer.status_code == 422
    assert answer.json()["errors"][0]["location"] == "path.tokenName"


def test_a_slash_in_a_token_s_name_is_part_of_it(client: httpx.Client) -> None:
    assert client.post("/v2/orgs/acme/tokens/a%2Fb%20c").status_code == 201
    assert "a/b c" in [token["tokenName"] for token in client.get("/v2/orgs/acme/tokens").json()]
    assert client.delete("/v2/orgs/acme/tokens/a/b c").status_code == 404
    assert client.delete("/v2/orgs/acme/tokens/a%2Fb%20c").status_code == 204


def test_an_application_whose_name_begins_like_a_key_keeps_it(client: httpx.Client) -> None:
    path = "/v2/orgs/acme/apps/dbos_my_long_application_name_of_mine"
    assert client.put(path).status_code == 204
    newest = client.get("/v2/orgs/acme/audit-logs").json()[0]
    assert newest["details"]["application_name"] == "dbos_my_long_application_name_of_mine"
    client.delete(path)
