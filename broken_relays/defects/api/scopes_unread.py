"""A key of one team serves every other."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation
from reference_relay.server.gate import Subject


@defect(
    "scopes-unread",
    clauses=("API-5",),
    where="server",
    summary="takes no notice of the applications that a key is limited to",
)
class ScopesUnread(Api):
    def authorise(self, subject: Subject, operation: Operation, app: str | None) -> None:
        super().authorise(replace(subject, applications=None), operation, app)
