"""Seconds since the epoch, read as milliseconds, lie in 1970: nothing is ever deleted."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core


@defect(
    "retention-in-seconds",
    clauses=("MSG-retention",),
    where="core",
    summary="sends the cutoffs of a retention request in seconds",
)
class RetentionInSeconds(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        if type_ == "retention":
            body = {k: v // 1000 if v and k.endswith("_epoch_ms") else v for k, v in fields["body"].items()}
            fields = {**fields, "body": body}
        return super()._encode(type_, request_id, fields)
