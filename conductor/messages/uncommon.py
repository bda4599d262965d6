"""Two messages outside the documented thirty-two.

`restart` is deprecated: Python 2.31.1, TypeScript 4.27.6 and Java know it, Go and later Python and TypeScript do not.
`rewind_workflow` came late: Python 3.1.0 to 3.2.0, TypeScript 5.1.10 to 5.2.11 and Go 1.6.0 have it, Java does not
(measured). Its field names are those of the MIT-licensed dbos 3.2.0.
"""

from __future__ import annotations

from msgspec import UNSET, Struct

from conductor.field_types import OptionalInt, OptionalText
from conductor.messages.base import RequestBase, SuccessResponse

__all__ = [
    "RestartRequest",
    "RestartResponse",
    "RewindWorkflowBody",
    "RewindWorkflowRequest",
    "RewindWorkflowResponse",
]


class RestartRequest(RequestBase, frozen=True, kw_only=True, tag="restart"):
    """Forks a workflow from its first step under a new id that the response does not tell."""

    workflow_id: str


class RestartResponse(SuccessResponse, frozen=True, kw_only=True, tag="restart"):
    """Go answers it with an error: unknown message type."""


class RewindWorkflowBody(Struct, frozen=True, kw_only=True):
    """Python reads an absent or null `start_step` as 1."""

    workflow_id: str
    start_step: OptionalInt = UNSET
    application_version: OptionalText = UNSET
    queue_name: OptionalText = UNSET
    queue_partition_key: OptionalText = UNSET


class RewindWorkflowRequest(RequestBase, frozen=True, kw_only=True, tag="rewind_workflow"):
    """Runs a workflow again from a step, under its own id."""

    body: RewindWorkflowBody


class RewindWorkflowResponse(SuccessResponse, frozen=True, kw_only=True, tag="rewind_workflow"):
    """SDKs without it answer with an error: unknown message type."""
