"""Who was asked can't be told afterwards."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect("names-no-peer", clauses=("AUD-1",), faults=(86,), where="core", summary="audits recoveries without the peer")
class NamesNoPeer(Core):
    def _audit(self, operation: str, key: ExecutorKey, *, success: bool = True, **details: Any) -> None:
        super()._audit(operation, key, success=success, **{**details, "peerExecutorId": None})
