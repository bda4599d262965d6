"""From an executor's death to the moment at which its work is somebody else's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from reference_relay.core.effects import Send
from reference_relay.core.records import Executor, Status
from simulator.clock import SECOND_NS, ns
from simulator.studies.estimates import Estimate, quantile
from simulator.studies.field import Field
from simulator.studies.grid import CALM, FIELD, Point, fixed, timing_of, usual, varied
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart, several

VICTIMS, PEERS = 30, 3
TASKS = 4  # a point and manner: 120 deaths
SETTLE_S = 60.0  # connected and pinged before the first dies
MANNERS = {"killed": "SIGKILL: its kernel ends the connection", "silent": "its host is gone: nobody is told"}


def _cut(sections: Sequence[Axes], effort: Effort) -> list[dict[str, Any]]:
    return cut(sections, FIELD, effort, TASKS, check=timing_of, manner=tuple(MANNERS))


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
    told = list[str]()
    headline = usual(seen, FIELD)
    for point, (manner,), runs in groups:
        times = {what: [t for each in runs for t in each[what]] for what in ("disconnected", "asked", "ended")}
        deaths = sum(each["deaths"] for each in runs)
        last = quantile(times["asked"], 0.95) if times["asked"] else "never"
        first = several(times["asked"])
        cells = (several(times["disconnected"]), first, last, several(times["ended"]))
        rows.append((manner, *(FIELD[name].show(point[name]) for name in names), *cells, deaths, len(runs)))
        if isinstance(first, Estimate):
            asked.append((point, manner, first))
            if point == headline and isinstance(last, Estimate):
                where = ", ".join(f"{name} {FIELD[name].show(point[name])}" for name in names)
                told.append(
                    f"{manner.capitalize()} ({MANNERS[manner]}), at {where}: a peer is asked {first.text()} s after the"
                    f" death on average, 95 % of the time within {last.text()} s."
                )
    table = Table(
        "From a death to its recovery",
        ("manner", *names, "DISCONNECTED (s)", "a peer is asked (s)", "asked, 95 % of deaths (s)", "recovered (s)",
         "deaths", "runs"),
        tuple(rows),
        "Seconds after the death: means with 95 % intervals over the deaths, and the 95 % quantile with its own."
        " Recovered: the peer answered and nothing is left.",
    )  # fmt: skip
    note = f"mean of up to {VICTIMS * len(groups[0][2])} deaths in {len(groups[0][2])} runs a point"
    return Answer(
        study="detection",
        question=STUDY.question,
        summary=(
            *told,
            "A killed process costs the grace period and nothing else. A silent host costs what is left of the ping"
            " wait besides, and now and then a recovery deadline more: the peer that is asked first may be as dead"
            " and not yet noticed.",
        ),
        tables=(table,),
        charts=line_chart("From a death to the first recovery frame", "seconds (mean)", asked, FIELD, names, note),
        assumed=(
            fixed(seen[0], FIELD, names),
            f"{PEERS} peers of the same version answer at once; {VICTIMS} executors die within 5 minutes, one by one,"
            " and may be asked about one another until their own death is noticed",
        ),
        runs=len(tasks),
    )


STUDY = Study(
    name="detection",
    question="How long from an executor's death until it is DISCONNECTED, a peer is asked, and it is recovered?",
    sections=({"ping_interval": (10.0, 20.0), "grace": (5.0, 30.0, 60.0)},),
    base=CALM,
    parameters=FIELD,
    cut=_cut,
    run=_run,
    answer=_answer,
)
