"""A file that only an orderly end removes: after a kill the relay does not start on its own data."""

from __future__ import annotations

from pathlib import Path

from broken_relays.defect import defect
from reference_relay.errors import StoreError
from reference_relay.store.sqlite import SqliteStore


@defect(
    "stale-lock-file",
    clauses=("ROB-3",),
    faults=(71,),
    where="server",
    summary="takes the mark of a killed relay for one that runs",
)
class StaleLockFile(SqliteStore):
    def __init__(self, directory: Path) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self._mark = directory / "running"
        if self._mark.exists():
            raise StoreError(f"the data directory {directory} is in use: remove {self._mark}")
        self._mark.touch()
        super().__init__(directory)

    def close(self) -> None:
        super().close()
        self._mark.unlink()
