"""Who cancelled it?"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from broken_relays.defect import defect
from reference_relay.server.hub import Hub
from reference_relay.store import AuditEntry, Write


@defect(
    "audits-no-calls",
    clauses=("AUD-4",),
    where="server",
    summary="writes no audit entry of what people change",
)
class AuditsNoCalls(Hub):
    def _submit(self, writes: Sequence[Write], then: Callable[[], None]) -> None:
        kept = [each for each in writes if not isinstance(each, AuditEntry) or each.operation.startswith("executor.")]
        super()._submit(kept, then)
