"""Without a usable id, or with error_message set, there is nobody to register."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorInfo


@defect(
    "registers-without-an-id",
    clauses=("HSK-4",),
    where="core",
    summary="registers whatever answers, also with an error",
)
class RegistersWithoutAnId(Core):
    def _usable(self, data: bytes) -> ExecutorInfo | None:
        said = fields_of(data)
        version = str(said.get("application_version") or "")
        return super()._usable(data) or ExecutorInfo(str(said.get("executor_id") or "unknown"), version)
