"""A wrong JSON type: an SDK that goes through the characters recovers nobody, and says true."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core


@defect(
    "recovery-ids-as-text",
    clauses=("MSG-recovery",),
    faults=(26,),
    where="core",
    summary="names the dead executor as a text instead of in an array",
)
class RecoveryIdsAsText(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        return changed(data, executor_ids=fields["executor_ids"][0]) if type_ == "recovery" else data
