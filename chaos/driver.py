"""Plays a campaign on a world: fleets at work, faults on their schedule, then healing, convergence and evidence."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from chaos import faults
from chaos.campaign import Campaign
from chaos.errors import ChaosError, CommandRefused, DatabaseGone, LaunchFailed, WorkerGone
from chaos.evidence import promises
from chaos.fleet import TERMINAL, Fleet
from chaos.real import RealWorld
from chaos.site import Site
from chaos.tap import Passing
from chaos.tour import EVERY
from chaos.work import Order, Work, unsafe
from evidence.cases import record
from scenarios.errors import Prerequisite, TargetError
from scenarios.schedule import KINDS, FaultAt, Schedule
from scenarios.world import App

__all__ = ["Driver", "Standing"]

_CONNECT_S = 60.0
_LOOK_S = 0.25
_LOOK_QUICK_S = 0.05
_WORTH = 2  # workflows in hand that make a blow worth while
_IN_HAND_S = 5.0  # how long a blow waits for its victim to have work
_THERE_S = 20.0  # how long a tour's blow waits for its victim to be connected
_EVERYBODY = ("", "all", "relay", "database")  # in a schedule: whoever is meant, it is no single executor
_REST_S = 1.0  # from a process's end to the next one in its slot
_IN_HAND = 8  # unfinished workflows of one executor, beyond which nothing more is started
_OUTAGE_S = 25.0  # until SDKs work again after their database was away (measured: up to 24 s)
_WORK_S = 8.0  # the longest workflow


@dataclass
class Standing:
    """What a run has come to so far; the live view reads it."""

    seconds: float = 0.0
    phase: str = "starting"
    running: Counter[str] = field(default_factory=Counter)  # by language: not ended
    ended: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    asked: int = 0  # recoveries that the relay asked for
    recovered: int = 0  # and that were acknowledged
    last: str = ""


class Driver:
    """One run. ``looked`` is called whenever `standing` has changed."""

    def __init__(
        self, world: RealWorld, campaign: Campaign, schedule: Schedule, looked: Callable[[Standing], None]
    ) -> None:
        self.world = world
        self.campaign = campaign
        self._schedule = schedule
        self.standing = Standing()
        self.interrupted = False
        self._looked = looked
        self._fleets: list[tuple[App, Fleet]] = []
        self._work: dict[str, Work] = {}
        self._over = asyncio.Event()  # no new work, no new faults
        self._began_s = 0.0
        self._outage_s = 0.0

    async def run(self) -> None:
        """Raises `Prerequisite` where the executors can't connect; an interruption heals and judges what was done."""
        schedule = self._schedule
        await self._launch(schedule)
        site = self._site()
        self.world.note(
            "schedule", name=schedule.name, seed=schedule.seed, faults=len(schedule.faults),
            every=schedule.about.get(EVERY, []),
        )  # fmt: skip
        for language in self.campaign.languages:
            for what, why in unsafe(language, [at.fault for at in schedule.faults]).items():
                self.world.note("work left out", language=language, what=what, reason=why)
        self._began_s = time.monotonic()
        self._phase("chaos")
        keepers = [asyncio.create_task(self._supervise(fleet)) for _, fleet in self._fleets]
        feeders = [
            asyncio.create_task(self._feed(fleet, slot)) for _, fleet in self._fleets for slot in tuple(fleet.slots)
        ]
        strikes = [asyncio.create_task(self._strike(site, at)) for at in schedule.faults]
        watch = asyncio.create_task(self._watch())
        try:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._over.wait(), schedule.duration_s)
        finally:
            await asyncio.shield(self._end(site, strikes, feeders, keepers))
            watch.cancel()

    def interrupt(self) -> None:
        """End the chaos now: heal, converge, judge."""
        self.interrupted = True
        self._over.set()

    # ---------------------------------------------------------------- start

    async def _launch(self, schedule: Schedule) -> None:
        for worker in self.campaign.workers:
            app = await self.world.app()
            self._fleets.append((app, await self.world.fleet(app, worker, links=True)))
        launches = []
        for _, fleet in self._fleets:
            fleet.tap.listeners.append(self._hear)
            own = [member for member in schedule.executors if member.language == fleet.worker.language]
            fleet.versions.update({member.label: member.version for member in own})
            slots = [member.label for member in own]
            launches.append(asyncio.create_task(self._launch_fleet(fleet, slots)))
        try:
            await asyncio.gather(*launches)
        finally:
            for launch in launches:
                launch.cancel()
            await asyncio.gather(*launches, return_exceptions=True)

    async def _launch_fleet(self, fleet: Fleet, slots: Sequence[str]) -> None:
        await fleet.launch(*slots)
        if not await fleet.until(lambda: len(fleet.connected()) == len(slots), _CONNECT_S):
            missing = ", ".join(sorted(set(slots) - set(fleet.connected())))
            raise Prerequisite(f"no executor_info was asked of {missing} within {_CONNECT_S:g} s")

    def _site(self) -> Site:
        servers = self.world.servers
        profile = self.world.profile
        owned = profile.can("restart") and profile.can("pause")
        return Site(
            [fleet for _, fleet in self._fleets], self.world.recorder, self.world.timing,
            max(app.grace_s for app, _ in self._fleets), runtime=self.campaign.runtime, store=self.campaign.store,
            relay=self.world.own_relay if owned else None, database=servers.system if servers is not None else None,
            seed=self.campaign.seed,
        )  # fmt: skip

    # ---------------------------------------------------------------- while it lasts

    async def _strike(self, site: Site, at: FaultAt) -> None:
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(self._over.wait(), max(0.0, at.at_s - (time.monotonic() - self._began_s)))
        if self._over.is_set():
            return
        await self._until_there(site, at)
        aimed = self._aimed(site, at)
        if aimed is None:
            self.world.note("fault left out", fault=at.fault, on=at.on, reason="nobody was there to strike")
            return
        await self._until_in_hand(site, aimed)
        if KINDS[at.fault].on == "database":
            known = (fleet.until(fleet.all_known, _THERE_S) for _, fleet in self._fleets)
            await asyncio.gather(*known)  # see there: a launch that an outage ends may have taken work
        self.standing.faults[at.fault] += 1
        self.standing.last = f"{at.fault} {aimed.on}"
        if KINDS[at.fault].on == "database":
            self._outage_s = max(self._outage_s, (at.for_s or 0.0) + float(at.values.get("down_s", 0.0)))
        try:
            await faults.apply(aimed, site)
        except (ChaosError, TargetError, OSError) as problem:
            self.world.note("fault failed", fault=at.fault, on=aimed.on, reason=str(problem))

    async def _until_in_hand(self, site: Site, at: FaultAt) -> None:
        """A process is struck in the middle of its work: a blow on an idle one would prove nothing."""
        meant = faults.check(at.fault, site.runtime, site.store).on_work
        if not meant or at.on in _EVERYBODY:
            return
        fleet = site.fleet(at.on)
        deadline_s = time.monotonic() + _IN_HAND_S
        with contextlib.suppress(DatabaseGone):
            while await fleet.store.in_hand(fleet.lives[at.on].executor) < _WORTH:
                if time.monotonic() > deadline_s:
                    return
                await asyncio.sleep(_LOOK_QUICK_S)

    async def _until_there(self, site: Site, at: FaultAt) -> None:
        """Whom a tour means it shall strike, also where its SDK is still dialling; a swarm takes another at once."""
        if self.campaign.schedule is None or not self.campaign.replaces or at.on in _EVERYBODY:
            return
        fleet = site.fleet(at.on)
        await fleet.until(lambda: self._over.is_set() or at.on in self._there(fleet), _THERE_S)

    @staticmethod
    def _there(fleet: Fleet) -> list[str]:
        return [slot for slot in fleet.connected() if slot not in fleet.away]

    def _aimed(self, site: Site, at: FaultAt) -> FaultAt | None:
        """At a process that is there: the one that was meant, else another of its fleet."""
        if at.on in _EVERYBODY:
            return at
        fleet = site.fleet(at.on)
        there = self._there(fleet)
        if at.on in there:
            return at
        if not there or not self.campaign.replaces:
            return None
        return FaultAt(at.fault, at.at_s, there[0], at.for_s, at.args)

    async def _feed(self, fleet: Fleet, slot: str) -> None:
        """Keep one executor in work, at the pace of its share; what a fault held up is caught up with."""
        share_per_s = self.campaign.rate_per_s / self.campaign.executors
        left_out = unsafe(fleet.worker.language, [at.fault for at in self._schedule.faults])
        work: Work | None = None
        ordered = 0
        while not self._over.is_set():
            life = fleet.lives[slot]
            due = (time.monotonic() - self._began_s) * share_per_s > ordered
            crowded = self.standing.running[fleet.worker.language] >= _IN_HAND * len(fleet.slots)
            there = life.alive and slot not in fleet.away and fleet.tap.connected(life.label)
            if due and there and not crowded:
                work = work or Work(self.campaign.seed, slot, {**life.unsupported, **left_out})
                ordered += 1
                await self._order(fleet, slot, work.next())
            else:
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._over.wait(), _LOOK_QUICK_S)

    async def _order(self, fleet: Fleet, slot: str, order: Order) -> None:
        """What a process could not take, because it was struck or its database was away, was not started."""
        try:
            await fleet.start(slot, order.jobs)
        except (WorkerGone, CommandRefused):
            return
        while order.message is not None and not self._done:
            for other in fleet.connected():
                if other not in fleet.away:
                    with contextlib.suppress(WorkerGone, CommandRefused):
                        await fleet.lives[other].do(order.message)
                        return
            await asyncio.sleep(_LOOK_S)

    @property
    def _done(self) -> bool:
        return self.standing.phase == "judging"

    async def _supervise(self, fleet: Fleet) -> None:
        """As an orchestrator would: whoever has ended is replaced, unless a schedule from a file does it itself."""
        while True:
            await asyncio.sleep(_REST_S)
            if not self.campaign.replaces and not self._over.is_set():
                continue
            for slot, life in tuple(fleet.lives.items()):
                if not life.alive and slot not in fleet.away:
                    try:
                        await fleet.relaunch(slot)
                    except (LaunchFailed, OSError):
                        continue  # its database may be away: look again

    async def _watch(self) -> None:
        while True:
            for _, fleet in self._fleets:
                with contextlib.suppress(DatabaseGone, OSError):
                    counts = await fleet.store.counts()
                    ended = sum(count for status, count in counts.items() if status in TERMINAL)
                    self.standing.ended[fleet.worker.language] = ended
                    self.standing.running[fleet.worker.language] = sum(counts.values()) - ended
            self.standing.seconds = time.monotonic() - self._began_s
            self._looked(self.standing)
            await asyncio.sleep(_LOOK_S)

    def _hear(self, passing: Passing) -> None:
        if passing.message.get("type") == "recovery":
            self.standing.asked += passing.by == "relay"
            self.standing.recovered += passing.by == "executor" and passing.message.get("success") is True

    # ---------------------------------------------------------------- end

    async def _end(
        self, site: Site, strikes: Sequence[asyncio.Task[None]], feeders: Sequence[asyncio.Task[None]],
        keepers: Sequence[asyncio.Task[None]],
    ) -> None:  # fmt: skip
        self._over.set()
        self._phase("healing")
        site.heal()
        if strikes:
            await asyncio.wait(strikes, timeout=_CONNECT_S)
        for task in strikes:
            task.cancel()
        ended_tasks = await asyncio.gather(*strikes, *feeders, return_exceptions=True)
        for problem in ended_tasks:
            if isinstance(problem, Exception):  # the harness's own: what was struck would be unknown
                raise problem
        await asyncio.gather(*(self._with_all_versions(fleet) for _, fleet in self._fleets))
        self._phase("converging")
        bound_s = self._bound_s()
        ended = await asyncio.gather(*(self._converge(fleet, bound_s) for _, fleet in self._fleets))
        self.world.note("convergence", bound_s=round(bound_s, 1), ended=ended)
        for task in keepers:
            task.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)
        await self._settle()
        self._phase("judging")
        await self._evidence()

    async def _with_all_versions(self, fleet: Fleet) -> None:
        """Healed is a fleet that can end all its work: after upgrades somebody has every version that there was."""
        for version in sorted(fleet.launched_versions):
            if not any(life.alive and fleet.versions[slot] == version for slot, life in fleet.lives.items()):
                slot = f"{fleet.worker.language}-{version}"
                fleet.versions[slot] = version
                await fleet.launch(slot)

    def _bound_s(self) -> float:
        """Outage, 25 s until SDKs work again, silence and grace, then what is left of the work, twice over."""
        timing = self.world.timing
        grace_s = max(app.grace_s for app, _ in self._fleets)
        wait_s = timing.ping_wait_s + timing.ping_interval_s + grace_s
        return self._outage_s + _OUTAGE_S + 2 * wait_s + timing.recovery_deadline_s + 2 * _WORK_S

    async def _converge(self, fleet: Fleet, within_s: float) -> bool:
        deadline_s = time.monotonic() + within_s
        while time.monotonic() < deadline_s:
            with contextlib.suppress(DatabaseGone):
                statuses = await fleet.store.statuses()
                if all(status in TERMINAL for status in statuses.values()):
                    return True
            await asyncio.sleep(_LOOK_S)
        return False

    async def _settle(self) -> None:
        """Let the relay finish what it does about the dead, so that its list and its audit log are whole."""
        control, profile, timing = self.world.control, self.world.profile, self.world.timing
        if profile.can("list"):
            for app, fleet in self._fleets:
                living = {life.executor for life in fleet.lives.values() if life.alive}

                async def settled(app: App = app, living: set[str] = living) -> bool:
                    return {seen.executor for seen in await control.executors(app)} <= living

                await self.world.until(settled, within_s=timing.recovery_deadline_s + 2 * timing.slack_s)
        if profile.can("audit"):
            await asyncio.sleep(2 * timing.slack_s)  # what was answered last is written by now
            await control.audit(self._fleets[0][0].org)

    async def _evidence(self) -> None:
        total = 0
        for app, fleet in self._fleets:
            cases = await fleet.store.cases(app.name, promises(fleet.started))
            total += record(self.world.recorder, cases)
        self.world.note("evidence", workflows=total)

    def _phase(self, name: str) -> None:
        self.standing.phase = name
        self._looked(self.standing)
