"""At every start the configuration file is right, whatever was set since."""

from __future__ import annotations

from broken_relays.defect import defect
from reference_relay.core.records import AppKey
from reference_relay.store.sqlite import SqliteStore


@defect(
    "the-file-wins",
    clauses=("LIV-9",),
    where="server",
    summary="goes back to the grace period of its configuration file at each start",
)
class TheFileWins(SqliteStore):
    def patched(self) -> dict[AppKey, frozenset[str]]:
        return {}
