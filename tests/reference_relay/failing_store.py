"""A relay whose store fails as long as a file says so: ``full`` (for now) or ``broken`` (for good) in its directory."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Sequence
from pathlib import Path

from reference_relay.errors import StoreUnavailable
from reference_relay.main import Parts, run
from reference_relay.store import Write
from reference_relay.store.sqlite import SqliteStore


class FailingStore(SqliteStore):
    def __init__(self, directory: Path) -> None:
        super().__init__(directory)
        self._directory = directory

    def commit(self, writes: Sequence[Write]) -> None:
        if (self._directory / "full").exists():
            raise StoreUnavailable("database or disk is full")
        if (self._directory / "broken").exists():
            raise sqlite3.DatabaseError("database disk image is malformed")
        super().commit(writes)


if __name__ == "__main__":
    sys.exit(run(sys.argv[1:], Parts(store=FailingStore)))
