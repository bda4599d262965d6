"""Every operation of the management API that this catalogue knows, as a request (API document)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from scenarios.catalogue.api.paths import app_path, org_path
from scenarios.world import App


@dataclass(frozen=True, kw_only=True, slots=True)
class Operation:
    """One request. ``json`` None: no body."""

    name: str
    method: str
    path: str
    json: Any = None


def operations(app: App, resident: str, intruder: str) -> list[Operation]:
    """Reading ones first, destroying ones last: a relay that lets one pass shows it before its object is gone.

    ``resident`` is the name of a key that is there, ``intruder`` of one that is not.
    """

    def of_app(name: str, method: str, *segments: str, json: Any = None, query: str = "") -> Operation:
        return Operation(name=name, method=method, path=app_path(app, *segments) + query, json=json)

    def of_org(name: str, method: str, *segments: str, json: Any = None) -> Operation:
        return Operation(name=name, method=method, path=org_path(app, *segments), json=json)

    span = "?startTime=2026-01-01T00:00:00Z&endTime=2026-01-02T00:00:00Z"
    return [
        of_org("list applications", "GET", "apps"),
        of_app("get application", "GET"),
        of_app("list executors", "GET", "executors"),
        of_app("list metrics", "GET", "metrics", query=span),
        of_app("list versions", "GET", "versions"),
        of_app("list workflows", "GET", "workflows"),
        of_app("search workflows", "POST", "workflows", "search", json={}),
        of_app("get workflow", "GET", "workflows", "wf-1"),
        of_app("list steps", "GET", "workflows", "wf-1", "steps"),
        of_org("list tokens", "GET", "tokens"),
        of_org("list audit log", "GET", "audit-logs"),
        of_app("cancel workflow", "POST", "workflows", "wf-1", "cancel", json={"cancelChildren": False}),
        of_app("resume workflow", "POST", "workflows", "wf-1", "resume", json={}),
        of_app("set latest version", "PATCH", "versions", "latest", json={"versionName": "v2"}),
        of_org("create token", "POST", "tokens", intruder, json={}),
        of_org("delete token", "DELETE", "tokens", resident),
        of_app("register application", "PUT", json={}),
        of_app("update application", "PATCH", json={"executorTimeoutSecs": 17}),
        of_app("delete application", "DELETE"),
    ]
