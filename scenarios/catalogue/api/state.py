"""What a call that must change nothing could have changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from scenarios.catalogue.api.paths import app_path, org_path
from scenarios.world import App, World


async def state(world: World, app: App, keys: Sequence[str] = ()) -> dict[str, Any]:
    """The application's settings, and which of these keys the organisation has, as the API shows them now.

    Other scenarios make keys in the same organisation meanwhile: only the named ones are looked at.
    """
    settings = await world.control.http("GET", app_path(app), org=app.org)
    found = {"application": [settings.status, _without_status(settings.body)]}
    if keys:
        tokens = await world.control.http("GET", org_path(app, "tokens"), org=app.org)
        rows = tokens.body if isinstance(tokens.body, list) else []
        names = {row.get("tokenName") for row in rows if isinstance(row, dict)}
        found["keys"] = [name for name in keys if name in names]
    return found


def _without_status(body: Any) -> Any:
    """AVAILABLE or UNAVAILABLE comes and goes with the executors."""
    return {name: value for name, value in body.items() if name != "status"} if isinstance(body, dict) else body
