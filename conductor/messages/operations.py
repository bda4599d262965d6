"""Queues, metrics, application versions and alerts (protocol page; field facts measured, or read in the Go and Java
clients)."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType, field

from conductor.field_types import NameFilter, NamesFilter, Timestamp
from conductor.messages.base import RequestBase, ResponseBase, SuccessResponse
from conductor.records import MetricRecord, QueueRecord, VersionRecord

__all__ = [
    "AlertRequest",
    "AlertResponse",
    "GetMetricsRequest",
    "GetMetricsResponse",
    "GetQueueRequest",
    "GetQueueResponse",
    "ListApplicationVersionsRequest",
    "ListApplicationVersionsResponse",
    "ListQueuesBody",
    "ListQueuesRequest",
    "ListQueuesResponse",
    "SetLatestApplicationVersionRequest",
    "SetLatestApplicationVersionResponse",
]


class ListQueuesBody(Struct, frozen=True, kw_only=True):
    """Java ignores it."""

    application_name: NameFilter = UNSET


class ListQueuesRequest(RequestBase, frozen=True, kw_only=True, tag="list_queues"):
    """Lists the queues stored in the system database. The one body that may be left out, though never null."""

    body: ListQueuesBody = field(default_factory=ListQueuesBody)


class ListQueuesResponse(ResponseBase, frozen=True, kw_only=True, tag="list_queues"):
    """An empty array on failure too."""

    output: tuple[QueueRecord, ...] | UnsetType = UNSET


class GetQueueRequest(RequestBase, frozen=True, kw_only=True, tag="get_queue"):
    """Reads one queue."""

    name: str


class GetQueueResponse(ResponseBase, frozen=True, kw_only=True, tag="get_queue"):
    """Null or absent when there is no such queue."""

    output: QueueRecord | UnsetType | None = UNSET


class GetMetricsRequest(RequestBase, frozen=True, kw_only=True, tag="get_metrics"):
    """Counts over `start_time` <= t < `end_time`. `workflow_step_count` is the only class that the SDKs know."""

    start_time: Timestamp
    end_time: Timestamp
    metric_class: str
    application_name: NamesFilter = UNSET


class GetMetricsResponse(ResponseBase, frozen=True, kw_only=True, tag="get_metrics"):
    """Go sends null on failure and when there is nothing to count; the others an empty array."""

    metrics: tuple[MetricRecord, ...] | UnsetType | None = UNSET


class ListApplicationVersionsRequest(RequestBase, frozen=True, kw_only=True, tag="list_application_versions"):
    """Lists the versions of the executor's application (Java: of all applications)."""


class ListApplicationVersionsResponse(ResponseBase, frozen=True, kw_only=True, tag="list_application_versions"):
    """The latest version is the one with the largest `version_timestamp`. An empty array on failure too."""

    output: tuple[VersionRecord, ...] | UnsetType = UNSET


class SetLatestApplicationVersionRequest(RequestBase, frozen=True, kw_only=True, tag="set_latest_application_version"):
    """Makes a version the latest by setting its timestamp to now."""

    version_name: str


class SetLatestApplicationVersionResponse(
    SuccessResponse, frozen=True, kw_only=True, tag="set_latest_application_version"
):
    """An unknown version is a success that changes nothing."""


class AlertRequest(RequestBase, frozen=True, kw_only=True, tag="alert"):
    """Calls the application's alert handler. Metadata values are text: anything else gets no reply from Go."""

    name: str
    message: str
    metadata: dict[str, str]


class AlertResponse(SuccessResponse, frozen=True, kw_only=True, tag="alert"):
    """True also when the application has no handler."""
