"""The record of measured findings: one entry for each finding, SDK and day on which an experiment was played."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path

import msgspec

from chaos.errors import BadRecord
from evidence.sdk_faults import interval

__all__ = ["LEAST_TRIES", "Measured", "newest", "published", "read", "write"]

LEAST_TRIES = 10
"""Below it a rate is no reproduction rate: the contract's own bound."""


class Measured(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One finding and one SDK: ``seen`` in so many of ``tries``. A try without an occasion counts in neither."""

    experiment: str
    fault: str
    about: str
    clauses: tuple[str, ...]
    language: str
    sdk: str  # version
    database: str  # "sqlite", "postgresql"
    seen: int
    tries: int
    workflows: int  # that showed it, over all tries
    exposed: int  # of how many
    day: str  # YYYY-MM-DD, UTC
    seed: int
    relay: str
    left_out: int = 0  # tries without an occasion
    proof: tuple[str, ...] = ()  # faults, frames and rows of one workflow in the first try that showed it

    @property
    def rate(self) -> tuple[float, float]:
        """The 95 % interval (Wilson) of a try's chance."""
        return interval(self.seen, self.tries)


def read(path: Path) -> list[Measured]:
    """Oldest first; a file that is not there yet is an empty record. Raises `BadRecord`."""
    if not path.exists():
        return []
    return _decoded(path.read_bytes(), str(path))


def write(path: Path, entries: Sequence[Measured]) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(entries), indent=1) + b"\n")


def newest(entries: Iterable[Measured]) -> list[Measured]:
    """The last entry of each finding, SDK version and database, sorted."""
    found = {(each.experiment, each.fault, each.language, each.sdk, each.database): each for each in entries}
    return [found[key] for key in sorted(found)]


@cache
def published() -> tuple[Measured, ...]:
    """The project's own record, as it was installed."""
    return tuple(_decoded(files("chaos.findings").joinpath("record.json").read_bytes(), "chaos/findings/record.json"))


def _decoded(data: bytes, name: str) -> list[Measured]:
    try:
        return msgspec.json.decode(data, type=list[Measured])
    except msgspec.DecodeError as problem:
        raise BadRecord(f"{name}: no record of findings: {problem}; give a file that reproduce has written") from None
