"""A field that only failures need is demanded of every answer."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorInfo


@defect(
    "requires-an-error-message",
    clauses=("HSK-3",),
    where="core",
    summary="registers nobody whose answer has no error_message, not even null",
)
class RequiresAnErrorMessage(Core):
    def _usable(self, data: bytes) -> ExecutorInfo | None:
        return super()._usable(data) if "error_message" in fields_of(data) else None
