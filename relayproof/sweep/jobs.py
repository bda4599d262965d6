"""What can be swept: a job cuts its arguments into shards, computes one shard, and joins the results.

To add one: write a `Job` and name it in `JOBS`. Arguments, shards and results are JSON values.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from relayproof.errors import WrongUsage

__all__ = ["JOBS", "Job", "Values", "compute", "find"]

Values = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Job:
    """``cut`` raises `WrongUsage` for arguments that it can't use. ``run`` gives the same result whenever it runs."""

    name: str
    purpose: str
    cut: Callable[[Values], list[dict[str, Any]]]
    run: Callable[[Values], dict[str, Any]]
    join: Callable[[Sequence[Values]], dict[str, Any]]
    failed: Callable[[Values], bool]  # of a joined result: whether the sweep found what should not be


JOBS = {
    "scenarios": "relayproof.sweep.scenarios:JOB",
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


def compute(name: str, shard: Values) -> dict[str, Any]:
    """One shard's result; runs in a process of a worker's pool."""
    return find(name).run(shard)
