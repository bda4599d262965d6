"""A line that was left in from debugging."""

from __future__ import annotations

import sys

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused


@defect("logs-keys", clauses=("CON-6",), where="server", summary="writes each key that comes in to its log")
class LogsKeys(Gate):
    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        print(f"upgrade for {app_segment} with {key_segment}", file=sys.stderr, flush=True)
        return super().admit(app_segment, key_segment)
