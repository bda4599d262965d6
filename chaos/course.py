"""The course of a test with a name: fleets on PostgreSQL, a few strikes in a fixed order, healing, evidence."""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Sequence

from chaos import faults
from chaos.errors import DatabaseGone, NotAtWork
from chaos.evidence import promises
from chaos.fleet import TERMINAL, Fleet
from chaos.real import RealWorld
from chaos.site import Site
from chaos.work import Work
from chaos.workload import Job
from evidence.cases import Case, record
from scenarios.errors import Prerequisite, Unsupported
from scenarios.schedule import FaultAt
from scenarios.world import App
from sdk_matrix.contract import Start, Step
from sdk_matrix.errors import MatrixError
from sdk_matrix.languages import Worker, worker

__all__ = ["Course", "long_job"]

_CONNECT_S = 60.0
_LOOK_S = 0.05
_WORK_S = 30.0


def long_job(workflow: str, *durations_s: float) -> Job:
    """A plain workflow whose steps take these times."""
    steps = tuple(Step(f"step-{number}", seconds) for number, seconds in enumerate(durations_s, start=1))
    return Job("plain", Start(workflow=workflow, instructions=steps))


class Course:
    """What the tests with a name have in common. One application unless `fleet` is called again with another."""

    def __init__(self, world: RealWorld) -> None:
        self.world = world
        self.apps: list[App] = []
        self.fleets: list[Fleet] = []
        self._site: Site | None = None

    def worker(self, language: str) -> Worker:
        """The language's worker, built. Raises `Unsupported` where this host has no such SDK."""
        try:
            found = worker(language)
            if self.world.runtime == "process":  # an image has what it needs inside
                found.build()
                found.check()
        except MatrixError as problem:
            raise Unsupported(f"needs the {language} SDK: {problem}") from problem
        return found

    async def fleet(
        self, kind: Worker | None = None, *slots: str, version: str = "v1", beside: Fleet | None = None
    ) -> Fleet:
        """A fleet whose slots are launched, connected and idle. Raises `Prerequisite`.

        ``beside``: it shares application and database with that fleet.
        """
        home = self.apps[self.fleets.index(beside)] if beside is not None else await self.world.app()
        fleet = await self.world.fleet(home, kind, version=version, links=True, beside=beside)
        self.apps.append(home)
        self.fleets.append(fleet)
        await fleet.launch(*slots)
        await self.until_connected(fleet, *slots)
        return fleet

    async def until_connected(self, fleet: Fleet, *slots: str) -> None:
        if not await fleet.until(lambda: set(slots) <= set(fleet.connected()), _CONNECT_S):
            missing = ", ".join(sorted(set(slots) - set(fleet.connected())))
            raise Prerequisite(f"no executor_info was asked of {missing} within {_CONNECT_S:g} s")

    @property
    def site(self) -> Site:
        """What faults may touch; made when it is first needed, and the same from then on."""
        if self._site is None:
            servers = self.world.servers
            self._site = Site(
                self.fleets, self.world.recorder, self.world.timing, max(app.grace_s for app in self.apps),
                runtime=self.world.runtime, store="sqlite" if servers is None else "postgresql",
                relay=self.world.own_relay,
                database=servers.system if servers is not None else None, seed=self.world.seed,
            )  # fmt: skip
        return self._site

    async def strike(self, fault: str, on: str, for_s: float | None = None, **args: int | float | str) -> None:
        """Do it now; returns when it is over."""
        await faults.apply(FaultAt(fault, 0.0, on, for_s, dict(args)), self.site)

    async def work(self, fleet: Fleet, slot: str, orders: int = 8) -> None:
        """Start mixed work on one executor and wait until it has it in hand. Raises `NotAtWork`."""
        source = Work(self.world.seed, slot, fleet.lives[slot].unsupported)
        for _ in range(orders):
            order = source.next()
            await fleet.start(slot, order.jobs)
            if order.message is not None:
                await fleet.lives[slot].do(order.message)
        await self.until_in_hand(fleet, slot)

    async def until_in_hand(
        self, fleet: Fleet, slot: str, least: int = 1, within_s: float = _WORK_S, *, in_step: bool = True
    ) -> None:
        """Until so many workflows are PENDING under the slot's executor, and one of its steps has begun.

        Without ``in_step`` the rows are enough: work that was taken over may have no step before what it waits for.
        """
        life = fleet.lives[slot]

        async def busy() -> bool:
            in_hand = await fleet.store.in_hand(life.executor) >= least
            return in_hand and (not in_step or bool(await fleet.store.begun(life.label)))

        if not await fleet.until_true(busy, within_s):
            raise NotAtWork(f"executor {slot} had no work in hand within {within_s:g} s: this host is too busy")

    async def until_recovery_of(self, fleet: Fleet, executor: str, within_s: float | None = None) -> bool:
        """Until the relay asks a peer to recover it."""
        timing = self.world.timing
        usual_s = timing.ping_wait_s + timing.ping_interval_s + self.apps[0].grace_s + timing.recovery_deadline_s
        return await fleet.until_declared_dead(executor, within_s or usual_s)

    async def until_ended(self, fleet: Fleet, within_s: float) -> bool:
        deadline_s = time.monotonic() + within_s
        while time.monotonic() < deadline_s:
            with contextlib.suppress(DatabaseGone):
                if all(status in TERMINAL for status in (await fleet.store.statuses()).values()):
                    return True
            await asyncio.sleep(_LOOK_S)
        return False

    async def finish(self, *, within_s: float | None = None) -> None:
        """Heal, converge within the bound, let the relay settle, and write the evidence."""
        self.site.heal()
        timing, grace_s = self.world.timing, max(app.grace_s for app in self.apps)
        wait_s = timing.ping_wait_s + timing.ping_interval_s + grace_s + timing.recovery_deadline_s
        bound_s = within_s or 25.0 + 2 * wait_s + 2 * grace_s + 20.0
        ended = await asyncio.gather(*(self.until_ended(fleet, bound_s) for fleet in self.fleets))
        self.world.note("convergence", bound_s=bound_s, ended=ended)
        await self._settle()
        await self.collect()

    async def collect(self) -> None:
        """Heal and write the evidence as it stands: for whoever judges no relay."""
        self.site.heal()
        record(self.world.recorder, await self._cases())

    async def _settle(self) -> None:
        profile, control = self.world.profile, self.world.control
        if profile.can("list"):
            living = {life.executor for fleet in self.fleets for life in fleet.lives.values() if life.alive}
            for app in {app.name: app for app in self.apps}.values():

                async def settled(app: App = app) -> bool:
                    return {seen.executor for seen in await control.executors(app)} <= living

                await self.world.until(settled, within_s=self.world.timing.recovery_deadline_s)
        if profile.can("audit"):
            await control.audit(self.apps[0].org)

    async def _cases(self) -> Sequence[Case]:
        """Fleets that share a database are read once, with the promises of both."""
        found: list[Case] = []
        for database in dict.fromkeys(fleet.store.database for fleet in self.fleets):
            own = [place for place, fleet in enumerate(self.fleets) if fleet.store.database == database]
            promised = promises(job for place in own for job in self.fleets[place].started)
            found += await self.fleets[own[0]].store.cases(self.apps[own[0]].name, promised)
        return found
