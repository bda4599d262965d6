"""Whether a message was taken can't be told."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "notifications-unread",
    clauses=("MSG-get_workflow_notifications",),
    where="core",
    summary="shows every message to a workflow as one that was not consumed",
)
class NotificationsUnread(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        rows = fields_of(data).get("notifications")
        if pending.type == "get_workflow_notifications" and isinstance(rows, list):
            data = changed(data, notifications=[{**row, "consumed": False} for row in rows])
        super()._call_answered(pending, data, error_message)
