"""Registration, recovery and the life of single workflows (protocol page; field facts measured with dbos 2.31.1 and
@dbos-inc/dbos-sdk 4.27.6, and read in the Go and Java clients)."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET, Struct, UnsetType

from conductor.field_types import Int64, NamesFilter, OptionalText, Switch
from conductor.messages.base import RequestBase, ResponseBase, SuccessResponse

__all__ = [
    "CancelRequest",
    "CancelResponse",
    "DeleteRequest",
    "DeleteResponse",
    "ExecutorInfoRequest",
    "ExecutorInfoResponse",
    "ExistPendingWorkflowsRequest",
    "ExistPendingWorkflowsResponse",
    "RecoveryRequest",
    "RecoveryResponse",
    "ResumeRequest",
    "ResumeResponse",
    "RetentionBody",
    "RetentionRequest",
    "RetentionResponse",
]


class ExecutorInfoRequest(RequestBase, frozen=True, kw_only=True, tag="executor_info"):
    """Asks who is there; the relay's first frame on every connection."""


class ExecutorInfoResponse(ResponseBase, frozen=True, kw_only=True, tag="executor_info"):
    """Who is there. `language` is python, typescript, go or java; `executor_metadata` is any object.

    With a Conductor key every SDK makes a fresh random `executor_id` per process.
    """

    executor_id: str | UnsetType = UNSET
    application_version: str | UnsetType = UNSET
    hostname: OptionalText = UNSET
    language: str | UnsetType = UNSET
    dbos_version: str | UnsetType = UNSET
    executor_metadata: dict[str, Any] | UnsetType | None = UNSET


class RecoveryRequest(RequestBase, frozen=True, kw_only=True, tag="recovery"):
    """Makes the PENDING workflows of dead executors runnable again, those of the receiver's own version only."""

    executor_ids: tuple[str, ...]


class RecoveryResponse(SuccessResponse, frozen=True, kw_only=True, tag="recovery"):
    """`success: true` also when no row matched, and in Python when single rows failed: it proves little (measured)."""


class CancelRequest(RequestBase, frozen=True, kw_only=True, tag="cancel"):
    """Cancels workflows. `workflow_ids` wins when present; Python demands `workflow_id` (maybe null) even then."""

    workflow_id: str | None
    workflow_ids: NamesFilter = UNSET
    cancel_children: Switch = UNSET


class CancelResponse(SuccessResponse, frozen=True, kw_only=True, tag="cancel"):
    """Unknown ids are a success."""


class ResumeRequest(RequestBase, frozen=True, kw_only=True, tag="resume"):
    """Enqueues workflows again that are not SUCCESS or ERROR; `queue_name` absent means the internal queue."""

    workflow_id: str | None
    workflow_ids: NamesFilter = UNSET
    queue_name: OptionalText = UNSET


class ResumeResponse(SuccessResponse, frozen=True, kw_only=True, tag="resume"):
    """An unknown id is a failure in Python and a success in the other three."""


class DeleteRequest(RequestBase, frozen=True, kw_only=True, tag="delete"):
    """Deletes workflows with their steps, events, streams and notifications."""

    workflow_id: str | None
    delete_children: bool
    workflow_ids: NamesFilter = UNSET


class DeleteResponse(SuccessResponse, frozen=True, kw_only=True, tag="delete"):
    """Unknown ids are a success."""


class ExistPendingWorkflowsRequest(RequestBase, frozen=True, kw_only=True, tag="exist_pending_workflows"):
    """Asks whether a PENDING row has exactly this executor id and version; any peer on the same database can answer."""

    executor_id: str
    application_version: str


class ExistPendingWorkflowsResponse(ResponseBase, frozen=True, kw_only=True, tag="exist_pending_workflows"):
    """`exist` is false also when the look-up failed: look at `failed` first. Rows re-enqueued already do not count."""

    exist: Switch = UNSET


class RetentionBody(Struct, frozen=True, kw_only=True):
    """Times are epoch milliseconds. Python needs the three required keys, null when unset.

    `gc_batch_size` is read by Python alone (10,000 when absent).
    """

    gc_cutoff_epoch_ms: Int64 | None
    gc_rows_threshold: Int64 | None
    timeout_cutoff_epoch_ms: Int64 | None
    gc_batch_size: Int64 | UnsetType = UNSET


class RetentionRequest(RequestBase, frozen=True, kw_only=True, tag="retention"):
    """Deletes finished workflows older than the cutoff, then cancels active ones older than the timeout cutoff."""

    body: RetentionBody


class RetentionResponse(SuccessResponse, frozen=True, kw_only=True, tag="retention"):
    """Whether both were done."""
