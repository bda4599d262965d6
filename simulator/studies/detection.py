"""From an executor's death to the moment at which its work is somebody else's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from reference_relay.core.effects import Send
from reference_relay.core.records import Executor, Status
from simulator.clock import SECOND_NS, ns
from simulator.studies.estimates import Estimate, mean, quantile
from simulator.studies.field import Field
from simulator.studies.grid import CALM, FIELD, Point, varied
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart

VICTIMS, PEERS = 30, 3
TASKS = 4  # a point and manner: 120 deaths
SETTLE_S = 60.0  # connected and pinged before the first dies
MANNERS = {"killed": "SIGKILL: its kernel ends the connection", "silent": "its host is gone: nobody is told"}


def _cut(axes: Axes, effort: Effort) -> list[dict[str, Any]]:
    return cut(axes, FIELD, effort, TASKS, manner=tuple(MANNERS))


def _run(task: Task) -> dict[str, Any]:
    """Seconds from each death to DISCONNECTED, to the first recovery frame that names it, to the record's end."""
    point: Point = task["point"]
    longest_s = float(point["ping_wait"]) + float(point["ping_interval"]) + 2 * float(point["grace"]) + 120
    field = Field(point, int(task["seed"]), VICTIMS + PEERS, SETTLE_S + 300 + longest_s)
    random, died_ns = Random(f"deaths {task['seed']}"), dict[str, int]()
    seen: dict[str, dict[str, float]] = {"disconnected": {}, "asked": {}, "ended": {}}

    def strike(label: str) -> None:
        place = field.fleet.places[label]
        process = place.process
        if process is None or not process.alive or process.paused or place.path.holds:
            return  # in an outage already: another question
        died_ns[process.id] = field.clock.now_ns
        if task["manner"] == "silent":
            for client in process.clients:
                client.vanish(None)
        process.kill()

    def since(executor: str, what: str) -> None:
        if executor in died_ns:
            seen[what].setdefault(executor, (field.clock.now_ns - died_ns[executor]) / SECOND_NS)

    def saved(executor: str, record: Executor | None) -> None:
        if record is None:
            since(executor, "ended")
        elif record.status is Status.DISCONNECTED:
            since(executor, "disconnected")

    def sent(frame: Send) -> None:
        if frame.type == "recovery":
            for executor in died_ns:
                if executor.encode() in frame.data:
                    since(executor, "asked")

    field.saved, field.sent = saved, sent
    for number in range(VICTIMS):
        field.clock.call(ns(SETTLE_S + random.uniform(0, 300)), strike, f"e{number}")
    field.run()
    return {"deaths": len(died_ns), **{what: sorted(times.values()) for what, times in seen.items()}}


def _answer(tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]) -> Answer:
    groups = grouped(tasks, results, "manner")
    seen = [point for point, *_ in groups]
    names = varied(seen, FIELD)
    rows, asked = [], list[tuple[Point, str, Estimate]]()
    for point, (manner,), several in groups:
        times = {what: [t for each in several for t in each[what]] for what in ("disconnected", "asked", "ended")}
        deaths = sum(each["deaths"] for each in several)
        cells = [
            *(mean(times[what]) if times[what] else "never" for what in ("disconnected", "asked", "ended")),
            quantile(times["asked"], 0.95) if times["asked"] else "never",
        ]
        rows.append((manner, *(FIELD[name].show(point[name]) for name in names), *cells, deaths))
        if times["asked"]:
            asked.append((point, manner, mean(times["asked"])))
    table = Table(
        "From a death to its recovery, seconds",
        ("manner", *names, "DISCONNECTED", "first asked of a peer", "recovered", "asked, 95 % of deaths", "deaths"),
        tuple(rows),
        "Means with 95 % intervals; the last but one column is a quantile.",
    )
    return Answer(
        study="detection",
        question=STUDY.question,
        summary=tuple(
            f"{manner.capitalize()} ({text}): a peer is asked after {min(at):.4g} to {max(at):.4g} s on average."
            for manner, text in MANNERS.items()
            if (at := [each.value for _, whose, each in asked if whose == manner])
        ),
        tables=(table,),
        charts=line_chart("From a death to the first recovery frame", "seconds (mean)", asked, FIELD, names),
        assumed=(
            *(f"{name} {FIELD[name].show(value)}" for name, value in seen[0].items() if name not in names),
            f"{PEERS} peers of the same version answer at once; {VICTIMS} executors die within 5 minutes, one by one",
        ),
        runs=len(tasks),
    )


STUDY = Study(
    name="detection",
    question="How long from an executor's death until it is DISCONNECTED, a peer is asked, and it is recovered?",
    axes={"ping_interval": (10.0, 20.0), "grace": (5.0, 30.0, 60.0), **CALM},
    parameters=FIELD,
    cut=_cut,
    run=_run,
    answer=_answer,
)
