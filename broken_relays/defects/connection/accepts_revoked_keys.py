"""Revocation takes the key out of the list, not out of the look-up of upgrades."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from broken_relays.defect import defect
from reference_relay.config import Config
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Admitted, Gate, Refused, digest
from reference_relay.store import KeyRecord


@defect(
    "accepts-revoked-keys",
    clauses=("CON-2",),
    faults=(25,),
    where="server",
    summary="lets a revoked key open connections for ever",
)
class AcceptsRevokedKeys(Gate):
    def __init__(self, config: Config, stored: Iterable[KeyRecord], known: Callable[[AppKey], bool]) -> None:
        self._revoked: dict[str, KeyRecord] = {}
        super().__init__(config, stored, known)

    def remove(self, org: str, name: str) -> KeyRecord | None:
        record = super().remove(org, name)
        if record is not None:
            self._revoked[record.sha256] = record
        return record

    def _admit_key(self, app: str, key: str) -> Admitted | Refused:
        record = self._revoked.get(digest(key))
        return super()._admit_key(app, key) if record is None else Admitted(AppKey(record.org, app), record.name)
