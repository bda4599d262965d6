"""Copies of workflows: fork, export, import (protocol page; field facts measured, or read in the SDK clients)."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from conductor.field_types import Int64, OptionalInt, OptionalText, Switch
from conductor.messages.base import RequestBase, ResponseBase, SuccessResponse

__all__ = [
    "ExportWorkflowRequest",
    "ExportWorkflowResponse",
    "ForkFromFailureBody",
    "ForkFromFailureRequest",
    "ForkFromFailureResponse",
    "ForkWorkflowBody",
    "ForkWorkflowRequest",
    "ForkWorkflowResponse",
    "ImportWorkflowRequest",
    "ImportWorkflowResponse",
]


class ForkWorkflowBody(Struct, frozen=True, kw_only=True):
    """`new_workflow_id` null lets the SDK choose one. Python drops the socket when one of the four keys is missing.

    Go answers nothing when `start_step` is negative or above 1,073,741,823.
    """

    workflow_id: str
    start_step: Int64
    new_workflow_id: str | None
    application_version: str | None
    queue_name: OptionalText = UNSET
    queue_partition_key: OptionalText = UNSET


class ForkWorkflowRequest(RequestBase, frozen=True, kw_only=True, tag="fork_workflow"):
    """Copies the steps before `start_step` into a new workflow and enqueues it."""

    body: ForkWorkflowBody


class ForkWorkflowResponse(ResponseBase, frozen=True, kw_only=True, tag="fork_workflow"):
    """Null or absent on failure."""

    new_workflow_id: OptionalText = UNSET


class ForkFromFailureBody(Struct, frozen=True, kw_only=True):
    """Exactly one of the four from_ selectors must be set, else every SDK answers with an error."""

    workflow_ids: tuple[str, ...]
    application_version: OptionalText = UNSET
    queue_name: OptionalText = UNSET
    queue_partition_key: OptionalText = UNSET
    from_last_failure: Switch = UNSET
    from_last_step: Switch = UNSET
    from_step: OptionalInt = UNSET
    from_step_name: OptionalText = UNSET


class ForkFromFailureRequest(RequestBase, frozen=True, kw_only=True, tag="fork_from_failure"):
    """Forks several workflows from where they failed."""

    body: ForkFromFailureBody


class ForkFromFailureResponse(ResponseBase, frozen=True, kw_only=True, tag="fork_from_failure"):
    """Null or absent on failure; Go leaves it out when empty."""

    forked_workflow_ids: tuple[str, ...] | UnsetType | None = UNSET


class ExportWorkflowRequest(RequestBase, frozen=True, kw_only=True, tag="export_workflow"):
    """Serialises a workflow; the text is bound to the language that made it."""

    workflow_id: str
    export_children: bool


class ExportWorkflowResponse(ResponseBase, frozen=True, kw_only=True, tag="export_workflow"):
    """Base64 of gzip; null or absent on failure."""

    serialized_workflow: OptionalText = UNSET


class ImportWorkflowRequest(RequestBase, frozen=True, kw_only=True, tag="import_workflow"):
    """Takes what the same language exported. Python unpickles it: whoever may send this may run code there."""

    serialized_workflow: str


class ImportWorkflowResponse(SuccessResponse, frozen=True, kw_only=True, tag="import_workflow"):
    """Whether it was imported."""
