"""When may a silent executor become DISCONNECTED? The documents' ping wait of 25 s can be read in two ways.

From the last frame: silence of the ping wait after whatever came last. From the unanswered ping: the wait runs from the
first ping that nothing answers. Both are lawful; a relay author should know how far apart they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from reference_relay.core.core import Core
from reference_relay.core.records import Executor, Status
from simulator.clock import SECOND_NS, ns
from simulator.studies.estimates import Estimate, mean
from simulator.studies.field import Field
from simulator.studies.grid import CALM, FIELD, Point, timing_of, varied
from simulator.studies.readings import FromTheUnansweredPing
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart

EXECUTORS = 40
TASKS = 4
SETTLE_S = 60.0


READINGS: Mapping[str, type[Core]] = {"the last frame": Core, "the unanswered ping": FromTheUnansweredPing}


def lawful(point: Point, reading: str) -> tuple[float, float]:
    """Earliest and latest DISCONNECTED, seconds after the executor fell silent, where it answers each ping at once."""
    t = timing_of(point)
    late_s = t.scan_s + t.slack_s
    if reading == "the last frame":
        return t.ping_wait_s - t.ping_interval_s, t.ping_wait_s + late_s
    return t.ping_wait_s, t.ping_wait_s + t.ping_interval_s + late_s


def _cut(axes: Axes, effort: Effort) -> list[dict[str, Any]]:
    return cut(axes, FIELD, effort, TASKS, reading=tuple(READINGS))


def _run(task: Task) -> dict[str, Any]:
    """Seconds from the fault to DISCONNECTED, for each executor that fell silent at a random moment."""
    point: Point = task["point"]
    timing = timing_of(point)
    length_s = SETTLE_S + 60 + timing.ping_wait_s + timing.ping_interval_s + 10
    field = Field(point, int(task["seed"]), EXECUTORS, length_s, READINGS[task["reading"]])
    random, silent_ns, found = Random(f"windows {task['seed']}"), dict[str, int](), list[float]()

    def fall_silent(label: str) -> None:
        place = field.fleet.places[label]
        if place.process is not None:
            silent_ns[place.process.id] = field.clock.now_ns
            place.path.hold("up", "drop")
            place.path.hold("down", "drop")

    def saved(executor: str, record: Executor | None) -> None:
        if record is not None and record.status is Status.DISCONNECTED and executor in silent_ns:
            found.append((field.clock.now_ns - silent_ns.pop(executor)) / SECOND_NS)

    field.saved = saved
    for label in field.fleet.places:
        field.clock.call(ns(SETTLE_S + random.uniform(0, 60)), fall_silent, label)
    field.run()
    return {"seconds": found, "never": len(silent_ns)}


def _answer(tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]) -> Answer:
    rows, found = [], list[tuple[Point, str, Estimate]]()
    for point, (reading,), several in grouped(tasks, results, "reading"):
        seconds = [each for result in several for each in result["seconds"]]
        low, high = lawful(point, reading)
        inside = all(low <= each <= high for each in seconds)
        rows.append(
            (
                reading,
                *(FIELD[name].show(point[name]) for name in ("ping_interval", "ping_wait")),
                f"{low:g} to {high:g} s", round(min(seconds), 3), mean(seconds), round(max(seconds), 3), len(seconds),
                "yes" if inside else "NO",
            )
        )  # fmt: skip
        found.append((point, f"from {reading}", mean(seconds)))
    table = Table(
        "From silence to DISCONNECTED",
        ("ping wait from", "ping interval", "ping wait", "lawful after the fault", "earliest seen (s)", "mean (s)",
         "latest seen (s)", "executors", "all inside"),
        tuple(rows),
        "Lawful: for an executor that answered each ping at once until it fell silent at a random moment.",
    )  # fmt: skip
    return Answer(
        study="windows",
        question=STUDY.question,
        summary=(
            "From the last frame a fault is seen between w - i and w + scan + slack after it, from the unanswered ping"
            " between w and w + i + scan + slack: on average one ping interval later.",
            "A test that must accept both judges from w to w + i + scan + 2 slack after the last pong (LIV-3).",
        ),
        tables=(table,),
        charts=line_chart(
            "From silence to DISCONNECTED", "seconds (mean)", found, FIELD, varied([p for p, *_ in found], FIELD)
        ),
        assumed=("pauses, outages and resets: none", "the executors' own pings, every 20 s, are frames too"),
        runs=len(tasks),
    )


STUDY = Study(
    name="windows",
    question="When may a silent executor lawfully become DISCONNECTED, by each reading of the ping wait?",
    axes={"ping_interval": (5.0, 8.0, 10.0, 20.0), **CALM},
    parameters=FIELD,
    cut=_cut,
    run=_run,
    answer=_answer,
)  # fmt: skip
