"""A relay restarts, and everybody dials at once. How long until all are HEALTHY, and when does it never end?

A queue in virtual time: dials arrive as each SDK's time-out and backoff have it, the relay admits one after the other.
A client whose dial has timed out is gone when its turn comes, and its admission was work for nothing; beyond some
number of executors the relay does nothing else any more. The admission rate is measured (`relayproof bench`, accept).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from simulator.models.sdk import SDKS
from simulator.studies.admission import LONGEST_S, Storm
from simulator.studies.estimates import Estimate, mean
from simulator.studies.grid import SDK_NAMES, Parameter, Parameters, Point, fixed, varied
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart

MEASURED_ADMISSIONS = 1250.0
"""A second: the reference relay on one of two shared cores, upgrade to registration (docs/benchmark.md)."""
TASKS = 3
COLLAPSES, NEVER_FROM = "collapse", 300_000  # the search for the collapse point looks no further
_NEAR = 1.03  # ... and ends where its two ends are so close

PARAMETERS: Parameters = MappingProxyType(
    {
        each.name: each
        for each in (
            Parameter("executors", "", 10_000, "that were connected before the restart", 1, 1_000_000),
            Parameter("sdk", "", "python", "whose time-outs and backoff they have", choices=SDK_NAMES),
            Parameter("admission", "/s", MEASURED_ADMISSIONS, "connections a second that the relay can admit", 1),
            Parameter("down", "s", 5.0, "how long nobody listened", 0.0),
            Parameter("waiting", "", 0, "dials that may wait; more are refused with 503 at once. 0: no limit"),
        )
    }
)


def _cut(sections: Sequence[Axes], effort: Effort) -> list[dict[str, Any]]:
    tasks = cut(sections, PARAMETERS, effort, TASKS, find=("times",))
    anywhere = [{**axes, "executors": (0.0,)} for axes in sections]
    return tasks + cut(anywhere, PARAMETERS, effort, TASKS, find=(COLLAPSES,))


def _run(task: Task) -> dict[str, Any]:
    return _collapse(task) if task["find"] == COLLAPSES else _times(task)


def _comes_back(task: Task, executors: int) -> bool:
    storm = Storm({**task, "point": {**task["point"], "executors": executors}})
    storm.run()
    return storm.healthy == executors


def _collapse(task: Task) -> dict[str, Any]:
    """The most executors that came back, the fewest that did not (none below a bound): a search by halves."""
    if SDKS[str(task["point"]["sdk"])].handshake_s is None:
        return {"back": NEVER_FROM, "gone": None}  # its clients wait for as long as it takes
    back, gone = 1, 256
    while _comes_back(task, gone):
        if gone >= NEVER_FROM:
            return {"back": gone, "gone": None}
        back, gone = gone, min(gone * 2, NEVER_FROM)
    while gone > back * _NEAR + 1:
        middle = (back + gone) // 2
        back, gone = (middle, gone) if _comes_back(task, middle) else (back, middle)
    return {"back": back, "gone": gone}


def _times(task: Task) -> dict[str, Any]:
    storm = Storm(task)
    storm.run()
    times = storm.times_s
    whole = storm.healthy == len(storm.clients)
    return {
        "healthy": storm.healthy, "all_s": times[-1] if whole else None,
        "half_s": times[len(storm.clients) // 2] if len(times) > len(storm.clients) // 2 else None,
        "collapsed": storm.collapsed, "dials": storm.dials, "wasted": storm.wasted, "refused": storm.refused,
    }  # fmt: skip


def _answer(tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]) -> Answer:
    groups = [(point, runs) for point, (find,), runs in grouped(tasks, results, "find") if find != COLLAPSES]
    limits = [(point, runs) for point, (find,), runs in grouped(tasks, results, "find") if find == COLLAPSES]
    seen = [point for point, _ in groups]
    names = varied(seen, PARAMETERS)
    rows, found = [], list[tuple[Point, str, Estimate]]()
    for point, runs in groups:
        executors = float(point["executors"])
        cells: list[str | float | Estimate] = []
        for what in ("half_s", "all_s"):
            times = [each[what] for each in runs if each[what] is not None]
            never = "never" if any(each["collapsed"] for each in runs) else f"not within {LONGEST_S:g} s"
            cells.append(mean(times) if len(times) == len(runs) else never)
        if isinstance(cells[1], Estimate):
            found.append((point, "", cells[1]))
        cells.append(mean([each["dials"] / executors for each in runs]))
        cells.append(mean([100 * each["wasted"] / max(each["wasted"] + each["healthy"], 1) for each in runs]))
        rows.append((*(PARAMETERS[name].show(point[name]) for name in names), *cells, len(runs)))
    table = Table(
        "Until everybody is back",
        (*names, "half HEALTHY (s)", "all HEALTHY (s)", "dials per executor", "admissions wasted (%)", "runs"),
        tuple(rows),
        "Means with 95 % intervals, seconds after the relay listens again. Wasted: the client had given up. Never: no"
        " client that still waited was admitted for longer than the whole queue takes.",
    )
    collapse, told = _limits(limits)
    return Answer(
        study="storm",
        question=STUDY.question,
        summary=(
            *told,
            "Clients that give up after T seconds fill the queue for ever once more than admission rate x (2 T +"
            " redial) of them return at once: a relay that may meet more must answer or refuse each dial within T.",
        ),
        tables=(collapse, table),
        charts=line_chart(
            "Until all are HEALTHY", "seconds after the relay listens again", found, PARAMETERS, names,
            f"mean of {len(groups[0][1])} runs a point; a line ends where executors never come back",
            log_x="executors" in names, log_y=True,
        ),
        assumed=(
            fixed(seen[0], PARAMETERS, names),
            "first come, first served; every connection ended within 50 ms; an admission takes its mean time, 20 %"
            " either way; a refusal costs a tenth of it; heartbeats of those who are in cost nothing",
            "no limit of the kernel to connections that wait to be accepted: raise the listen backlog where there is",
            "TypeScript dials as Python does; Go backs off, 1 to 30 s with jitter; Java's dials have no time-out",
            f"the default admission rate, {MEASURED_ADMISSIONS:g}/s, was measured on one of two shared cores",
        ),
        runs=len(tasks),
    )  # fmt: skip


def _limits(limits: Sequence[tuple[Point, Sequence[Mapping[str, Any]]]]) -> tuple[Table, list[str]]:
    """The collapse point of each SDK at each other parameter, and in words."""
    seen = [point for point, _ in limits]
    names = [name for name in varied(seen, PARAMETERS) if name != "executors"] or ["sdk"]
    if "sdk" not in names:
        names.insert(0, "sdk")
    rows, told = [], []
    for point, runs in limits:
        sdk, where = SDKS[str(point["sdk"])], [PARAMETERS[name].show(point[name]) for name in names]
        bounds = [each["gone"] for each in runs if each["gone"] is not None]
        calculated: str | float = "-"
        if sdk.handshake_s is not None and not sdk.backs_off and not point["waiting"]:
            calculated = round(float(point["admission"]) * (2 * sdk.handshake_s + sdk.redial_s))
        cell: str | Estimate = f"not up to {NEVER_FROM:,}" if sdk.handshake_s is not None else "nowhere"
        if bounds and len(bounds) == len(runs):
            middle = sum(each["back"] + each["gone"] for each in runs) / (2 * len(runs))
            cell = Estimate(middle, min(each["back"] for each in runs), max(bounds), len(runs))
        give_up = f"{sdk.handshake_s:g} s" if sdk.handshake_s is not None else "never"
        rows.append((*where, give_up, cell, calculated, len(runs)))
        if isinstance(cell, Estimate):
            told.append(f"{', '.join(where)}: of more than {cell.text()} executors, some never come back.")
        elif sdk.handshake_s is None:
            told.append(f"{', '.join(where)}: all come back, however many: a dial waits for as long as it takes.")
        else:
            told.append(f"{', '.join(where)}: up to {NEVER_FROM:,} all come back.")
    table = Table(
        "Where it collapses",
        (*names, "a dial is given up after", "executors at the collapse", "calculated", "runs"),
        tuple(rows),
        f"Found by halving to {(_NEAR - 1) * 100:.0f} %; in brackets from the most that came back to the fewest that"
        " did not, over all runs. Calculated: admission rate x (2 T + redial), for a constant redial without a limit to"
        " what waits.",
    )
    return table, told


STUDY = Study(
    name="storm",
    question="After a relay restart, how long until all N executors are HEALTHY, and where does it collapse?",
    sections=({"executors": (100.0, 1000.0, 10_000.0, 30_000.0, 100_000.0), "sdk": ("python", "go", "java")},),
    parameters=PARAMETERS,
    cut=_cut,
    run=_run,
    answer=_answer,
)
