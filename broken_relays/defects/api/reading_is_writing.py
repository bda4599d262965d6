"""A key for a dashboard cancels workflows."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation
from reference_relay.server.gate import Subject


@defect(
    "reading-is-writing",
    clauses=("API-5",),
    where="server",
    summary="lets keys that may read applications change them",
)
class ReadingIsWriting(Api):
    def authorise(self, subject: Subject, operation: Operation, app: str | None) -> None:
        if operation.permission == "application.write" and subject.may("application.read"):
            operation = replace(operation, permission="application.read")
        super().authorise(subject, operation, app)
