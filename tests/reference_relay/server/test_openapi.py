"""The generated OpenAPI document against the facts of the public one: a difference fails unless it is listed here."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import httpx
import pytest

from conductor.catalogue import EXECUTOR_MESSAGES
from reference_relay.server.api import app, reference
from reference_relay.server.api.openapi import document
from reference_relay.server.api.operation import OPERATIONS
from tests.reference_relay.support import RelayProcess

PUBLIC: dict[str, Any] = json.loads((Path(__file__).parents[1] / "data" / "conductor_api_v2.json").read_text("utf-8"))
DOCS = Path(__file__).parents[3] / "docs"
OURS = document(OPERATIONS.values())

# Each with its reason in docs/extensions.md.
EXTRA_OPERATIONS = {"getSettingsExtensions", "listSurfacedRecoveries", "renameToken", "getStatus"}
SERVED_WITHOUT_LOGIN = {"listAuditLogs"}
OTHER_FIELDS = {
    ("PatchAppInputBody", "recoverToLatestVersion"): "boolean",
    ("CreateAlertInputBody", "ruleType"): (
        "enum(ExecutorNotRecovered|MetricThreshold|SlowQueue|UnresponsiveApplication|WorkflowFailure)!"
    ),
    ("AlertingRule", "ruleType"): (
        "enum(ExecutorNotRecovered|MetricThreshold|SlowQueue|UnresponsiveApplication|WorkflowFailure)!"
    ),
}
_FORMATS = {("integer", "int64"): "int64", ("integer", "int32"): "int32", ("number", "double"): "double"}


def public_operations() -> list[dict[str, Any]]:
    return [o for o in PUBLIC["operations"] if not o.get("oauthOnly") or o["id"] in SERVED_WITHOUT_LOGIN]


def ours() -> dict[str, tuple[str, str, dict[str, Any]]]:
    return {
        operation["operationId"]: (method.upper(), path, operation)
        for path, methods in OURS["paths"].items()
        for method, operation in methods.items()
    }


def notation(schema: dict[str, Any]) -> str:
    """A schema in the notation of the data file; bounds are left out."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "anyOf" in schema:
        choices = [notation(choice) for choice in schema["anyOf"]]
        return "|".join([*(c for c in choices if c != "null"), *(["null"] if "null" in choices else [])])
    if "enum" in schema:
        return f"enum({'|'.join(sorted(schema['enum']))})"
    match schema.get("type"):
        case "array":
            return f"{notation(schema['items'])}[]"
        case "object":
            values = schema.get("additionalProperties", {})
            return f"map<{notation(values) if isinstance(values, dict) and values else 'any'}>"
        case "string":
            return str(schema.get("format", "string"))
        case None:
            return "any"
        case kind:
            return _FORMATS.get((kind, schema.get("format", "")), kind)


def public_notation(text: str) -> str:
    """Without constraints, and with enumerations in order."""
    required = text.endswith("!")
    text = text.rstrip("!").partition(" {")[0] + text.rpartition("}")[2] if " {" in text else text.rstrip("!")
    if text.startswith("enum("):
        inner, _, rest = text.removeprefix("enum(").partition(")")
        text = f"enum({'|'.join(sorted(inner.split('|')))}){rest}"
    return text.rstrip("!") + ("!" if required else "")


def fields_of(schema: dict[str, Any]) -> dict[str, str]:
    required = schema.get("required", [])
    return {
        name: notation(shape) + ("!" if name in required else "")
        for name, shape in schema["properties"].items()
        if name != "$schema"
    }


def test_every_public_operation_is_there_and_no_other() -> None:
    public = {operation["id"] for operation in public_operations()}
    assert len(public) == 49, "48 that work without a login provider, and the audit log"
    assert public == set(ours()) - EXTRA_OPERATIONS
    assert {id for id, (_, _, o) in ours().items() if o.get("x-extension")} == EXTRA_OPERATIONS & set(ours())


@pytest.mark.parametrize("public", public_operations(), ids=lambda operation: operation["id"])
def test_an_operation_is_as_the_document_has_it(public: dict[str, Any]) -> None:
    method, path, operation = ours()[public["id"]]
    assert (method, path) == (public["method"], public["path"])
    assert {
        p["name"]: notation(p["schema"]) + ("!" if p["required"] else "")
        for p in operation["parameters"]
        if p["in"] == "query"
    } == {name: public_notation(text) for name, text in public.get("query", {}).items()}
    body = operation.get("requestBody")
    assert (body is None) == ("body" not in public)
    if body is not None:
        given = notation(body["content"]["application/json"]["schema"])
        assert (given, body["required"]) == (public["body"]["schema"], public["body"]["required"])
    success = operation["responses"][str(public["success"]["status"])]
    content = success.get("content", {}).get("application/json")
    assert (notation(content["schema"]) if content else None) == public["success"].get("schema")
    assert list(success.get("headers", ())) == public["success"].get("headers", [])


def test_every_shape_is_as_the_document_has_it() -> None:
    public = {
        (name, field): public_notation(text)
        for name, fields in PUBLIC["schemas"].items()
        for field, text in fields.items()
    }
    mine = {
        (name, field): text
        for name, schema in OURS["components"]["schemas"].items()
        for field, text in fields_of(schema).items()
    }
    extra = {schema for schema in OURS["components"]["schemas"] if schema not in PUBLIC["schemas"]}
    assert extra <= {"SettingsExtensions", "SurfacedRecovery", "RenameTokenInputBody", *STATUS_SCHEMAS}
    used = {name for name, _ in mine} - extra
    different = {
        key: mine.get(key, "missing") for key in {*mine, *public} if key[0] in used and mine.get(key) != public.get(key)
    }
    assert different == OTHER_FIELDS


STATUS_SCHEMAS = {"Status", "StatusApplication", "StatusExecutor", "StatusRecovery"}


def test_unknown_properties_are_forbidden_everywhere() -> None:
    free = [
        name
        for name, schema in OURS["components"]["schemas"].items()
        if schema.get("additionalProperties") is not False
    ]
    assert not free


def test_every_executor_message_has_its_operation_or_is_the_relays_own() -> None:
    assert reference.unsent() == [
        "executor_info", "recovery", "exist_pending_workflows", "retention", "get_metrics", "alert"
    ]  # fmt: skip
    assert len(EXECUTOR_MESSAGES) == 32


def test_the_page_in_docs_is_up_to_date() -> None:
    assert app.MODULES
    assert (DOCS / "api.md").read_text("utf-8") == reference.page(), (
        "python -m reference_relay.server.api.reference > docs/api.md"
    )


def test_every_operation_says_what_it_does() -> None:
    assert not [operation.name for operation in OPERATIONS.values() if not operation.summary]


@pytest.mark.parametrize("base", ["", "/conductor"])
def test_it_is_served_without_a_key_below_any_base_path(relay: RelayProcess, base: str) -> None:
    with relay.client(None) as client:
        assert client.get(f"{base}/openapi.json").json() == json.loads(json.dumps(OURS))
        page = client.get(f"{base}/docs")
        assert page.headers["content-type"].startswith("text/html")
        assert "default-src 'none'" in page.headers["content-security-policy"]


def test_the_status_page_holds_no_data(relay: RelayProcess, client: httpx.Client, app: str) -> None:
    with relay.client(None) as anybody:
        page = anybody.get("/")
        assert page.status_code == 200
        assert app not in page.text
        assert anybody.get("/v2/orgs/acme/status").status_code == 401
    names = [found["name"] for found in client.get("/v2/orgs/acme/status").json()["applications"]]
    assert app in names
