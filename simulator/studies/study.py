"""What a study is, and what it gives: tables and charts, independent of how they are shown."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, Final

import msgspec

from simulator.studies.estimates import Estimate, mean
from simulator.studies.grid import GridError, Parameters, Point, parse, points

__all__ = [
    "STUDIES", "Answer", "Axes", "Chart", "Effort", "Line", "Study", "Table", "Task",
    "cut", "find", "grouped", "line_chart", "sectioned", "several",
]  # fmt: skip

MOST_TASKS = 100_000
"""Runs of one question."""

Task = Mapping[str, Any]
Axes = Mapping[str, Sequence[float | str]]


@dataclass(frozen=True, slots=True)
class Effort:
    """``scale`` multiplies the number of runs: 1 answers in minutes on two cores. Never less than two: an interval."""

    scale: float = 1.0
    seed: int = 0

    def runs(self, usual: int) -> int:
        return max(2, round(min(usual * self.scale, 2.0 * MOST_TASKS)))


class Table(msgspec.Struct, frozen=True):
    """Cells are texts, numbers or estimates. A column's head has its unit, or its cells have."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str | float | int | Estimate, ...], ...]
    note: str = ""


class Line(msgspec.Struct, frozen=True):
    """One series: ``y`` with its interval at each ``x``."""

    label: str
    x: tuple[float, ...]
    y: tuple[Estimate, ...]


def cut(
    sections: Sequence[Axes], parameters: Parameters, effort: Effort, usual: int,
    check: Callable[[Point], object] = lambda point: None, **ways: Sequence[str],
) -> list[dict[str, Any]]:  # fmt: skip
    """A task for each section's points, each of the ``ways`` to look at them (``manner=("killed", "silent")``), and
    each run. The same seeds at every point: what differs between two points is what they ask, not chance.

    Raises `GridError` where that is too much, and where ``check`` does for a point.
    """
    names, runs = list(ways), effort.runs(usual)
    found = [(number, point) for number, axes in enumerate(sections) for point in points(axes, parameters)]
    for _, point in found:
        check(point)
    chosen = list(itertools.product(*ways.values()))
    if (count := len(found) * len(chosen) * runs) > MOST_TASKS:
        raise GridError(f"that is {count:,} runs: give fewer points or a smaller scale, at most {MOST_TASKS:,} runs")
    return [
        {
            "section": section, "point": dict(point), **dict(zip(names, way, strict=True)),
            "seed": effort.seed * 1_000_003 + number,
        }
        for section, point in found
        for way in chosen
        for number in range(runs)
    ]  # fmt: skip


def sectioned(
    tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]
) -> list[tuple[list[Task], list[Mapping[str, Any]]]]:
    """Tasks and results of each section by itself."""
    found: dict[int, tuple[list[Task], list[Mapping[str, Any]]]] = {}
    for task, result in zip(tasks, results, strict=True):
        its_tasks, its_results = found.setdefault(task["section"], ([], []))
        its_tasks.append(task)
        its_results.append(result)
    return list(found.values())


def grouped(
    tasks: Sequence[Task], results: Sequence[Mapping[str, Any]], *ways: str
) -> list[tuple[Point, tuple[str, ...], list[Mapping[str, Any]]]]:
    """The results of all runs of one point and one way, in the order in which they were cut."""
    groups: dict[tuple[tuple[str, ...], tuple[tuple[str, float | str], ...]], list[Mapping[str, Any]]] = {}
    for task, result in zip(tasks, results, strict=True):
        way = tuple(str(task[name]) for name in ways)
        groups.setdefault((way, tuple(task["point"].items())), []).append(result)
    return [(dict(point), way, several) for (way, point), several in groups.items()]


def several(values: Sequence[float]) -> Estimate | str:
    """Their mean, or in words that there is none."""
    if len(values) > 1:
        return mean(values)
    return f"{values[0]:.4g} (once)" if values else "never"


def line_chart(
    title: str, y_label: str, found: Sequence[tuple[Point, str, Estimate]], parameters: Parameters,
    names: Sequence[str], note: str, *, log_x: bool = False, log_y: bool = False,
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
    return (Chart(title, f"{across} ({unit})" if unit else across, y_label, tuple(lines), note, log_x, log_y),)


class Chart(msgspec.Struct, frozen=True):
    """Lines with bands of confidence. Axis labels have the unit; ``note``: how many runs are behind a point."""

    title: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    note: str
    log_x: bool = False
    log_y: bool = False


class Answer(msgspec.Struct, frozen=True):
    """``summary``: the answer in plain words, for who reads nothing else. ``assumed``: what was taken for granted."""

    study: str
    question: str
    summary: tuple[str, ...]
    tables: tuple[Table, ...]
    charts: tuple[Chart, ...]
    assumed: tuple[str, ...]
    runs: int


@dataclass(frozen=True, slots=True)
class Study:
    """``sections``: the points that are looked at when nobody asks for others, each a table; ``base`` holds in all of
    them, and where a question of one's own does not say otherwise."""

    name: str
    question: str
    sections: Sequence[Axes]
    parameters: Parameters
    cut: Callable[[Sequence[Axes], Effort], list[dict[str, Any]]]
    run: Callable[[Task], dict[str, Any]]
    answer: Callable[[Sequence[Task], Sequence[Mapping[str, Any]]], Answer]
    base: Axes = field(default_factory=dict)

    def tasks(self, ask: str, effort: Effort) -> list[dict[str, Any]]:
        """What there is to run for a question of one's own, or for the usual ones. Raises `GridError`."""
        sections = (parse(ask, self.parameters),) if ask.strip() else self.sections
        return self.cut([{**self.base, **axes} for axes in sections], effort)


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
