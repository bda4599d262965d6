"""The DBOS application that a sweep is: one workflow, one queue, and a version that only the same code has.

The version is a digest of what decides a shard's result, so that a worker with other code takes no shard, and a
sweep that is resumed after a change begins anew instead of mixing results.
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

from relayproof.errors import WrongUsage

__all__ = [
    "APPLICATION", "DATABASE_VARIABLE", "KEY_VARIABLE", "QUEUE", "WORKFLOW",
    "code_version", "database_url", "hide_password",
]  # fmt: skip

APPLICATION = "relayproof-sweep"
QUEUE = "relayproof-shards"
WORKFLOW = "shard"
DATABASE_VARIABLE = "RELAYPROOF_SWEEP_DATABASE"
KEY_VARIABLE = "RELAYPROOF_SWEEP_KEY"
_PACKAGES = (
    "broken_relays", "conductor", "evidence", "reference_relay", "relayproof/sweep", "scenarios", "simulator", "spec",
)  # fmt: skip


@cache
def code_version() -> str:
    """Such as "0.1.0-4f0c2a9b": the same on every machine that has the same code."""
    root = Path(__file__).parent.parent.parent
    digest = hashlib.sha256()
    for package in _PACKAGES:
        for path in sorted((root / package).rglob("*")):
            if path.suffix in (".py", ".toml"):
                digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return f"{version('relayproof')}-{digest.hexdigest()[:8]}"


def database_url(text: str | None, folder: Path) -> str:
    """The system database: SQLite in the sweep's folder, or the PostgreSQL database that ``text`` names."""
    if text is None:
        return f"sqlite:///{(folder / 'sweep.sqlite').absolute()}"
    if not text.startswith(("postgresql://", "postgres://")):
        raise WrongUsage(
            f"--database {hide_password(text)}: give postgresql://user:password@host:port/database,"
            " or leave it out for SQLite on this machine"
        )
    return text


def hide_password(url: str) -> str:
    """The URL as it may be shown."""
    return re.sub(r"(?<=://)([^:/@]*):[^@]*@", r"\1:***@", url)
