"""The executors of an application, and the recoveries that wait."""

from __future__ import annotations

from typing import Any

import msgspec

from reference_relay.core.records import Executor
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.times import rfc3339


@operation("GET", "A/executors", "application.read")
async def list_executors(request: ApiRequest) -> list[dict[str, Any]]:
    """What is shown is durable: a crash takes back nothing that a caller has seen."""
    await request.hub.settled()
    app_id = request.application.app_id
    return [_view(app_id, executor) for executor in request.context.hub.core.executors_of(request.app)]


@operation("GET", "A/surfaced-recoveries", "application.read")
async def list_surfaced_recoveries(request: ApiRequest) -> list[dict[str, Any]]:
    """Extension: DEAD executors whose recovery waits, and for what (REC-27)."""
    await request.hub.settled()
    found = []
    for executor in request.context.hub.core.surfaced(request.app):
        assert executor.recovery is not None, "only recoveries are surfaced"
        found.append(
            {
                "executorId": executor.key.executor_id,
                "appVersion": executor.info.application_version,
                "language": executor.info.language,
                "reason": executor.recovery.surfaced,
                "attempts": executor.recovery.attempt,
                "deadSince": rfc3339(executor.updated_ms),
            }
        )
    return found


def _view(app_id: str, executor: Executor) -> dict[str, Any]:
    info = executor.info
    return {
        "executorId": info.executor_id,
        "appId": app_id,
        "appVersion": info.application_version,
        "status": executor.status.value,
        "hostId": None,
        "hostname": info.hostname,
        "language": info.language,
        "dbosVersion": info.dbos_version,
        "executorMetadata": _metadata(executor),
        "createdAt": rfc3339(executor.created_ms),
        "updatedAt": rfc3339(executor.updated_ms),
    }


def _metadata(executor: Executor) -> msgspec.Raw | None:
    """Encoded by itself: one executor that nests too deep must not spoil the list."""
    if executor.info.metadata is None:
        return None
    try:
        return msgspec.Raw(msgspec.json.encode(executor.info.metadata))
    except RecursionError:
        return None
