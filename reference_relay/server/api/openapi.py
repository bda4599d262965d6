"""The OpenAPI document of the API, made from the table of operations and the types in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import msgspec

from reference_relay.server.api.operation import Operation
from reference_relay.server.api.shapes import Answer, Int64, Query

__all__ = ["ErrorDetail", "ErrorModel", "document", "statuses"]

TITLE, VERSION = "Conductor API", "2.0.0"
_REFERENCE = "#/components/schemas/{name}"
_PATTERNS = {"orgName": "^[a-z0-9_]{3,30}$", "appName": "^[a-z0-9_-]{3,256}$"}


class ErrorDetail(Answer, frozen=True, kw_only=True):
    location: str | msgspec.UnsetType = msgspec.UNSET
    message: str | msgspec.UnsetType = msgspec.UNSET
    value: Any = msgspec.UNSET


class ErrorModel(Answer, frozen=True, kw_only=True):
    """RFC 9457."""

    type: str | msgspec.UnsetType = msgspec.UNSET
    status: Int64 | msgspec.UnsetType = msgspec.UNSET
    title: str | msgspec.UnsetType = msgspec.UNSET
    detail: str | msgspec.UnsetType = msgspec.UNSET
    instance: str | msgspec.UnsetType = msgspec.UNSET
    errors: list[ErrorDetail] | msgspec.UnsetType | None = msgspec.UNSET


def statuses(operation: Operation) -> list[int]:
    """The errors that an operation may answer; every operation may also be refused for its size (413)."""
    found = {400, 401, 403, 404, 408, 413, 503}
    if operation.body or operation.query or "appName" in operation.path or "tokenName" in operation.path:
        found.add(422)
    if operation.conflicts:
        found.add(409)
    if operation.sends:
        found.add(502)
    return sorted(found)


def document(operations: Iterable[Operation]) -> dict[str, Any]:
    """OpenAPI 3.1, with the operations in the order of their paths."""
    ordered = sorted(operations, key=lambda operation: (operation.path, operation.method))
    types = [kind for operation in ordered for kind in (operation.body, operation.answer) if kind is not None]
    _, components = msgspec.json.schema_components([*types, ErrorModel], ref_template=_REFERENCE)
    paths: dict[str, dict[str, Any]] = {}
    for operation in ordered:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation)
    return {
        "openapi": "3.1.0",
        "info": {"title": TITLE, "version": VERSION},
        "servers": [{"url": "/"}],
        "security": [{"bearer": []}],
        "paths": paths,
        "components": {
            "schemas": dict(sorted(components.items())),
            "securitySchemes": {"bearer": {"type": "http", "scheme": "bearer", "bearerFormat": "dbos_..."}},
        },
    }


def _operation(operation: Operation) -> dict[str, Any]:
    success: dict[str, Any] = {"description": "success"}
    if operation.answer is not None:
        success["content"] = {"application/json": {"schema": _schema(operation.answer)}}
    if operation.location:
        success["headers"] = {"Location": {"schema": {"type": "string"}}}
    problem = {"application/problem+json": {"schema": _schema(ErrorModel)}}
    found: dict[str, Any] = {
        "operationId": operation.id,
        "summary": operation.summary,
        "tags": [_tag(operation)],
        "parameters": [*_path_parameters(operation.path), *_query_parameters(operation.query)],
        "responses": {
            str(operation.status): success,
            **{str(status): {"description": "failure", "content": problem} for status in statuses(operation)},
        },
    }
    if operation.body is not None:
        content = {"application/json": {"schema": _schema(operation.body)}}
        found["requestBody"] = {"required": operation.body_required, "content": content}
    if operation.extension:
        found["x-extension"] = True
    return found


def _path_parameters(path: str) -> list[dict[str, Any]]:
    return [
        {
            "name": name,
            "in": "path",
            "required": True,
            "schema": {"type": "string", "pattern": _PATTERNS[name]} if name in _PATTERNS else {"type": "string"},
        }
        for name in re.findall(r"{(\w+)}", path)
    ]


def _query_parameters(query: type[Query] | None) -> list[dict[str, Any]]:
    if query is None:
        return []
    _, components = msgspec.json.schema_components([query], ref_template=_REFERENCE)
    schema: Mapping[str, Any] = components[query.__name__]
    required = schema.get("required", [])
    return [
        {"name": name, "in": "query", "required": name in required, "schema": _without_null(shape)}
        for name, shape in schema["properties"].items()
    ]


def _without_null(shape: Mapping[str, Any]) -> dict[str, Any]:
    """A parameter that is left out is no null."""
    found = {key: value for key, value in shape.items() if key != "default" or value is not None}
    choices = [choice for choice in found.pop("anyOf", ()) if choice.get("type") != "null"]
    assert len(choices) <= 1, f"a query parameter of several types: {shape}"
    return {**found, **(choices[0] if choices else {})}


@cache
def _schema(kind: Any) -> dict[str, Any]:
    (schema,), _ = msgspec.json.schema_components([kind], ref_template=_REFERENCE)
    return dict(schema)


def _tag(operation: Operation) -> str:
    return operation.handler.__module__.rpartition(".")[2].replace("_", " ")
