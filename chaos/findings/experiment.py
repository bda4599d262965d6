"""Experiments register here: a course that gives an SDK the occasion, and what to look for in its history.

    @experiment("outage", about="...", languages=("go",), findings=(Finding("outage-ends-work", ("OUT-2",), look),))
    async def outage(trial: Trial) -> None: ...

One file each in `chaos.findings.experiments`. A course ends with the evidence in the history and leaves the rest
undone: nothing is judged, so nothing has to converge.
"""

from __future__ import annotations

import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from chaos.course import Course
from chaos.errors import UnknownExperiment
from chaos.findings.sightings import Look
from sdk_matrix.languages import Worker

__all__ = ["EXPERIMENTS", "Experiment", "Finding", "Trial", "experiment", "find"]


@dataclass(frozen=True, slots=True)
class Trial:
    """One try: ``source`` is its own, so that tries differ and the same seed gives the same ones."""

    course: Course
    worker: Worker
    number: int  # from 1
    source: random.Random


Body = Callable[[Trial], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that a course may show. ``fault`` is its name, as in `evidence.sdk_faults.KNOWN` where it is known."""

    fault: str
    about: str
    clauses: tuple[str, ...]  # what it breaks, or would, were it the relay's
    look: Look


@dataclass(frozen=True, slots=True)
class Experiment:
    name: str
    about: str
    languages: tuple[str, ...]  # whose SDKs can be given the occasion
    findings: tuple[Finding, ...]
    course: Body
    stores: tuple[str, ...] = ("postgresql",)  # of the system database; SQLite for Python alone
    abreast: int = 1  # tries at once: more where none of them breaks what they share

    def store(self, language: str) -> str:
        """Where nothing else is asked for: SQLite where it can be."""
        return "sqlite" if language == "python" and "sqlite" in self.stores else "postgresql"


EXPERIMENTS: dict[str, Experiment] = {}


def experiment(
    name: str, *, about: str, languages: tuple[str, ...], findings: tuple[Finding, ...],
    stores: tuple[str, ...] = ("postgresql",), abreast: int = 1,
) -> Callable[[Body], Body]:  # fmt: skip
    """Register the decorated course."""
    assert name not in EXPERIMENTS, f"two experiments are called {name!r}"

    def register(course: Body) -> Body:
        EXPERIMENTS[name] = Experiment(name, about, languages, findings, course, stores, abreast)
        return course

    return register


def find(name: str) -> Experiment:
    """Raises `UnknownExperiment`, which lists those that there are."""
    if name not in EXPERIMENTS:
        raise UnknownExperiment(f"there is no experiment {name!r}: choose among {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]
