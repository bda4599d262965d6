"""What a call that must change nothing could have changed."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue.api.paths import app_path, org_path
from scenarios.world import App, World


async def state(world: World, app: App) -> dict[str, Any]:
    """The application's settings and the names of the organisation's keys, as the API shows them now."""
    settings = await world.control.http("GET", app_path(app), org=app.org)
    tokens = await world.control.http("GET", org_path(app, "tokens"), org=app.org)
    rows = tokens.body if isinstance(tokens.body, list) else []
    return {
        "application": [settings.status, _without_status(settings.body)],
        "tokens": sorted(str(row.get("tokenName")) for row in rows if isinstance(row, dict)),
    }


def _without_status(body: Any) -> Any:
    """AVAILABLE or UNAVAILABLE comes and goes with the executors."""
    return {name: value for name, value in body.items() if name != "status"} if isinstance(body, dict) else body
