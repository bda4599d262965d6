"""The applications of one scenario: registered, set up, and each watched by a poller of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

import msgspec

from conductor.timing import Timing
from evidence import events
from evidence.history import Recorder
from scenarios.control import ConductorV2
from scenarios.errors import Prerequisite, Unsupported
from scenarios.profile import Organisation, Profile
from scenarios.wire.poller import Poller
from scenarios.wire.tenants import Names
from scenarios.world import Answer, App, Control


class WireApp(msgspec.Struct):
    """See `scenarios.world.App`. ``grace_s`` follows acknowledged settings."""

    org: str
    name: str
    grace_s: float


class Apps:
    """``watch`` is called for a listed application and gives the poller that it started."""

    def __init__(
        self, *, profile: Profile, timing: Timing, recorder: Recorder, names: Names, watch: Callable[[App], Poller]
    ) -> None:
        self._profile = profile
        self._timing = timing
        self._recorder = recorder
        self._names = names
        self._watch = watch
        self._made: list[tuple[Organisation, WireApp]] = []
        self._pollers: dict[tuple[str, str], Poller] = {}

    async def make(
        self,
        control: Control,
        tenant: Organisation,
        *,
        grace_s: float | None,
        name: str | None,
        settings: Mapping[str, Any],
        register: bool,
    ) -> App:
        """See `scenarios.world.World.app`. Raises `Unsupported` or `Prerequisite`."""
        if grace_s not in (None, self._timing.grace_s):
            self._profile.require("settings")
        own = name or (await self._names.take(tenant) if register else self._names.fresh())
        app = WireApp(tenant.name, own, self._timing.grace_s if grace_s is None else grace_s)
        self._made.append((tenant, app))
        if register:
            await self._register(control, tenant, app)
        self._recorder.add(events.App, org=app.org, app=app.name, grace_s=app.grace_s)
        if register:
            await self._set_up(control, app, settings)
        return app

    def poller(self, app: App) -> Poller | None:
        return self._pollers.get((app.org, app.name))

    def settings_changed(self, app: App, changes: Mapping[str, Any]) -> None:
        """Acknowledged: from now on the application's windows are these."""
        grace_s = changes.get("executorTimeoutSecs")
        for _, known in self._made:
            if (known.org, known.name) == (app.org, app.name) and isinstance(grace_s, int | float):
                known.grace_s = float(grace_s)

    async def _register(self, control: Control, tenant: Organisation, app: WireApp) -> None:
        if self._profile.can("register") and isinstance(control, ConductorV2):
            answer = await control.register(app)
            _succeeded(answer, f"application {app.name} can't be registered")
        elif app.name not in tenant.applications and self._profile.can("refuses_unknown"):
            raise Unsupported(f"{self._profile.name} has no way to register application {app.name}")

    async def _set_up(self, control: Control, app: WireApp, settings: Mapping[str, Any]) -> None:
        changes = dict(settings)
        if self._profile.can("settings"):
            changes = {"executorTimeoutSecs": math.ceil(app.grace_s)} | changes
        if changes:
            answer = await control.patch_settings(app, changes)
            _succeeded(answer, f"the settings of {app.name} can't be changed")
        if self._profile.can("list"):
            self._pollers[app.org, app.name] = self._watch(app)


def _succeeded(answer: Answer, otherwise: str) -> None:
    if answer.status // 100 != 2:
        raise Prerequisite(f"{otherwise}: status {answer.status}")
