"""What the executor says of itself is kept in part."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorInfo


@defect("drops-metadata", clauses=("HSK-2",), where="core", summary="lists no executor's metadata")
class DropsMetadata(Core):
    def _usable(self, data: bytes) -> ExecutorInfo | None:
        info = super()._usable(data)
        return None if info is None else replace(info, metadata=None)
