"""A newer SDK answers with one field more, and every call fails."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from conductor.catalogue import CATALOGUE
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, Pending, Purpose


@defect(
    "fails-on-unknown-fields",
    clauses=("ENV-7",),
    faults=(26,),
    where="core",
    summary="takes an answer with a field that it does not know for a failure",
)
class FailsOnUnknownFields(Core):
    def _answered(self, connection: Connection, pending: Pending, data: bytes, error_message: str | None) -> None:
        known = {"type", *CATALOGUE[pending.type].response.__struct_encode_fields__}
        if pending.purpose is Purpose.CALL and not fields_of(data).keys() <= known:
            self._request_failed(pending, "unknown fields")
        else:
            super()._answered(connection, pending, data, error_message)
