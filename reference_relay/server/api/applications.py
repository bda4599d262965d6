"""Applications and their settings."""

from __future__ import annotations

import uuid
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType
from msgspec.structs import replace

from reference_relay.core.events import DeleteApplication, PutApplication
from reference_relay.core.records import Application as Record
from reference_relay.core.records import Settings
from reference_relay.names import APP_NAME
from reference_relay.server.api.answers import Application, SettingsExtensions
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import unfit
from reference_relay.server.api.shapes import Body, Count, given
from reference_relay.server.context import Context
from reference_relay.store import ForgetApplication, MarkPatched

Positive = Annotated[int, Meta(ge=1, le=2**31, extra_json_schema={"format": "int64"})]


class PutAppInputBody(Body, frozen=True, kw_only=True):
    private_mode: bool | UnsetType = UNSET


class PatchAppInputBody(Body, frozen=True, kw_only=True):
    """`recover_to_latest_version` is an extension. A threshold of 0 switches it off."""

    executor_timeout_secs: Positive | UnsetType = UNSET
    gc_rows_threshold: Count | UnsetType = UNSET
    gc_time_threshold_ms: Count | UnsetType = UNSET
    global_timeout_ms: Count | UnsetType = UNSET
    private_mode: bool | UnsetType = UNSET
    recover_to_latest_version: bool | UnsetType = UNSET


@operation("GET", "O/apps", "application.read", answer=list[Application], for_scoped=True)
async def list_apps(request: ApiRequest) -> list[Application]:
    """List the applications that the key reaches."""
    await request.hub.settled()
    found = [a for key, a in request.context.hub.core.applications.items() if key.org == request.org]
    visible = sorted((a for a in found if request.subject.reaches(a.key.app)), key=lambda a: a.key)
    return [_view(request.context, application) for application in visible]


@operation("GET", "A", "application.read", answer=Application)
async def get_app(request: ApiRequest) -> Application:
    """Read one application with its settings."""
    await request.hub.settled()
    return _view(request.context, request.application)


@operation("PUT", "A", "application.write", status=204, body=PutAppInputBody, creates=True, audits="application.create")
async def register_app(request: ApiRequest) -> None:
    """Register an application. Idempotent: for one that exists only what the body gives is changed."""
    if not APP_NAME.fullmatch(request.app.app):
        raise unfit("path.appName", f"must match {APP_NAME.pattern}", request.app.app)
    before = request.context.hub.core.applications.get(request.app)
    settings = before.settings if before else request.context.config.default_settings
    if request.body.private_mode is not UNSET:
        settings = replace(settings, private_mode=request.body.private_mode)
    if before is not None and settings == before.settings:
        request.audits = None
        return
    request.details["private_mode"] = settings.private_mode
    app_id = before.app_id if before else str(uuid.uuid4())
    request.target_id = app_id
    await request.hub.apply(PutApplication(request.app, app_id, settings), request.audited())


@operation(
    "PATCH",
    "A",
    "application.write",
    status=204,
    body=PatchAppInputBody,
    body_required=True,
    audits="application.update",
)
async def update_app(request: ApiRequest) -> None:
    """Change settings of an application. They win over the configuration file from now on (LIV-9)."""
    wanted = given(request.body)
    request.details.update(wanted)
    changes = {_SETTING.get(name, name): _value(name, value) for name, value in wanted.items()}
    application = request.application
    settings = replace(application.settings, **changes)
    event = PutApplication(request.app, application.app_id, settings)
    await request.hub.apply(event, [MarkPatched(request.app, tuple(changes)), *request.audited()])


@operation("DELETE", "A", "application.write", status=204, audits="application.delete")
async def delete_app(request: ApiRequest) -> None:
    """Delete an application. Its executors' connections are closed, their records go with it."""
    request.context.rules.forget(request.app)
    await request.hub.apply(DeleteApplication(request.app), [ForgetApplication(request.app), *request.audited()])


@operation("GET", "A/settings-extensions", "application.read", answer=SettingsExtensions, extension=True)
async def get_settings_extensions(request: ApiRequest) -> SettingsExtensions:
    """Read the settings that the API document does not know, apart, because its schemas forbid extra fields."""
    await request.hub.settled()
    return SettingsExtensions(recover_to_latest_version=request.application.settings.recover_to_latest_version)


_SETTING = {"executor_timeout_secs": "executor_timeout_s"}


def _value(name: str, value: int | bool) -> int | bool | None:
    """The document's schema has no null for PATCH, so 0 is how a threshold is switched off."""
    return None if value == 0 and name.endswith(("threshold", "_ms")) else value


def _view(context: Context, application: Record) -> Application:
    settings: Settings = application.settings
    return Application(
        id=application.app_id,
        name=application.key.app,
        org_id=application.key.org,
        status="AVAILABLE" if context.hub.core.ready.get(application.key) else "UNAVAILABLE",
        language=application.language,
        dbos_cloud=False,
        private_mode=settings.private_mode,
        executor_timeout_secs=settings.executor_timeout_s,
        gc_rows_threshold=settings.gc_rows_threshold,
        gc_time_threshold_ms=settings.gc_time_threshold_ms,
        global_timeout_ms=settings.global_timeout_ms,
    )
