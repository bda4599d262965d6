"""The refusal says which key it was."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.gate import Admitted, Gate, Refused


@defect("key-in-error-body", clauses=("CON-6",), where="server", summary="repeats the key in the body of a refusal")
class KeyInErrorBody(Gate):
    def admit(self, app_segment: str, key_segment: str) -> Admitted | Refused:
        verdict = super().admit(app_segment, key_segment)
        if isinstance(verdict, Refused):
            return Refused(verdict.status, f"{verdict.reason}: {key_segment}")
        return verdict
