"""K executors die at once: a rack, a zone, a bad deployment. How fast is their work handed over, and to whom?"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from conductor.timing import DOCUMENTED
from reference_relay.core.effects import Send
from reference_relay.core.records import Executor
from simulator.clock import SECOND_NS, ns
from simulator.studies.estimates import Estimate, mean
from simulator.studies.field import Field
from simulator.studies.grid import FIELD, Parameter, Parameters, Point, fixed, usual, varied
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart

TASKS = 20
LONGEST_S = 1800.0
DIES_AT_S = 30.0
MANNERS = {
    "well": "All peers answer well",
    "refuses": "One peer refuses every recovery",
    "silent": "One peer never answers",
}

PARAMETERS: Parameters = MappingProxyType(
    {
        each.name: each
        for each in (
            Parameter("dead", "", 20, "executors that die in the same instant", 1, 2000),
            Parameter("peers", "", 8, "of the same application, version and language, that live on", 1, 500),
            Parameter("one_peer", "", "well", "how one of the peers answers every recovery", choices=tuple(MANNERS)),
            Parameter("answer", "s", 0.1, "of a peer's database to each request (Python: 6 ms a row, measured)", 0, 60),
            FIELD["grace"],
            FIELD["sdk"],
        )
    }
)


def _cut(sections: Sequence[Axes], effort: Effort) -> list[dict[str, Any]]:
    return cut(sections, PARAMETERS, effort, TASKS)


def _run(task: Task) -> dict[str, Any]:
    """Seconds after the grace period until each record's end, and how many recovery frames each peer got."""
    point = task["point"]
    dead, peers, grace_s = int(point["dead"]), int(point["peers"]), float(point["grace"])
    calm = {name: each.default for name, each in FIELD.items()} | {"pauses": 0.0, "outages": 0.0, "cuts": 0.0}
    field_point = calm | {"grace": point["grace"], "sdk": point["sdk"]}
    field = Field(field_point, int(task["seed"]), dead + peers, DIES_AT_S + grace_s + LONGEST_S)
    field.fleet.database.delay_ns = ns(float(point["answer"]))
    names: set[str] = set()
    ended: dict[str, float] = {}
    asked = Counter[str]()
    frames = 0

    def strike() -> None:
        for number in range(dead):
            place = field.fleet.places[f"e{number}"]
            assert place.process is not None
            names.add(place.process.id)
            field.fleet.strike(place)
        odd = field.fleet.places[f"e{dead}"]
        odd.manner.refusing = "false" if point["one_peer"] == "refuses" else ""
        odd.manner.deaf = point["one_peer"] == "silent"

    def saved(executor: str, record: Executor | None) -> None:
        if record is None and executor in names:
            ended[executor] = field.clock.now_ns / SECOND_NS - DIES_AT_S - grace_s
            if len(ended) == dead:
                field.end()

    def sent(frame: Send) -> None:
        nonlocal frames
        if frame.type == "recovery":
            frames += 1
            asked[field.executor_of(frame.conn)] += 1

    field.saved, field.sent = saved, sent
    field.clock.call(ns(DIES_AT_S), strike)
    field.run()
    return {
        "recovered": len(ended), "seconds": sorted(ended.values()), "frames": frames,
        "most": max(asked.values(), default=0),
        "peers_asked": len(asked),
    }  # fmt: skip


def _answer(tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]) -> Answer:
    groups = grouped(tasks, results)
    seen = [point for point, *_ in groups]
    names = varied(seen, PARAMETERS)
    rows, found = [], list[tuple[Point, str, Estimate]]()
    for point, _, runs in groups:
        dead, peers = int(point["dead"]), int(point["peers"])
        whole = all(each["recovered"] == dead for each in runs)
        typical: str | Estimate = f"not within {LONGEST_S:g} s"
        last = typical
        if whole:
            typical = mean([sum(each["seconds"]) / dead for each in runs])
            last = mean([each["seconds"][-1] for each in runs])
            found.append((point, "", last))
        shown = (PARAMETERS[name].show(point[name]) for name in names)
        frames = mean([each["frames"] / dead for each in runs])
        busiest = mean([each["most"] for each in runs])
        rows.append((*shown, typical, last, frames, busiest, math.ceil(dead / peers), len(runs)))
    table = Table(
        "From the end of the grace period to the end of the dead one's record",
        (*names, "mean (s)", "last (s)", "requests per dead", "requests to the busiest peer", "even share", "runs"),
        tuple(rows),
        "Means over runs with 95 % intervals. Even share: dead / peers, rounded up. A request is a recovery frame.",
    )
    return Answer(
        study="mass-death",
        question=STUDY.question,
        summary=tuple(_told(found)),
        tables=(table,),
        charts=line_chart(
            "Until the last is recovered", "seconds after the grace period", found, PARAMETERS, names,
            f"mean of {len(groups[0][2])} runs a point", log_x="dead" in names, log_y=True,
        ),
        assumed=(
            fixed(seen[0], PARAMETERS, names),
            f"recovery deadline {DOCUMENTED.recovery_deadline_s:g} s; a peer that refuses says success: false at once,"
            " a silent one answers pings alone",
            "nothing else goes wrong; the workflows themselves are not played: a record ends when no work is left",
        ),
        runs=len(tasks),
    )  # fmt: skip


def _told(found: Sequence[tuple[Point, str, Estimate]]) -> list[str]:
    """For each kind of peer the usual point in words, and the worst."""
    told = []
    for manner, text in MANNERS.items():
        mine = [(point, last) for point, _, last in found if point["one_peer"] == manner]
        if not mine:
            continue
        most = usual([point for point, _ in mine], PARAMETERS)
        both = [next(each for each in mine if each[0] == most), max(mine, key=lambda each: each[1].value)]
        parts = [
            f"{last.text()} s after the grace period with {point['dead']:g} dead and {point['peers']:g} peers"
            for point, last in (both if both[0] != both[1] else both[:1])
        ]
        told.append(f"{text}: the last is recovered {', and '.join(parts)}.")
    return told


STUDY = Study(
    name="mass-death",
    question="K executors die at once: when is the last recovered, how evenly, and what does a failing peer cost?",
    sections=({"dead": (1.0, 5.0, 20.0, 100.0), "peers": (2.0, 8.0), "one_peer": tuple(MANNERS), "grace": (30.0,)},),
    parameters=PARAMETERS,
    cut=_cut,
    run=_run,
    answer=_answer,
)
