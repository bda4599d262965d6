"""What a profile declares absent is looked for all the same: a wrong claim would hide failures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from evidence.events import Frame
from scenarios.catalogue import Scenario
from scenarios.errors import Unsupported
from scenarios.profile import CAPABILITIES, Profile
from scenarios.world import App, World
from scenarios.worlds import Session

_ORG = "/v2/orgs/{org}"
_APP = _ORG + "/apps/{app}"

LOOKS: Mapping[str, tuple[str, str, Any]] = {
    "list": ("GET", _APP + "/executors", None),
    "audit": ("GET", _ORG + "/audit-logs?limit=1", None),
    "metrics": ("GET", "/v1/metrics", None),
    "settings": ("PATCH", _APP, {"executorTimeoutSecs": 60}),
    "workflows": ("GET", _APP + "/workflows?limit=1", None),
    "keys": ("POST", _ORG + "/tokens/relayproof-look", {}),
}
"""Capabilities that one successful call shows: method, path, body."""
_ON_THE_WIRE = "exist_pending"


def declared_absent(profile: Profile) -> list[str]:
    """The capabilities that the profile says aren't there, and that can be looked for."""
    names = (*LOOKS, _ON_THE_WIRE) if profile.relay.api != "none" else (_ON_THE_WIRE,)
    return [name for name in names if profile.capabilities.get(name) is False]


async def contradicted(session: Session, profile: Profile, deadline_s: float) -> list[str]:
    """A sentence for each capability that is declared absent and was observed. ``session``: of the wire world."""
    absent = declared_absent(profile)
    seen: list[str] = []

    async def look(world: World) -> None:
        app = await world.app()
        lost, peer = await world.executor(app), await world.executor(app)
        seen.extend([name for name in absent if name in LOOKS and await _succeeds(world, app, name)])
        if _ON_THE_WIRE in absent:
            await lost.drop("rst")
            await world.until_frame(peer, "exist_pending_workflows", within_s=3 * world.timing.grace_s + 10)

    if not absent:
        return []
    scenario = Scenario(id="PRB-2/claims", title="What is declared absent", clauses=(), run=look)
    history = (await session.play(scenario, None, deadline_s)).history()
    if any(frame.by == "relay" and '"exist_pending_workflows"' in frame.data for frame in history.of(Frame)):
        seen.append(_ON_THE_WIRE)
    return [f"{name} = false, but it was observed that {CAPABILITIES[name]}" for name in seen if name in absent]


async def _succeeds(world: World, app: App, capability: str) -> bool:
    method, path, body = LOOKS[capability]
    place = path.format(org=quote(app.org, safe=""), app=quote(app.name, safe=""))
    try:
        answer = await world.control.http(method, place, json=body, org=app.org)
        if capability == "keys" and answer.status // 100 == 2:  # leave nothing behind
            await world.control.http("DELETE", place, org=app.org)
    except Unsupported:
        return False
    return answer.status // 100 == 2
