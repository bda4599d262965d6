"""What several tests of this package need."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from chaos.fleet import Fleet, Place
from chaos.processes import ProcessRuntime
from evidence.events import Base
from evidence.history import Recorder
from sdk_matrix.languages import worker

E = TypeVar("E", bound=Base)


def recorder(path: Path | None = None) -> Recorder:
    began_ns = time.monotonic_ns()
    made = Recorder(path, clock=lambda: time.monotonic_ns() - began_ns)
    made.header(
        scenario="OUT-1/test", title="", clauses=("OUT-1",), world="real", relay="fake", profile_digest="", timing={},
        capabilities={}, names={}, seed=1,
    )  # fmt: skip
    return made


def of(kind: type[E], made: Recorder) -> list[E]:
    return [event for event in made.events if isinstance(event, kind)]


def fleet(relay_url: str, runtime: ProcessRuntime, folder: Path, made: Recorder) -> Fleet:
    numbers = itertools.count()
    place = Place(relay_url=relay_url, key="secret-key", org="org", app="real-app")
    return Fleet(place, worker("python"), runtime, folder, made, lambda: next(numbers))


async def eventually(what: Callable[[], bool], within_s: float = 10.0) -> None:
    async with asyncio.timeout(within_s):
        while not what():  # noqa: ASYNC110 - what is watched is a file or a process, which sets no event
            await asyncio.sleep(0.01)


def running(pid: int) -> bool:
    """Whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False
