"""What several defects need: a gate that still knows the keys that were revoked."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reference_relay.config import Config
from reference_relay.core.records import AppKey
from reference_relay.server.gate import Gate
from reference_relay.store import KeyRecord


class RemembersRevoked(Gate):
    """``revoked`` by the digest of the key; what a defect does with them is its own affair."""

    def __init__(self, config: Config, stored: Iterable[KeyRecord], known: Callable[[AppKey], bool]) -> None:
        self.revoked: dict[str, KeyRecord] = {}
        super().__init__(config, stored, known)

    def remove(self, org: str, name: str) -> KeyRecord | None:
        record = super().remove(org, name)
        if record is not None:
            self.revoked[record.sha256] = record
        return record
