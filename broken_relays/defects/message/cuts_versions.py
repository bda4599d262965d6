"""Versions are taken to be shorter than they are."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.records import Connection, ExecutorInfo


@defect(
    "cuts-versions",
    clauses=("MSG-executor_info", "HSK-2"),
    where="core",
    summary="registers an executor under its application version without the last character",
)
class CutsVersions(Core):
    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        super()._register(connection, replace(info, application_version=info.application_version[:-1]))
