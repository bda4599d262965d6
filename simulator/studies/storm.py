"""A relay restarts, and everybody dials at once. How long until all are HEALTHY, and when does it never end?

A queue in virtual time: dials arrive as each SDK's time-out and backoff have it, the relay admits one after the other.
A client whose dial has timed out is gone when its turn comes, and its admission was work for nothing; beyond some
number of executors the relay does nothing else any more. The admission rate is measured (`relayproof bench`, accept).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from random import Random
from types import MappingProxyType
from typing import Any

from simulator.clock import SECOND_NS, Clock, ns
from simulator.models.sdk import BACKOFF_CAP_S, SDKS, Sdk
from simulator.studies.estimates import Estimate, mean
from simulator.studies.grid import SDK_NAMES, Parameter, Parameters, varied
from simulator.studies.study import Answer, Axes, Effort, Study, Table, Task, cut, grouped, line_chart

MEASURED_ADMISSIONS = 1250.0
"""A second: the reference relay on one of two shared cores, upgrade to registration (docs/benchmark.md)."""
LONGEST_S = 600.0
_LOOK_S = 30.0  # without a single useful admission: it has collapsed
TASKS = 2
_REFUSAL_SHARE = 0.1  # of an admission's work: a 503 needs no handshake

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


class _Client:
    """One executor that dials until it is in."""

    __slots__ = ("admitted", "attempt", "failed", "storm")

    def __init__(self, storm: _Storm) -> None:
        self.storm = storm
        self.attempt = 0  # a dial that has timed out is an earlier attempt
        self.failed = 0
        self.admitted = False

    def dial(self) -> None:
        storm = self.storm
        self.attempt += 1
        storm.dials += 1
        if storm.clock.now_ns < storm.up_ns:
            self.again()  # nobody listens: refused by the kernel at once
            return
        if storm.limit and len(storm.queue) >= storm.limit:
            storm.work(_REFUSAL_SHARE)
            storm.refused += 1
            self.again()
            return
        storm.arrived(self)
        if storm.sdk.handshake_s is not None:
            storm.clock.call(ns(storm.sdk.handshake_s), self._timed_out, self.attempt)

    def again(self) -> None:
        sdk, storm = self.storm.sdk, self.storm
        pause_s = sdk.redial_s or 1.0
        if sdk.backs_off:
            pause_s = min(2.0**self.failed, BACKOFF_CAP_S) * storm.random.uniform(0.5, 1.5)
            self.failed += 1
        storm.clock.call(ns(pause_s), self.dial)

    def _timed_out(self, attempt: int) -> None:
        if not self.admitted and attempt == self.attempt:
            self.attempt += 1  # what waits in the relay's queue is nobody's any more
            self.again()


class _Storm:
    """One restart."""

    def __init__(self, task: Task) -> None:
        point = task["point"]
        self.clock = Clock()
        self.random = Random(f"storm {task['seed']}")
        self.sdk: Sdk = SDKS[str(point["sdk"])]
        self.up_ns = ns(float(point["down"]))
        self.limit = int(point["waiting"])
        self.queue: deque[tuple[_Client, int]] = deque()
        self.dials = self.refused = self.wasted = self.healthy = 0
        self.times_s: list[float] = []
        self._cost_ns = SECOND_NS / float(point["admission"])
        self._owed_ns = 0.0  # work besides admissions that comes first
        self._busy = False
        self._over = self.clock.event()
        self.collapsed = False
        self.clients = [_Client(self) for _ in range(int(point["executors"]))]

    def run(self) -> None:
        for client in self.clients:  # the end of the old connection, and the first redial
            first_s = self.random.uniform(0, 0.05) + (self.sdk.redial_s if not self.sdk.backs_off else 0.0)
            self.clock.call(ns(first_s), client.dial)
        self.clock.call(self.up_ns + ns(LONGEST_S), self._end)
        self.clock.call(self.up_ns + ns(_LOOK_S), self._look, 0)
        self.clock.run(self._over)

    def arrived(self, client: _Client) -> None:
        self.queue.append((client, client.attempt))
        self._next()

    def work(self, share: float) -> None:
        self._owed_ns += share * self._cost_ns

    def _next(self) -> None:
        if self._busy or not self.queue:
            return
        self._busy = True
        cost_ns = self._cost_ns * self.random.uniform(0.8, 1.2) + self._owed_ns
        self._owed_ns = 0.0
        self.clock.call(int(cost_ns), self._admitted, *self.queue.popleft())

    def _admitted(self, client: _Client, attempt: int) -> None:
        self._busy = False
        if attempt == client.attempt:
            client.admitted = True
            self.healthy += 1
            self.times_s.append((self.clock.now_ns - self.up_ns) / SECOND_NS)
            if self.healthy == len(self.clients):
                self._end()
                return
        else:
            self.wasted += 1
        self._next()

    def _look(self, before: int) -> None:
        if self.healthy == before and self.wasted:
            self.collapsed = True
            self._end()
        else:
            self.clock.call(ns(_LOOK_S), self._look, self.healthy)

    def _end(self) -> None:
        if not self._over.triggered:
            self._over.succeed()


def _cut(axes: Axes, effort: Effort) -> list[dict[str, Any]]:
    return cut(axes, PARAMETERS, effort, TASKS)


def _run(task: Task) -> dict[str, Any]:
    storm = _Storm(task)
    storm.run()
    times = storm.times_s
    whole = storm.healthy == len(storm.clients)
    return {
        "healthy": storm.healthy, "all_s": times[-1] if whole else None,
        "half_s": times[len(storm.clients) // 2] if len(times) > len(storm.clients) // 2 else None,
        "collapsed": storm.collapsed, "dials": storm.dials, "wasted": storm.wasted, "refused": storm.refused,
    }  # fmt: skip


def _answer(tasks: Sequence[Task], results: Sequence[Mapping[str, Any]]) -> Answer:
    groups = grouped(tasks, results)
    seen = [point for point, *_ in groups]
    names = varied(seen, PARAMETERS)
    rows, found, collapsed = [], [], []
    for point, _, several in groups:
        executors = float(point["executors"])
        cells: list[str | float | Estimate] = []
        for what in ("half_s", "all_s"):
            times = [each[what] for each in several if each[what] is not None]
            never = "never" if any(each["collapsed"] for each in several) else f"not within {LONGEST_S:g} s"
            cells.append(mean(times) if len(times) == len(several) else never)
        if isinstance(cells[1], Estimate):
            found.append((point, "", cells[1]))
        else:
            collapsed.append(point)
        cells.append(mean([each["dials"] / executors for each in several]))
        cells.append(mean([100 * each["wasted"] / max(each["wasted"] + each["healthy"], 1) for each in several]))
        rows.append((*(PARAMETERS[name].show(point[name]) for name in names), *cells, len(several)))
    table = Table(
        "Until everybody is back",
        (*names, "half HEALTHY (s)", "all HEALTHY (s)", "dials per executor", "admissions wasted (%)", "runs"),
        tuple(rows),
        "Means with 95 % intervals, seconds after the relay listens again. Wasted: the client had given up."
        f" Never: {_LOOK_S:g} s without one admission of a client that still waited.",
    )
    first = min(collapsed, key=lambda point: float(point["executors"]), default=None)
    told = ", ".join(f"{name} {PARAMETERS[name].show(first[name])}" for name in names) if first else ""
    return Answer(
        study="storm",
        question=STUDY.question,
        summary=(
            f"It collapses from {told} on: the relay admits only clients that have given up." if first
            else f"Nowhere in what was asked does it collapse within {LONGEST_S:g} s.",
            "Clients that give up after T seconds and dial again fill the queue for ever once more than"
            " admission rate x (2 T + redial) of them return at once.",
            "A limit to what may wait turns time-outs into refusals, which cost less each; but most SDKs come back a"
            " second after a refusal, and only after T and a second where they were left waiting.",
        ),
        tables=(table,),
        charts=line_chart(
            "Until all are HEALTHY", "seconds after the relay listens again", found, PARAMETERS, names,
            log_x="executors" in names, log_y=True,
        ),
        assumed=(
            *(f"{name} {PARAMETERS[name].show(value)}" for name, value in seen[0].items() if name not in names),
            "first come, first served; every connection ended within 50 ms; an admission takes its mean time, 20 %"
            " either way; a refusal costs a tenth of it; heartbeats of those who are in cost nothing",
            f"the default admission rate, {MEASURED_ADMISSIONS:g}/s, was measured on one of two shared cores",
        ),
        runs=len(tasks),
    )  # fmt: skip


STUDY = Study(
    name="storm",
    question="After a relay restart, how long until all N executors are HEALTHY, and where does it collapse?",
    axes={"executors": (100.0, 1000.0, 10_000.0, 30_000.0, 100_000.0), "sdk": ("python", "go", "java")},
    parameters=PARAMETERS,
    cut=_cut,
    run=_run,
    answer=_answer,
)
