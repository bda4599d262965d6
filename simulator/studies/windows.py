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
from simulator.studies.estimates import Estimate
from simulator.studies.field import Field
from simulator.studies.grid import CALM, FIELD, Point, fixed, timing_of, usual, varied
from simulator.studies.readings import FromTheUnansweredPing
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart, several

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


def _cut(sections: Sequence[Axes], effort: Effort) -> list[dict[str, Any]]:
    return cut(sections, FIELD, effort, TASKS, check=timing_of, reading=tuple(READINGS))


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
    groups = grouped(tasks, results, "reading")
    names = varied([point for point, *_ in groups], FIELD)
    shown = ["ping_interval", "ping_wait", *(name for name in names if name not in ("ping_interval", "ping_wait"))]
    noticed = outside = 0
    for point, (reading,), runs in groups:
        seconds = [each for result in runs for each in result["seconds"]]
        low, high = lawful(point, reading)
        strays = sum(not low <= each <= high for each in seconds)
        outside += strays
        noticed += len(seconds)
        average = several(seconds)
        extremes = (round(min(seconds), 3), round(max(seconds), 3)) if seconds else ("never", "never")
        cells = (f"{low:g} to {high:g}", extremes[0], average, extremes[1], len(seconds), strays, len(runs))
        rows.append((reading, *(FIELD[name].show(point[name]) for name in shown), *cells))
        if isinstance(average, Estimate):
            found.append((point, f"from {reading}", average))
    table = Table(
        "From silence to DISCONNECTED",
        ("ping wait from", *shown, "lawful after the fault (s)", "earliest (s)", "mean (s)", "latest (s)", "executors",
         "outside", "runs"),
        tuple(rows),
        "Seconds after an executor that answered each ping at once fell silent, at a random moment: the mean with its"
        " 95 % interval over the executors, and the two extremes seen.",
    )  # fmt: skip
    t = timing_of(usual([point for point, *_ in groups], FIELD))
    latest_s = t.ping_wait_s + t.ping_interval_s + t.scan_s + 2 * t.slack_s
    return Answer(
        study="windows",
        question=STUDY.question,
        summary=(
            f"All {noticed:,} faults were noticed within their window." if not outside
            else f"{outside} faults were noticed outside of their window: the relay breaks its own reading.",
            "Counted from the last frame, a fault is noticed between w - i and w + scan + slack after it; counted from"
            " the unanswered ping, between w and w + i + scan + slack: on average one ping interval later"
            " (w ping wait, i ping interval).",
            f"Both are lawful. A test that accepts both judges from {t.ping_wait_s:g} to {latest_s:g} s after the last"
            f" pong at i = {t.ping_interval_s:g} s and w = {t.ping_wait_s:g} s (LIV-3); add the grace period for the"
            " time until a peer is asked.",
        ),
        tables=(table,),
        charts=line_chart(
            "From silence to DISCONNECTED", "seconds (mean)", found, FIELD, names,
            f"mean of {EXECUTORS * len(groups[0][2])} executors in {len(groups[0][2])} runs a point",
        ),
        assumed=(
            fixed(groups[0][0], FIELD, shown),
            "the executors' own pings, every 20 s, are frames too",
        ),
        runs=len(tasks),
    )  # fmt: skip


STUDY = Study(
    name="windows",
    question="When may a silent executor lawfully become DISCONNECTED, by each reading of the ping wait?",
    sections=({"ping_interval": (5.0, 8.0, 10.0, 20.0)},),
    base=CALM,
    parameters=FIELD,
    cut=_cut,
    run=_run,
    answer=_answer,
)
