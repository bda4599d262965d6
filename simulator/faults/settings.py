"""An administrator changes the application's settings."""

from __future__ import annotations

from scenarios.schedule.file import FaultAt
from simulator.faults import Heal, fault
from simulator.models.fleet import Fleet


@fault("settings")
def settings(fleet: Fleet, at: FaultAt) -> Heal | None:
    app = fleet.places[at.on].app
    changes: dict[str, object] = {}
    if at.values["grace_s"]:
        changes["executor_timeout_s"] = int(at.values["grace_s"])
    if at.values["latest"] != "as-is":
        changes["recover_to_latest_version"] = at.values["latest"] == "on"
    fleet.change_settings(app, **changes)
    return None
