"""Application versions, as an executor lists them."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from conductor.messages import ListApplicationVersionsResponse, SetLatestApplicationVersionResponse
from conductor.records import VersionRecord
from reference_relay.core.events import LatestVersion
from reference_relay.server.api.operation import ApiRequest, Body, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.responses import succeeded, understood
from reference_relay.server.api.times import rfc3339


class PatchLatestVersion(Body, frozen=True, kw_only=True):
    version_name: str


@operation("GET", "A/versions", "application.read")
async def list_app_versions(request: ApiRequest) -> list[dict[str, Any]]:
    return [
        {
            "versionId": version.version_id,
            "versionName": version.version_name,
            "versionTimestamp": rfc3339(version.version_timestamp),
            "createdAt": rfc3339(version.created_at),
        }
        for version in await versions_of(request)
    ]


@operation(
    "PATCH",
    "A/versions/latest",
    "application.write",
    status=204,
    body=PatchLatestVersion,
    body_required=True,
    audits="application.set_latest_version",
)
async def set_latest_app_version(request: ApiRequest) -> None:
    """SDKs answer success for an unknown version too and change nothing (measured): so the list is asked as well."""
    name = request.body.version_name
    request.details["version_name"] = name
    data = await request.ask("set_latest_application_version", {"version_name": name})
    succeeded(data, SetLatestApplicationVersionResponse)
    names = [version.version_name for version in await versions_of(request)]
    if names and name not in names:
        raise Problem(404, "no such application version")
    request.hub.feed(LatestVersion(request.app, name))


async def versions_of(request: ApiRequest) -> tuple[VersionRecord, ...]:
    """Ask an executor; the core learns which version is the latest (REC-14)."""
    response = understood(await request.ask("list_application_versions", {}), ListApplicationVersionsResponse)
    versions = () if response.output is UNSET else response.output
    latest = max(versions, key=lambda version: version.version_timestamp, default=None)
    if latest is not None:
        request.hub.feed(LatestVersion(request.app, latest.version_name))
    return versions
