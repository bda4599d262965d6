"""Whoever is inside stays inside."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.server.hub import Hub


@defect(
    "keeps-revoked-connections",
    clauses=("CON-10",),
    where="server",
    summary="leaves the connections of a revoked key open",
)
class KeepsRevokedConnections(Hub):
    def close_key(self, org: str, name: str, reason: str) -> None:
        """They will dial again some day."""
