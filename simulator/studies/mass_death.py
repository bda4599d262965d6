"""K executors die at once: a rack, a zone, a bad deployment. How fast is their work handed over, and to whom?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from reference_relay.core.effects import Send
from reference_relay.core.records import Executor
from simulator.clock import SECOND_NS, ns
from simulator.studies.estimates import Estimate, mean
from simulator.studies.field import Field
from simulator.studies.grid import FIELD, Parameter, Parameters, varied
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart

TASKS = 5
LONGEST_S = 1800.0
DIES_AT_S = 30.0
MANNERS = ("well", "refuses", "silent")

PARAMETERS: Parameters = MappingProxyType(
    {
        each.name: each
        for each in (
            Parameter("dead", "", 20, "executors that die in the same instant", 1, 2000),
            Parameter("peers", "", 4, "of the same application, version and language, that live on", 1, 500),
            Parameter("one_peer", "", "well", "how one of the peers answers every recovery", choices=MANNERS),
            FIELD["grace"],
            FIELD["sdk"],
        )
    }
)


def _cut(axes: Axes, effort: Effort) -> list[dict[str, Any]]:
    return cut(axes, PARAMETERS, effort, TASKS)


def _run(task: Task) -> dict[str, Any]:
    """Seconds after the grace period until each record's end, and how many recovery frames each peer got."""
    point = task["point"]
    dead, peers, grace_s = int(point["dead"]), int(point["peers"]), float(point["grace"])
    calm = {name: each.default for name, each in FIELD.items()} | {"pauses": 0.0, "outages": 0.0, "cuts": 0.0}
    field_point = calm | {"grace": point["grace"], "sdk": point["sdk"]}
    field = Field(field_point, int(task["seed"]), dead + peers, DIES_AT_S + grace_s + LONGEST_S)
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
    rows, found = [], list[tuple[Mapping[str, float | str], str, Estimate]]()
    for point, _, several in groups:
        dead = float(point["dead"])
        whole = all(each["recovered"] == dead for each in several)
        last = mean([each["seconds"][-1] for each in several]) if whole else f"not within {LONGEST_S:g} s"
        typical = (
            mean([sum(each["seconds"]) / len(each["seconds"]) for each in several if each["seconds"]]) if whole else "-"
        )
        if isinstance(last, Estimate):
            found.append((point, "", last))
        fair = dead / float(point["peers"])
        rows.append(
            (
                *(PARAMETERS[name].show(point[name]) for name in names), typical, last,
                mean([each["frames"] / dead for each in several]),
                mean([each["most"] / fair for each in several]), len(several),
            )
        )  # fmt: skip
    table = Table(
        "From the end of the grace period to the last record's end",
        (*names, "mean (s)", "last (s)", "recovery frames per dead", "busiest peer / even share", "runs"),
        tuple(rows),
        "Means with 95 % intervals over runs. An even share is dead / peers.",
    )
    return Answer(
        study="mass-death",
        question=STUDY.question,
        summary=tuple(
            f"With one peer that answers {manner!r}, the last of the dead is recovered {min(at):.3g} to {max(at):.3g} s"
            " after the grace period."
            for manner in MANNERS
            if (at := [each.value for point, _, each in found if point["one_peer"] == manner])
        ),
        tables=(table,),
        charts=line_chart(
            "Until the last is recovered", "seconds after the grace period", found, PARAMETERS, names, log_y=True
        ),
        assumed=(
            *(f"{name} {PARAMETERS[name].show(value)}" for name, value in seen[0].items() if name not in names),
            "nothing else goes wrong; the workflows themselves are not played: a record ends when no work is left",
        ),
        runs=len(tasks),
    )


STUDY = Study(
    name="mass-death",
    question="K executors die at once: when is the last recovered, how evenly, and what does a failing peer cost?",
    axes={"dead": (1.0, 5.0, 20.0, 100.0), "peers": (2.0, 8.0), "one_peer": MANNERS, "grace": (30.0,)},
    parameters=PARAMETERS,
    cut=_cut,
    run=_run,
    answer=_answer,
)
