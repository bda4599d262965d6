"""Application versions, as an executor lists them."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import UNSET

from conductor.messages import ListApplicationVersionsResponse, SetLatestApplicationVersionResponse
from conductor.records import VersionRecord
from reference_relay.core.events import LatestVersion
from reference_relay.server.api.answers import ApplicationVersion
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.shapes import Body
from reference_relay.server.api.times import rfc3339
from reference_relay.server.api.values import time

LISTS = "list_application_versions"


class PatchLatestVersionInputBody(Body, frozen=True, kw_only=True):
    version_name: str


@operation("GET", "A/versions", "application.read", answer=list[ApplicationVersion], sends=(LISTS,))
async def list_app_versions(request: ApiRequest) -> list[ApplicationVersion]:
    """List the versions of an application."""
    return [
        ApplicationVersion(
            version_id=version.version_id,
            version_name=version.version_name,
            version_timestamp=time(version.version_timestamp) or rfc3339(0),
            created_at=time(version.created_at) or rfc3339(0),
        )
        for version in await versions_of(request)
    ]


@operation(
    "PATCH", "A/versions/latest", "application.write", status=204, body=PatchLatestVersionInputBody,
    body_required=True, sends=("set_latest_application_version", LISTS), audits="application.set_latest_version",
)  # fmt: skip
async def set_latest_app_version(request: ApiRequest) -> None:
    """Make a version the latest.

    SDKs answer success for an unknown version too and change nothing (measured): so the list is asked as well.
    """
    name = request.body.version_name
    request.details["version_name"] = name
    await request.ask(SetLatestApplicationVersionResponse, {"version_name": name})
    names = [version.version_name for version in await versions_of(request)]
    if names and name not in names:
        raise Problem(404, "no such application version")
    request.hub.feed(LatestVersion(request.app, name))


async def versions_of(request: ApiRequest) -> tuple[VersionRecord, ...]:
    """Ask an executor; the core learns which version is the latest (REC-14)."""
    response = await request.ask(ListApplicationVersionsResponse, {})
    versions = () if response.output is UNSET else response.output
    latest = latest_of(versions)
    if latest is not None:
        request.hub.feed(LatestVersion(request.app, latest))
    return versions


def latest_of(versions: Sequence[VersionRecord]) -> str | None:
    """Name of the version with the highest timestamp; None where there is none at all."""
    latest = max(versions, key=lambda version: version.version_timestamp, default=None)
    return None if latest is None else latest.version_name
