"""Revocation ends connections, but no calls."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from broken_relays.defect import defect
from reference_relay.config import Config
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Gate, Subject, digest
from reference_relay.store import KeyRecord


@defect(
    "keeps-revoked-tokens",
    clauses=("API-1",),
    faults=(25,),
    where="server",
    summary="goes on serving tokens that were revoked",
)
class KeepsRevokedTokens(Gate):
    def __init__(self, config: Config, stored: Iterable[KeyRecord], known: Callable[[AppKey], bool]) -> None:
        self._revoked: dict[str, KeyRecord] = {}
        super().__init__(config, stored, known)

    def remove(self, org: str, name: str) -> KeyRecord | None:
        record = super().remove(org, name)
        if record is not None:
            self._revoked[record.sha256] = record
        return record

    def caller(self, authorization: str | None) -> Subject | None:
        record = self._revoked.get(digest((authorization or "").partition(" ")[2]))
        if record is None:
            return super().caller(authorization)
        return Subject(record.org, record.name, frozenset(record.permissions), None)
