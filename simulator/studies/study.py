"""What a study is, and what it gives: tables and charts, independent of how they are shown."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

import msgspec

from simulator.studies.estimates import Estimate
from simulator.studies.grid import GridError, Parameters, Point, points

__all__ = ["STUDIES", "Answer", "Chart", "Effort", "Line", "Study", "Table", "cut", "find", "grouped", "line_chart"]

Task = Mapping[str, Any]
Axes = Mapping[str, Sequence[float | str]]


@dataclass(frozen=True, slots=True)
class Effort:
    """``scale`` multiplies the number of runs: 1 answers in minutes on one core."""

    scale: float = 1.0
    seed: int = 0

    def runs(self, usual: int) -> int:
        return max(1, round(usual * self.scale))


class Table(msgspec.Struct, frozen=True):
    """Cells are texts, numbers or estimates; ``units`` as long as ``columns``."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | Estimate, ...], ...]
    note: str = ""


class Line(msgspec.Struct, frozen=True):
    """One series: ``y`` with its interval at each ``x``."""

    label: str
    x: tuple[float, ...]
    y: tuple[Estimate, ...]


def cut(axes: Axes, parameters: Parameters, effort: Effort, usual: int, **ways: Sequence[str]) -> list[dict[str, Any]]:
    """A task for each point, each of the ``ways`` to look at it (``manner=("killed", "silent")``), and each run."""
    names = list(ways)
    return [
        {"point": dict(point), **dict(zip(names, way, strict=True)), "seed": effort.seed * 1_000_003 + number}
        for point in points(axes, parameters)
        for way in itertools.product(*ways.values())
        for number in range(effort.runs(usual))
    ]


def grouped(
    tasks: Sequence[Task], results: Sequence[Mapping[str, Any]], *ways: str
) -> list[tuple[Point, tuple[str, ...], list[Mapping[str, Any]]]]:
    """The results of all runs of one point and one way, in the order in which they were cut."""
    groups: dict[tuple[tuple[str, ...], tuple[tuple[str, float | str], ...]], list[Mapping[str, Any]]] = {}
    for task, result in zip(tasks, results, strict=True):
        way = tuple(str(task[name]) for name in ways)
        groups.setdefault((way, tuple(task["point"].items())), []).append(result)
    return [(dict(point), way, several) for (way, point), several in groups.items()]


def line_chart(
    title: str, y_label: str, found: Sequence[tuple[Point, str, Estimate]], parameters: Parameters,
    names: Sequence[str], *, log_x: bool = False, log_y: bool = False,
) -> tuple[Chart, ...]:  # fmt: skip
    """Over the number among ``names`` that has the most values, a line for each combination of all else.

    ``found``: point, a label of its own, what was measured there. None where no number varies.
    """
    numbers = [name for name in names if not parameters[name].choices]
    if not numbers:
        return ()
    across = max(numbers, key=lambda name: len({point[name] for point, *_ in found}))
    series: dict[str, list[tuple[float, Estimate]]] = {}
    for point, label, estimate in found:
        others = [f"{name} {parameters[name].show(point[name])}" for name in names if name != across]
        series.setdefault(", ".join([label, *others] if label else others), []).append((float(point[across]), estimate))
    lines = []
    for label, pairs in series.items():
        pairs.sort(key=lambda pair: pair[0])
        lines.append(Line(label, tuple(x for x, _ in pairs), tuple(y for _, y in pairs)))
    unit = parameters[across].unit
    return (Chart(title, f"{across} ({unit})" if unit else across, y_label, tuple(lines), log_x, log_y),)


class Chart(msgspec.Struct, frozen=True):
    """Lines with bands of confidence. Axis labels end with the unit."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    log_x: bool = False
    log_y: bool = False


class Answer(msgspec.Struct, frozen=True):
    """``summary``: the answer in sentences. ``assumed``: what was taken for granted."""

    study: str
    question: str
    summary: tuple[str, ...]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    assumed: tuple[str, ...]
    runs: int


@dataclass(frozen=True, slots=True)
class Study:
    """``axes`` are the points that are looked at when nobody asks for others."""

    name: str
    question: str
    axes: Axes
    parameters: Parameters
    cut: Callable[[Axes, Effort], list[dict[str, Any]]]
    run: Callable[[Task], dict[str, Any]]
    answer: Callable[[Sequence[Task], Sequence[Mapping[str, Any]]], Answer]


STUDIES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "false-deaths": "simulator.studies.false_deaths:STUDY",
        "detection": "simulator.studies.detection:STUDY",
        "windows": "simulator.studies.windows:STUDY",
        "storm": "simulator.studies.storm:STUDY",
        "mass-death": "simulator.studies.mass_death:STUDY",
    }
)
"""Name -> module and attribute; imported when it is asked for."""


def find(name: str) -> Study:
    """Raises `GridError` for an unknown name."""
    if name not in STUDIES:
        raise GridError(f"there is no study {name!r}: choose among {', '.join(STUDIES)}")
    module, _, attribute = STUDIES[name].partition(":")
    study = getattr(importlib.import_module(module), attribute)
    assert isinstance(study, Study)
    return study
