"""Python drops the socket when one of the four keys is missing (measured)."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from broken_relays.frames import changed
from reference_relay.core.core import Core


@defect(
    "forks-without-nulls",
    clauses=("MSG-fork_workflow",),
    where="core",
    summary="leaves out the keys of a fork for which nothing was chosen",
)
class ForksWithoutNulls(Core):
    def _encode(self, type_: str, request_id: str, fields: dict[str, Any]) -> bytes:
        data = super()._encode(type_, request_id, fields)
        if type_ != "fork_workflow":
            return data
        return changed(data, body={name: value for name, value in fields["body"].items() if value is not None})
