"""The other queues answer too."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "queued-of-every-queue",
    clauses=("MSG-list_queued_workflows",),
    where="core",
    summary="searches queued workflows without the filter for their queue",
)
class QueuedOfEveryQueue(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "list_queued_workflows":
            body = {name: value for name, value in fields["body"].items() if name != "queue_name"}
            fields = {**fields, "body": body}
        return super()._encode(type_, request_id, fields)
