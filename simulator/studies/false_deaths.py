"""How often is a living executor taken for dead? Its live work is then recovered elsewhere, and runs twice at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reference_relay.core.records import Executor, Status
from simulator.studies.estimates import rate
from simulator.studies.field import DAY_S, SPREAD, Field
from simulator.studies.grid import FIELD, Point, varied
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart

EXECUTORS = 10
HOURS = 6.0  # of one task
TASKS = 16  # a point: 40 executor-days


def _cut(axes: Axes, effort: Effort) -> list[dict[str, Any]]:
    return cut(axes, FIELD, effort, TASKS)


def _run(task: Task) -> dict[str, Any]:
    field = Field(task["point"], int(task["seed"]), EXECUTORS, HOURS * 3600)
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
    groups = grouped(tasks, results)
    names = varied([point for point, *_ in groups], FIELD)
    rows, estimates = [], []
    for point, _, several in groups:
        days = sum(each["executor_days"] for each in several)
        dead = rate(sum(each["deaths"] for each in several), days)
        demoted = rate(sum(each["demotions"] for each in several), days)
        estimates.append((point, dead))
        rows.append((*(FIELD[name].show(point[name]) for name in names), dead, demoted, round(days, 1)))
    table = Table(
        "False deaths",
        (*names, "false deaths per executor-day", "demotions to DISCONNECTED per executor-day", "executor-days"),
        tuple(rows),
        "Rates with exact 95 % Poisson intervals; the number of events is the rate times the executor-days.",
    )
    worst = max(estimates, key=lambda each: each[1].value)
    best = min(estimates, key=lambda each: each[1].high)
    return Answer(
        study="false-deaths",
        question=STUDY.question,
        summary=(
            f"Most false deaths: {worst[1].text()} per executor-day at {_at(worst[0], names)}.",
            f"Fewest: {best[1].text()} per executor-day at {_at(best[0], names)}.",
        ),
        tables=(table,),
        charts=line_chart(
            "False deaths",
            "false deaths per executor-day",
            [(point, "", dead) for point, dead in estimates],
            FIELD,
            names,
        ),
        assumed=(
            *(f"{name} {FIELD[name].show(value)}" for name, value in estimates[0][0].items() if name not in names),
            f"lengths of pauses and outages are log-normal with sigma {SPREAD}; they strike each executor by itself",
            f"{EXECUTORS} executors at a time, runs of {HOURS:g} hours; the core is the reference relay's own",
        ),
        runs=len(tasks),
    )


def _at(point: Point, names: Sequence[str]) -> str:
    return ", ".join(f"{name} {FIELD[name].show(point[name])}" for name in names)


STUDY = Study(
    name="false-deaths",
    question="How often is a living executor declared DEAD, as ping interval, ping wait, grace, loss and pauses vary?",
    axes={"ping_interval": (10.0, 20.0), "grace": (5.0, 15.0, 30.0, 60.0), "loss": (0.0, 0.05)},
    parameters=FIELD,
    cut=_cut,
    run=_run,
    answer=_answer,
)
