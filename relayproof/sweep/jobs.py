"""What can be swept: a job cuts its arguments into shards, computes one shard, and joins the results.

To add one: write a `Job` and name it in `JOBS`. Arguments, shards and results are JSON values.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from relayproof.errors import CommandError, WrongUsage
from relayproof.sweep.application import code_version

__all__ = ["JOBS", "CodeChanged", "Job", "Values", "compute", "find", "whole_number"]

Values = Mapping[str, Any]


class CodeChanged(CommandError):
    """Shards of different code must not be joined."""


def _nothing(joined: Values, folder: Path) -> list[str]:
    return []


@dataclass(frozen=True, slots=True)
class Job:
    """``cut`` raises `WrongUsage` for arguments that it can't use. ``run`` gives the same result whenever it runs.

    ``exit_code`` of a joined result: 0, or 1 when the sweep found what should not be. ``keep`` leaves files about what
    was found in a folder and tells of each in a sentence.
    """

    name: str
    purpose: str
    arguments: tuple[str, ...]
    cut: Callable[[Values], list[dict[str, Any]]]
    run: Callable[[Values], dict[str, Any]]
    join: Callable[[Sequence[Values]], dict[str, Any]]
    exit_code: Callable[[Values], int]
    keep: Callable[[Values, Path], list[str]] = _nothing

    def shards(self, arguments: Values) -> list[dict[str, Any]]:
        """Raises `WrongUsage` for an argument that the job does not know or can't use."""
        for name in arguments:
            if name not in self.arguments:
                raise WrongUsage(f"{self.name} has no argument {name!r}: give {', '.join(self.arguments)}")
        return self.cut(arguments)


JOBS = {
    "scenarios": "relayproof.sweep.scenarios:JOB",
    "simulate": "relayproof.sweep.simulate:JOB",
    "study": "relayproof.sweep.study:JOB",
}
"""Name -> module and attribute; imported when it is asked for."""


def find(name: str) -> Job:
    """The job of this name. Raises `WrongUsage`."""
    if name not in JOBS:
        raise WrongUsage(f"there is nothing called {name!r} to sweep: choose among {', '.join(JOBS)}")
    module, _, attribute = JOBS[name].partition(":")
    job = getattr(importlib.import_module(module), attribute)
    assert isinstance(job, Job)
    return job


def whole_number(arguments: Values, name: str, usual: int, *, least: int = 0) -> int:
    """Raises `WrongUsage` for what is none, or below ``least``."""
    text = str(arguments.get(name, usual))
    try:
        number = int(text)
    except ValueError:
        raise WrongUsage(f"{name}={text}: give a whole number, such as {usual}") from None
    if number < least:
        raise WrongUsage(f"{name}={text}: give at least {least}")
    return number


def compute(name: str, shard: Values, code: str) -> dict[str, Any]:
    """One shard's result; runs in a process of a worker's pool.

    Raises `CodeChanged` in a process that has other code than ``code``: it began after a change.
    """
    if (own := code_version()) != code:
        raise CodeChanged(f"the code changed while the sweep ran, from {code} to {own}: start the sweep again")
    return find(name).run(shard)
