"""A record disappears and nobody can say why."""

from __future__ import annotations

from typing import Any

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey


@defect("misses-deletions", clauses=("AUD-2",), faults=(86,), where="core", summary="deletes records without an entry")
class MissesDeletions(Core):
    def _audit(self, operation: str, key: ExecutorKey, *, success: bool = True, **details: Any) -> None:
        if operation != "executor.delete":
            super()._audit(operation, key, success=success, **details)
