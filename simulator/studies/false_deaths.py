"""How often is a living executor taken for dead? Its live work is then recovered elsewhere, and runs twice at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reference_relay.core.records import Executor, Status
from simulator.studies.estimates import Estimate, brief, rate
from simulator.studies.field import DAY_S, SPREAD, Field
from simulator.studies.grid import CALM, FIELD, Point, fixed, points, timing_of, varied
from simulator.studies.study import (
    Answer,
    Axes,
    Chart,
    Effort,
    Study,
    Table,
    Task,
    cut,
    grouped,
    line_chart,
    sectioned,
)  # fmt: skip

EXECUTORS = 10
HOURS = 6.0  # of one task
TASKS = 16  # a point: 40 executor-days


def _cut(sections: Sequence[Axes], effort: Effort) -> list[dict[str, Any]]:
    return cut(sections, FIELD, effort, TASKS, check=timing_of)


def _run(task: Task) -> dict[str, Any]:
    field = Field(task["point"], int(task["seed"]), EXECUTORS, HOURS * 3600, skipping=True)
    shown: dict[str, Status] = {}
    counts = {"demotions": 0, "deaths": 0}

    def saved(executor: str, record: Executor | None) -> None:
        before = shown.get(executor)
        if record is None:
            shown.pop(executor, None)
            return
        shown[executor] = record.status
        if record.status is before:
            return
        if record.status is Status.DISCONNECTED:
            counts["demotions"] += 1
        elif record.status is Status.DEAD:
            assert field.place_of(executor) is not None, "nobody dies in this field"
            counts["deaths"] += 1

    field.saved = saved
    field.run()
    return {**counts, "executor_days": EXECUTORS * HOURS * 3600 / DAY_S}


def _answer(tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]) -> Answer:
    tables, charts, summary = list[Table](), list[Chart](), list[str]()
    for section in sectioned(tasks, results):
        groups = grouped(*section)
        names = varied([point for point, *_ in groups], FIELD)
        rows, dead = [], list[tuple[Point, str, Estimate]]()
        for point, _, runs in groups:
            days = sum(each["executor_days"] for each in runs)
            deaths, demotions = (sum(each[what] for each in runs) for what in ("deaths", "demotions"))
            dead.append((point, "", rate(deaths, days)))
            shown = (FIELD[name].show(point[name]) for name in names)
            rows.append((*shown, dead[-1][2], rate(demotions, days), deaths, round(days, 2), len(runs)))
        by = f"by {' and '.join(names)}" if len(groups) > 1 else "at this point"
        calm = ", nothing else happens" if all(not point[name] for point, *_ in groups for name in CALM) else ""
        head = ("false deaths per executor-day", "demotions per executor-day", "deaths seen", "executor-days", "runs")
        tables.append(Table(f"False deaths {by}{calm}", (*names, *head), tuple(rows), _NOTE))
        days_each = f"{len(section[0]) // len(groups)} runs, {rows[0][-2]:g} executor-days a point"
        charts += line_chart(f"False deaths {by}{calm}", "false deaths per executor-day", dead, FIELD, names, days_each)
        summary += _told(dead, names, days_each)
    return Answer(
        study="false-deaths",
        question=STUDY.question,
        summary=tuple(summary),
        tables=tuple(tables),
        charts=tuple(charts),
        assumed=(
            f"where a table does not say otherwise: {fixed(points({}, FIELD)[0], FIELD)}",
            "how often hosts pause and networks fail is a guess: give yours with --ask",
            f"lengths of pauses and outages are log-normal with sigma {SPREAD}; they strike each executor by itself",
            "chance is the same at every point of a table, so that its rows differ by what they name alone",
            f"{EXECUTORS} executors at a time, runs of {HOURS:g} hours; the core is the reference relay's own",
        ),
        runs=len(tasks),
    )


_NOTE = (
    "Exact 95 % Poisson intervals. A demotion is a living executor shown as DISCONNECTED: harmless, if it returns"
    " within the grace period."
)


def _told(dead: Sequence[tuple[Point, str, Estimate]], names: Sequence[str], runs: str) -> list[str]:
    """The best and the worst point in words."""

    def at(point: Point) -> str:
        return ", ".join(f"{name} {FIELD[name].show(point[name])}" for name in names)

    (best, _, fewest), (worst, _, most) = (choose(dead, key=lambda each: each[2].high) for choose in (min, max))
    if most.n == 0:
        return [f"No false death at all was seen ({runs}): at most {brief(most.high, 2)} per executor-day."]
    if len(dead) == 1:
        return [f"{most.text()} false deaths per executor-day: for 100 executors {_often(most)}."]
    few = f"at most {brief(fewest.high, 2)}" if fewest.n == 0 else fewest.text()
    return [f"By {' and '.join(names)}: {most.text()} per executor-day at {at(worst)}; {few} at {at(best)}."]


def _often(each: Estimate) -> str:
    a_day = each.value * 100
    return f"about {brief(a_day, 2)} a day" if a_day >= 1 else f"one in {brief(1 / a_day, 2)} days"


STUDY = Study(
    name="false-deaths",
    question="How often is a living executor declared DEAD, as ping interval, ping wait, grace, loss and pauses vary?",
    sections=(
        {"grace": (5.0, 15.0, 30.0, 60.0, 120.0), "ping_interval": (10.0, 20.0)},
        {"ping_wait": (25.0, 40.0, 60.0), "grace": (15.0, 60.0)},
        {"pauses": (1.0, 4.0, 24.0), "pause": (5.0, 20.0), "outages": (0.0,), "cuts": (0.0,)},
        {"loss": (0.0, 0.05, 0.2, 0.3, 0.4, 0.5), "grace": (15.0,), **CALM},
    ),
    parameters=FIELD,
    cut=_cut,
    run=_run,
    answer=_answer,
)
