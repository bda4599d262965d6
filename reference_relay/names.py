"""Names that the API document fixes: their patterns, and the permissions."""

from __future__ import annotations

import re

__all__ = ["APP_NAME", "ORG_NAME", "PERMISSIONS", "WEBSOCKET_CONNECT"]

ORG_NAME = re.compile(r"[a-z0-9_]{3,30}")
APP_NAME = re.compile(r"[a-z0-9_-]{3,256}")  # up to 256 characters since release 0.19.0 of the API

WEBSOCKET_CONNECT = "websocket.connect"
PERMISSIONS = (
    "organization.read",
    "organization.write",
    "application.read",
    "application.write",
    "metric.read",
    "token.read",
    "token.write",
    WEBSOCKET_CONNECT,
)
