"""A whole run of a schedule: one relay, its executors, their database, and the faults, in virtual time.

After the schedule's duration everything is healed; then the fleet must converge: `converge_s` is how long that may take
by the timing profile.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from random import Random
from typing import Any

from msgspec.structs import replace

from conductor.timing import Timing
from evidence.events import Fault, Relay
from evidence.history import Recorder
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.events import PutApplication
from reference_relay.core.records import AppKey, Settings
from scenarios.schedule.file import FaultAt, Member, Schedule
from simulator import faults
from simulator.clock import Clock, ns
from simulator.models.calls import Caller, CallRecord
from simulator.models.client import Client
from simulator.models.database import Database, Row
from simulator.models.heartbeats import Heartbeats, RestingTimers, skippable
from simulator.models.host import HostClock
from simulator.models.path import Path
from simulator.models.place import Place as Place
from simulator.models.process import Process
from simulator.models.relay import FleetRelay, Watch
from simulator.models.sdk import SDKS
from simulator.models.work import Start, starts

_START_NS = 200_000_000  # from the start of a process to its first dial
FIRST_DIALS_NS = 100_000_000  # the members dial within this time


class Fleet:
    """Everything of one run. ``recorder`` None: no history is kept."""

    def __init__(
        self, schedule: Schedule, core: type[Core], watch: Watch, recorder: Recorder | None, clock: Clock,
        *, skip_heartbeats: bool = False,
    ) -> None:  # fmt: skip
        skipping = skip_heartbeats and recorder is None and skippable(core)
        self.schedule = schedule
        self.timing: Timing = schedule.timing_profile
        self.clock = clock
        self.recorder = recorder
        self.watch = watch
        self.random = Random(schedule.seed)
        self.database = Database(clock)
        config = CoreConfig(timing=self.timing)
        self.relay = FleetRelay(clock, Random(schedule.seed ^ 0x5EED), core, config, watch)
        self.relay.crashed = self._crashed
        self.relay.fleet_store.kill = self.crash_relay
        self.crash_down_s = 1.0
        self.places = {member.label: self._place(member) for member in schedule.executors}
        self.apps = list(dict.fromkeys(place.app for place in self.places.values()))
        self.settings = {app: self._settings() for app in self.apps}
        self.caller = Caller(self)
        self.heartbeats = Heartbeats(self, skipping=skipping)
        if skipping:
            self.relay.timers = RestingTimers
        self.cut_at_recovery: list[float] = []
        self.duplicates: list[tuple[Place, int]] = []
        self.kills = 0
        self.healed = False
        self.finished = False  # no more calls are made
        self.gone: list[str] = []  # ids of executors that were struck
        self._heals: dict[int, faults.Heal] = {}
        self._conns = 0

    # ---- the run

    def begin(self) -> None:
        """The relay is up and knows the applications; members dial, work starts, faults happen in their time."""
        self.relay.start()
        self.note_relay("ready")
        for app in self.apps:
            self.relay.handle(PutApplication(app, f"{app.org}-{app.app}", self.settings[app]))
        for place in self.places.values():
            self.clock.call(self.random.randrange(FIRST_DIALS_NS), self._first_start, place)
        for start in starts(self.schedule, self.random):
            self.clock.call(FIRST_DIALS_NS + ns(1.0) + start.at_ns, self._start_work, start)
        known = faults.faults()
        for number, at in enumerate(self.schedule.faults):
            if at.fault == "late-start":
                self.places[at.on].held_back = True
            self.clock.call(ns(at.at_s), self._strike, number, at, known[at.fault])
        self.caller.begin()
        self.clock.call(ns(self.schedule.duration_s), self.heal)

    @property
    def converge_s(self) -> float:
        """Until a dead executor's work has ended elsewhere, whatever happened right before the healing."""
        t = self.timing
        grace_s = max([t.grace_s, *(float(s.executor_timeout_s) for s in self.settings.values())])
        work = self.schedule.work()
        work_s = (float(work["steps"]) + 3) * (float(work["step_s"]) * 1.5 + 1) + float(work["sleep_s"]) + 5
        detect_s = t.ping_wait_s + t.ping_interval_s + 30.0 + t.handshake_deadline_s
        recover_s = t.recovery_deadline_s + 2 * t.backoff_cap_s + 3 * t.request_deadline_s
        return detect_s + 4 * grace_s + recover_s + work_s

    @property
    def settle_s(self) -> float:
        """How long after the healing nobody asks yet whether all has converged: silence and one grace may still run."""
        t = self.timing
        return t.ping_wait_s + t.ping_interval_s + t.grace_s + t.scan_s + 2 * t.slack_s

    @property
    def converged(self) -> bool:
        """Every workflow has ended."""
        return not self.database.unfinished

    def heal(self) -> None:
        """Nothing is broken any more, and every version has somebody who can do its work."""
        self.healed = True
        for number in sorted(self._heals):
            self._heals.pop(number)()
        for place in self.places.values():
            place.manner.dies_after_ack = False
            place.manner.dies_at_step = None
        self.cut_at_recovery.clear()
        self.duplicates.clear()
        self.relay.fleet_store.crash = None
        if not self.relay.up:
            self.start_relay()
        if not self.database.up:
            self.database.come_back()
        self._staff()

    def _staff(self) -> None:
        """Somebody of each version and language that still has work, or had a member."""
        chosen_places: list[Place] = []
        wanted = [(place.app, place.version, place.member.language) for place in self.places.values()]
        wanted += [(place.app, place.member.version, place.member.language) for place in self.places.values()]
        wanted += [(row.app, row.version, row.language) for row in self.database.unfinished]
        for app, version, language in dict.fromkeys(wanted):
            group = [p for p in self.places.values() if p.app == app and p.member.language == language]
            if any((p.running or p in chosen_places) and p.version == version for p in group):
                continue
            idle = [p for p in group if not p.running and p not in chosen_places]
            chosen = next((p for p in idle if p.version == version), idle[0] if idle else None)
            if chosen is None:
                spare = replace(group[0].member, label=f"spare{len(self.places)}", version=version)
                chosen = self.places[spare.label] = self._place(spare)
            chosen.version = version
            chosen_places.append(chosen)
            self.start(chosen, ns(0.5))

    # ---- processes

    def registered(self, executor_id: str) -> None:
        """The relay has this executor on record, durably."""
        for place in self.places.values():
            if place.process is not None and place.process.id == executor_id:
                place.process.registered()
                self.heartbeats.settle(place.process)

    def start(self, place: Place, delay_ns: int = _START_NS) -> None:
        """A fresh process under a new id."""
        self.clock.call(delay_ns, self._start, place)

    def _first_start(self, place: Place) -> None:
        if not place.held_back:
            self._start(place)

    def _start(self, place: Place) -> None:
        if place.running:
            return
        place.started += 1
        label, member = place.member.label, place.member
        # Like the SDKs' random ids: their order says nothing about when they were made.
        mark = hashlib.blake2b(f"{self.schedule.seed}:{label}:{place.started}".encode(), digest_size=3).hexdigest()
        id = f"{mark}-{label}.{place.started}"
        info = self._info(place, id)
        sdk = SDKS[member.language]
        phase_ns = self.random.randrange(ns(1.0))
        process = Process(
            self, id, place.app, place.version, sdk, place.path, place.host, place.manner, info, phase_ns
        )  # fmt: skip
        process.slowness = place.slowness
        place.process = process
        process.start()

    def clients(self) -> list[Client]:
        """Every open connection of the members."""
        return [client for place in self.places.values() if place.process for client in place.process.clients]

    def strike(self, place: Place, kind: str = "kill") -> None:
        """End the process: "kill" or "stop"."""
        process = place.process
        if process is None or not process.alive:
            return
        self.note(kind, process.id)
        if kind == "kill":
            process.kill()
        else:
            process.stop()

    def died(self, process: Process) -> None:
        self.kills += 1
        self.gone.append(process.id)

    def _info(self, place: Place, id: str) -> dict[str, Any]:
        """What executor_info says; optional fields come and go, unknown ones are there."""
        drawn = int(id[0], 16)
        info: dict[str, Any] = {
            "executor_id": id, "application_version": place.version, "language": place.member.language,
            "dbos_version": "2.31.1",
        }  # fmt: skip
        if drawn % 3:
            info["hostname"] = f"host-{place.member.label}" if drawn % 3 == 1 else None
        if drawn % 4:
            info["executor_metadata"] = {"place": id} if drawn % 4 < 3 else None
        if drawn % 2:
            info["a_field_of_tomorrow"] = {"x": 1}
        return info

    # ---- the relay

    def kill_relay(self) -> None:
        if self.relay.up:
            self.relay.kill()
            self.note_relay("killed")

    def start_relay(self) -> None:
        if not self.relay.up:
            self.relay.start()
            self.note_relay("ready")

    def crash_relay(self) -> None:
        """At a commit; somebody starts it again."""
        self.kill_relay()
        self.clock.call(ns(self.crash_down_s), self.start_relay)

    def _crashed(self, failure: Exception) -> None:
        """The core raised: its process has gone, and its supervisor starts another one."""
        self.note_relay("exited", error=f"{type(failure).__name__}: {failure}")
        self.watch.crashed(failure)
        self.clock.call(ns(1.0), self.start_relay)

    def change_settings(self, app: AppKey, **changes: Any) -> None:
        self.settings[app] = replace(self.settings[app], **changes)
        if self.relay.up and not self.relay.paused:
            self.relay.handle(PutApplication(app, f"{app.org}-{app.app}", self.settings[app]))

    # ---- simulator.models.process.Surroundings

    def next_conn(self) -> int:
        self._conns += 1
        return self._conns - 1

    def knock(self, client: Client, app: AppKey) -> None:
        client.route.up(self.relay.dialled, app, client.route, client)

    def quiet(self, process: Process, client: Client) -> bool:
        return self.heartbeats.rests(client)

    def forget(self, client: Client) -> None:
        self.heartbeats.forget(client)

    def draw(self) -> float:
        return self.random.random()

    def asked(self, frame: Mapping[str, Any], read_ns: int) -> CallRecord | None:
        return self.caller.asked(frame, read_ns)

    def recovery_reached(self, process: Process, ids: list[str]) -> None:
        if self.cut_at_recovery:
            for_s = self.cut_at_recovery.pop()
            self.note("db-cut", "")
            self.database.go_down()
            self.clock.call(ns(for_s), self.database.come_back)
        for place, after_ns in self.duplicates:
            other = place.process
            if other is not None and other is not process and ids:
                self.clock.call(after_ns, self._recover_again, other, ids)
        self.duplicates.clear()

    def _recover_again(self, process: Process, ids: list[str]) -> None:
        def again() -> None:
            if self.database.up:
                process.recovered(ids)
                self.note("duplicate-recovery", process.id)

        process.run(again)

    # ---- the history

    def note(self, kind: str, executor: str, *, conn: int | None = None, **detail: Any) -> None:
        if self.recorder:
            self.recorder.add(Fault, kind=kind, conn=conn, executor=executor, detail=detail)

    def note_relay(self, what: str, **detail: Any) -> None:
        if self.recorder:
            self.recorder.add(Relay, what=what, detail=detail)

    # ---- within

    def _place(self, member: Member) -> Place:
        org, _, name = member.app.rpartition("/")
        random = Random(f"{self.schedule.seed}:{member.label}")
        path = Path(self.clock, random, random.randrange(200_000, 1_000_000))
        return Place(member, AppKey(org or "local", name), path, HostClock(self.clock), version=member.version)

    def _settings(self) -> Settings:
        latest = bool(self.schedule.settings.get("recoverToLatestVersion", False))
        return Settings(executor_timeout_s=max(1, round(self.timing.grace_s)), recover_to_latest_version=latest)

    def _start_work(self, start: Start) -> None:
        able = [place for place in self.places.values() if place.process and place.process.working]
        if not able or not self.database.up:
            return
        place = able[start.member % len(able)]
        process = place.process
        assert process is not None
        row = Row(start.workflow, process.app, process.version, process.language, start.plan)
        self.database.expect(row.id, row.plan)
        self.database.insert(row, "ENQUEUED" if start.plan.queued else "PENDING", process.id)
        if not start.plan.queued:
            process.claimed(row)

    def _strike(self, number: int, at: FaultAt, function: faults.Fault) -> None:
        if self.healed:
            return
        if self.recorder:
            place = self.places.get(at.on)
            id = place.process.id if place is not None and place.process is not None else ""
            text = {"for_s": at.for_s, **at.args} if at.for_s else dict(at.args)
            if at.fault not in ("kill", "stop"):
                conn = place.process.client.conn if place and place.process and place.process.client else None
                self.note(at.fault, id, conn=conn, **text)
        heal = function(self, at)
        if heal is not None:
            self._heals[number] = heal
            if at.for_s is not None:
                self.clock.call(ns(at.for_s), self._heal, number)

    def _heal(self, number: int) -> None:
        heal = self._heals.pop(number, None)
        if heal is not None:
            heal()
