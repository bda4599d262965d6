"""Paths of the management API (API document), segments percent-encoded whole as its clients do."""

from __future__ import annotations

from urllib.parse import quote

from scenarios.world import App


def org_path(app: App, *segments: str) -> str:
    """``/v2/orgs/{org}/...``"""
    return "/".join(["/v2/orgs", *(quote(segment, safe="") for segment in (app.org, *segments))])


def app_path(app: App, *segments: str) -> str:
    """``/v2/orgs/{org}/apps/{app}/...``"""
    return org_path(app, "apps", app.name, *segments)
