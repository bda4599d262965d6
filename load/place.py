"""Which relay a load test speaks to, and as whom: from the environment, so that plain ``locust -f`` works too."""

from __future__ import annotations

import os
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

PREFIX = "RELAYPROOF_LOAD_"


class LoadError(Exception):
    """The load test can't begin. The text names what is missing and the way out."""


@dataclass(frozen=True, slots=True)
class Place:
    """One application of one organisation on one relay."""

    base: str  # http(s)://host:port and base path, without a trailing slash
    org: str
    app: str
    token: str  # for the management API; empty in no-auth mode
    key: str  # for executors' sockets
    pace_s: float  # between two calls of one API user

    @property
    def app_path(self) -> str:
        """Path of the application in the management API."""
        return f"/v2/orgs/{quote(self.org, safe='')}/apps/{quote(self.app, safe='')}"

    @property
    def socket_url(self) -> str:
        """Where executors dial (protocol page)."""
        parts = urlsplit(self.base)
        scheme = "wss" if parts.scheme == "https" else "ws"
        key = quote(self.key or "no-key", safe="")
        return f"{scheme}://{parts.netloc}{parts.path}/websocket/{quote(self.app, safe='')}/{key}"


def from_environment(host: str | None) -> Place:
    """``host`` is Locust's ``--host``. Variables: RELAYPROOF_LOAD_ORG, _APP, _TOKEN, _KEY, _PACE_S."""
    if not host:
        raise LoadError("no relay to load: give --host http://address:port")
    token = os.environ.get(f"{PREFIX}TOKEN", "")
    pace = os.environ.get(f"{PREFIX}PACE_S", "1.0")
    try:
        pace_s = float(pace)
    except ValueError as error:
        raise LoadError(f"{PREFIX}PACE_S is {pace!r}: give seconds, such as 0.5") from error
    return Place(
        base=host.rstrip("/"),
        org=os.environ.get(f"{PREFIX}ORG", "local"),
        app=os.environ.get(f"{PREFIX}APP", "load"),
        token=token,
        key=os.environ.get(f"{PREFIX}KEY", token),
        pace_s=pace_s,
    )
