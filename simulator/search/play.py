"""One schedule, played in virtual time: fast, with the monitor alone, or whole, with a history for the judge."""

from __future__ import annotations

import hashlib
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import spec
from evidence.events import App, AuditPage, Expect, Jitter, Ledger, Poll, Seen
from evidence.history import Recorder
from evidence.judge import judge
from evidence.verdict import FAILING, ScenarioResult, Verdict
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey
from scenarios.profile import Profile, RelaySection
from scenarios.schedule.file import Schedule
from simulator.clock import Clock, ns
from simulator.models.fleet import Fleet
from simulator.search.monitor import Monitor, Violation
from simulator.search.monitor.base import Broken

_LOOK_S = 5.0  # between two looks at the list, besides one at each change
BROKEN = (FAILING - {Verdict.VACUOUS}) | {Verdict.NON_STRICT, Verdict.UNCLEAN, Verdict.HARNESS_ERROR}
"""What fails a search: it is strict, for the reference meets every SHOULD."""

DECLARED = ("HSK-1", "HSK-7", "ENV-1", "ENV-12")
"""What every history of a schedule shows something about; of all other clauses it shows what is broken."""

OUTCOMES = {"OUT-1": "ended", "OUT-2": "ended_once", "OUT-3": "steps_kept"}


@dataclass(frozen=True, slots=True)
class Played:
    """What became of one schedule. ``digest`` is that of everything but heartbeats."""

    violations: tuple[Violation, ...]
    digest: str
    seconds: float  # of virtual time
    kills: int
    recoveries: int
    workflows: int
    calls: int
    moved: int  # workflows that a recovery moved

    @property
    def clause(self) -> str:
        """Of the first violation, or empty."""
        return self.violations[0].clause if self.violations else ""


def play(schedule: Schedule, core: type[Core], *, stop: bool = True, skip_heartbeats: bool = True) -> Played:
    """Play it to its end, or with ``stop`` to the first violation. The trace has no heartbeats, skipped or not."""
    clock = Clock()
    monitor = Monitor(clock, schedule.timing_profile, stop=stop)
    fleet = Fleet(schedule, core, monitor, None, clock, skip_heartbeats=skip_heartbeats)
    monitor.arrived, monitor.registered = fleet.caller.arrived, fleet.registered
    fleet.heartbeats.told = monitor.rests
    with suppress(Broken):
        _to_its_end(fleet, monitor)
    return _summary(fleet, monitor)


def _to_its_end(fleet: Fleet, monitor: Monitor) -> None:
    """Until all has converged after the healing, or the time for that is over."""
    schedule, clock = fleet.schedule, fleet.clock
    end_ns = ns(schedule.duration_s + fleet.converge_s)
    fleet.begin()
    clock.run(until=ns(schedule.duration_s + fleet.settle_s))
    while clock.now_ns < end_ns and not (fleet.converged and monitor.calm):
        clock.run(until=clock.now_ns + ns(10.0))
    monitor.look()
    _outcomes(fleet, monitor)


def _summary(fleet: Fleet, monitor: Monitor) -> Played:
    database = fleet.database
    return Played(
        violations=tuple(monitor.violations), digest=hashlib.sha256(repr(monitor.trace).encode()).hexdigest(),
        seconds=fleet.clock.now_ns / 1e9, kills=fleet.kills, recoveries=monitor.recoveries,
        workflows=len(database.rows), calls=fleet.caller.made, moved=database.recoveries,
    )  # fmt: skip


def _outcomes(fleet: Fleet, monitor: Monitor) -> None:
    """What the status trigger and the ledger prove, in short (OUT-1, OUT-2)."""
    for row in fleet.database.rows.values():
        if row in fleet.database.unfinished:
            monitor.broken("OUT-1", "every workflow ends", f"{row.id} is {row.status} under {row.executor}")
        elif row.status != "SUCCESS":
            monitor.broken("OUT-2", f"{row.id} ends in SUCCESS", f"in {row.status}")


# ---- whole, with a history


def play_whole(
    schedule: Schedule, core: type[Core], path: Path | None = None
) -> tuple[Recorder, Played, ScenarioResult]:
    """Play it with its history (also into the file, if given), and have it judged."""
    clock = Clock()
    recorder = Recorder(path, clock=lambda: clock.now_ns)
    profile = Profile(relay=RelaySection(target="builtin:reference"))
    with recorder:
        recorder.header(
            scenario=f"schedule/{schedule.name}", title=f"the schedule {schedule.name}", clauses=DECLARED,
            world="simulated",
            relay=profile.name, profile_digest=profile.digest, timing=schedule.timing_profile.names(),
            capabilities=profile.all_capabilities(), names=profile.all_names(), seed=schedule.seed,
        )  # fmt: skip
        recorder.add(Jitter, worst=0)
        played = _whole(schedule, core, recorder, clock)
    return recorder, played, judge(recorder.history(), spec.clauses())


def _whole(schedule: Schedule, core: type[Core], recorder: Recorder, clock: Clock) -> Played:
    monitor = Monitor(clock, schedule.timing_profile, stop=False)
    fleet = Fleet(schedule, core, monitor, recorder, clock)
    monitor.arrived, monitor.registered = fleet.caller.arrived, fleet.registered
    for app in fleet.apps:
        recorder.add(App, org=app.org, app=app.app, grace_s=float(fleet.settings[app].executor_timeout_s))
    _show_lists(fleet, monitor, recorder)
    _to_its_end(fleet, monitor)
    _last_words(fleet, monitor, recorder)
    return _summary(fleet, monitor)


def _last_words(fleet: Fleet, monitor: Monitor, recorder: Recorder) -> None:
    """The audit log, the evidence of the work, and what the judge is to decide."""
    for org in sorted({app.org for app in fleet.apps}):
        recorder.add(AuditPage, org=org, asked=fleet.clock.now_ns, entries=tuple(fleet.relay.audit(org)))
    database = fleet.database
    for source, rows in (("expected", database.expected), ("trigger", database.trigger), ("ledger", database.ledger)):
        recorder.add(Ledger, source=source, rows=tuple(rows))
    broken = {found.clause for found in monitor.violations}
    for clause, rule in OUTCOMES.items() if database.recoveries or broken & OUTCOMES.keys() else ():
        recorder.add(Expect, clause=clause, rule=rule, text="of the workload")
    for found in monitor.violations:
        recorder.add(
            Expect, clause=found.clause, rule="equal", text=f"seen at {found.at_s:.3f} s",
            args={"name": "what the relay did", "want": found.want, "got": found.got},
        )  # fmt: skip


def _show_lists(fleet: Fleet, monitor: Monitor, recorder: Recorder) -> None:
    def show(records: dict[ExecutorKey, Executor]) -> None:
        for app in fleet.apps:
            rows = tuple(_seen(r) for key, r in sorted(records.items()) if key.application == app)
            recorder.add(Poll, org=app.org, app=app.app, asked=fleet.clock.now_ns, executors=rows)

    def again() -> None:
        fleet.clock.call(ns(_LOOK_S), again)
        if fleet.relay.up and not fleet.relay.paused:
            show(monitor.shown)

    monitor.listed = show
    again()


def _seen(record: Executor) -> Seen:
    info = record.info
    return Seen(
        executor=record.key.executor_id, status=str(record.status), version=info.application_version,
        hostname=info.hostname, language=info.language, sdk_version=info.dbos_version, metadata=info.metadata,
    )  # fmt: skip


def broken_clauses(result: ScenarioResult) -> dict[str, Verdict]:
    """What fails a search."""
    return {clause: verdict for clause, verdict in result.clauses.items() if verdict in BROKEN}
