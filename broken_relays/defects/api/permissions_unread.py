"""Whoever may connect an executor may do everything."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation
from reference_relay.server.gate import Subject


@defect(
    "permissions-unread",
    clauses=("API-5",),
    where="server",
    summary="takes no notice of the permissions of a key",
)
class PermissionsUnread(Api):
    def authorise(self, subject: Subject, operation: Operation, app: str | None) -> None:
        super().authorise(subject, replace(operation, permission=None), app)
