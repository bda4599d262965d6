"""The executors of an application, and the recoveries that wait."""

from __future__ import annotations

from typing import Any

import msgspec

from reference_relay.core.records import Executor as Record
from reference_relay.server.api.answers import Executor, SurfacedRecovery
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.times import rfc3339


@operation("GET", "A/executors", "application.read", answer=list[Executor])
async def list_executors(request: ApiRequest) -> list[Executor]:
    """List the executors of an application. What is shown is durable: no crash takes it back."""
    await request.hub.settled()
    app_id = request.application.app_id
    return [_view(app_id, executor) for executor in request.context.hub.core.executors_of(request.app)]


@operation("GET", "A/surfaced-recoveries", "application.read", answer=list[SurfacedRecovery], extension=True)
async def list_surfaced_recoveries(request: ApiRequest) -> list[SurfacedRecovery]:
    """List DEAD executors whose recovery waits, and for what."""
    await request.hub.settled()
    found = []
    for executor in request.context.hub.core.surfaced(request.app):
        assert executor.recovery is not None, "only recoveries are surfaced"
        found.append(
            SurfacedRecovery(
                executor_id=executor.key.executor_id,
                app_version=executor.info.application_version,
                language=executor.info.language,
                reason=executor.recovery.surfaced,
                attempts=executor.recovery.attempt,
                dead_since=rfc3339(executor.updated_ms),
            )
        )
    return found


def _view(app_id: str, executor: Record) -> Executor:
    info = executor.info
    return Executor(
        executor_id=info.executor_id,
        app_id=app_id,
        app_version=info.application_version,
        status=executor.status.value,
        host_id=None,
        hostname=info.hostname,
        language=info.language,
        dbos_version=info.dbos_version,
        executor_metadata=_metadata(executor),
        created_at=rfc3339(executor.created_ms),
        updated_at=rfc3339(executor.updated_ms),
    )


def _metadata(executor: Record) -> Any:
    """Encoded by itself: one executor that nests too deep must not spoil the list."""
    if executor.info.metadata is None:
        return None
    try:
        return msgspec.Raw(msgspec.json.encode(executor.info.metadata))
    except RecursionError:
        return None
