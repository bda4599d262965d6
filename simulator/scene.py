"""One scenario's world in virtual time: see `scenarios.world.World`, whose words it keeps."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, TypeVar

from simpy.events import Event

from conductor.timing import Timing
from evidence.events import App as AppEvent
from evidence.events import Expect, Note
from evidence.history import Recorder
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.records import AppKey
from scenarios.errors import Prerequisite, Unsupported
from scenarios.profile import Profile
from scenarios.scripting import executor_info
from scenarios.world import App, Control, Executor, RelayControl, Script
from simulator.clock import Clock, ns
from simulator.control import SimulatedControl
from simulator.dial import Dial
from simulator.executor import SimulatedExecutor
from simulator.link import Latency, Link
from simulator.poller import Poller
from simulator.process import SimulatedProcess
from simulator.relay import Relay
from simulator.tasks import Task, gather, wait

T = TypeVar("T")


@dataclass(eq=False)
class SimulatedApp:
    """An application of the scenario's own. ``grace_s`` follows acknowledged settings."""

    org: str
    name: str
    grace_s: float


class Scene:
    """`scenarios.world.World` around a relay of its own. ``seed`` decides every latency, and thereby the history."""

    name = "simulated"

    def __init__(
        self, clock: Clock, recorder: Recorder, profile: Profile, timing: Timing, seed: int, core: type[Core]
    ) -> None:
        self.clock = clock
        self.recorder = recorder
        self.profile = profile
        self.timing = timing
        self.seed = seed
        self.upgrade_deadline_s = timing.handshake_deadline_s
        random = Random(seed)
        self._latency_ns = Latency(random)
        self._installed = Relay(clock, random, core, CoreConfig(timing=timing))
        self._process = SimulatedProcess(clock, recorder, self._installed)
        self._control = SimulatedControl(self, self._installed)
        self.relay: RelayControl = self._process
        self.control: Control = self._control
        self._executors: list[SimulatedExecutor] = []
        self._pollers: dict[AppKey, Poller] = {}
        self._tasks: list[Task[Any]] = []
        self._waiters: list[tuple[Callable[[], bool], Event]] = []
        self._conns = 0
        self._process.begin()

    # ---- time

    def now_ns(self) -> int:
        return self.clock.now_ns

    async def sleep(self, seconds: float) -> None:
        await wait(self.clock.timeout(ns(seconds)))

    # ---- tenants and executors

    async def app(
        self,
        *,
        grace_s: float | None = None,
        org: str | None = None,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        register: bool = True,
    ) -> App:
        grace_s = self.timing.grace_s if grace_s is None else grace_s
        app = SimulatedApp(org or "local", name or f"app-{len(self._pollers) + 1}", grace_s)
        poller = Poller(
            app, self.clock, self.recorder, self._installed, self._latency_ns, self.timing,
            marks=lambda: self._marks(app), changed=self.changed,
        )  # fmt: skip
        self._pollers[AppKey(app.org, app.name)] = poller
        if register:
            await self._control.register(app)
        self.recorder.add(AppEvent, org=app.org, app=app.name, grace_s=grace_s)
        if register:
            chosen = {"executorTimeoutSecs": math.ceil(grace_s), **(settings or {})}
            answer = await self.control.patch_settings(app, chosen)
            if answer.status // 100 != 2:
                raise Prerequisite(f"the settings of {app.name} can't be changed: status {answer.status}")
            poller.start()
        return app

    async def executor(
        self, app: App, id: str | None = None, *, version: str = "v1", language: str = "python",
        hostname: str | None = "host", sdk_version: str = "2.31.1", metadata: Mapping[str, Any] | None = None,
        script: Script | None = None, key: str | None = None, connect: bool = True,
        info: Mapping[str, Any] | None = None, path: str | None = None,
    ) -> Executor:  # fmt: skip
        if key is not None or path is not None:
            raise Unsupported("the simulated world has neither keys nor paths: run it in the wire world")
        id = f"executor-{len(self._executors) + 1}" if id is None else id
        fields = executor_info(
            id, version=version, language=language, hostname=hostname, sdk_version=sdk_version, metadata=metadata,
            overrides=info,
        )  # fmt: skip
        executor = SimulatedExecutor(self, app, id, info=fields, script=script or Script())
        self._executors.append(executor)
        if connect:
            await executor.connect()
        return executor

    # ---- waiting

    async def wait(self, true: Callable[[], bool], within_s: float) -> bool:
        """Until ``true()``, looked at whenever anything was seen, or the deadline."""
        if true():
            return True
        waiter = (true, self.clock.event())
        self._waiters.append(waiter)
        self.clock.call(ns(within_s), self._expire, waiter)
        holds: bool = await wait(waiter[1])
        return holds

    def changed(self) -> None:
        for waiter in [waiter for waiter in self._waiters if waiter[0]()]:
            self._waiters.remove(waiter)
            waiter[1].succeed(True)

    def _expire(self, waiter: tuple[Callable[[], bool], Event]) -> None:
        if waiter in self._waiters:
            self._waiters.remove(waiter)
            waiter[1].succeed(waiter[0]())

    async def until_status(self, executor: Executor, *statuses: str, within_s: float) -> bool:
        poller = self._poller(_own(executor).app)
        asked_ns = self.now_ns()
        poller.ask()
        return await self.wait(
            lambda: poller.shown_ns >= asked_ns and poller.status_of(executor.id) in statuses, within_s
        )

    async def until_frame(
        self, executor: Executor, type: str, *, within_s: float, conn: int | None = None, count: int = 1,
        match: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any] | None:  # fmt: skip
        wanted = {"type": type, **(match or {})}
        looked, frames = 0, list[Mapping[str, Any]]()

        def enough() -> bool:
            nonlocal looked, frames
            requests = _own(executor).requests(conn)
            if len(requests) != looked:  # they only ever grow
                looked = len(requests)
                frames = [each for each in requests if all(each.get(name) == wanted[name] for name in wanted)]
            return len(frames) >= count

        await self.wait(enough, within_s)
        return frames[-1] if len(frames) >= count else None

    async def until_closed(self, executor: Executor, *, within_s: float, conn: int | None = None) -> bool:
        dial = _own(executor).dialled(conn)
        return await self.wait(lambda: dial.over, within_s)

    async def until_ping(self, executor: Executor, *, within_s: float, count: int = 1) -> bool:
        dial = _own(executor).dialled()
        enough = dial.pings + count
        return await self.wait(lambda: dial.pings >= enough, within_s)

    async def until(self, what: Callable[[], Awaitable[bool]], *, within_s: float) -> bool:
        deadline_ns = self.now_ns() + ns(within_s)
        while not await what():
            if self.now_ns() >= deadline_ns:
                return False
            await self.sleep(min(self.timing.scan_s / 2, max(deadline_ns - self.now_ns(), 1) / 1e9))
        return True

    # ---- the history

    def last(self, event: str, **fields: Any) -> int:
        return self.recorder.last(event, **fields)

    def expect(self, clause: str, rule: str, text: str = "", **args: Any) -> None:
        self.recorder.add(Expect, clause=clause, rule=rule, text=text, args=args)

    def note(self, text: str, **detail: Any) -> int:
        return self.recorder.add(Note, text=text, detail=detail)

    # ---- beside each other

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> Awaitable[T]:
        return self._start(coroutine)

    async def gather(self, *coroutines: Coroutine[Any, Any, Any]) -> list[Any]:
        return await gather(self.clock, [self._start(coroutine) for coroutine in coroutines])

    def _start(self, coroutine: Coroutine[Any, Any, T]) -> Task[T]:
        task = Task(self.clock, coroutine)
        self._tasks.append(task)
        return task

    def finish(self) -> None:
        """Cancel what nobody joined; a failure that nobody took up is raised now."""
        for task in self._tasks:
            if not task.done.triggered:
                task.cancel()
            elif task.failure is not None and not task.joined:
                raise task.failure

    # ---- simulator.executor.Surroundings, simulator.control.Surroundings

    def new_link(self) -> Link:
        return Link(self.clock, self._latency_ns)

    def next_conn(self) -> int:
        self._conns += 1
        return self._conns - 1

    def latency_ns(self) -> int:
        return self._latency_ns()

    def dial(self, app: App, link: Link, dial: Dial) -> None:
        link.up(self._installed.dialled, AppKey(app.org, app.name), link, dial)

    def poller(self, app: App) -> Poller:
        return self._poller(app)

    def _poller(self, app: App) -> Poller:
        return self._pollers[AppKey(app.org, app.name)]

    def _marks(self, app: App) -> Iterable[int]:
        """The moments from which a window of one of the application's executors may run."""
        yield self._process.ready_ns
        for executor in self._executors:
            if executor.app is app:
                for dial in executor.dials.values():
                    yield dial.last_life_ns if dial.ended_ns is None else dial.ended_ns


def _own(executor: Executor) -> SimulatedExecutor:
    assert isinstance(executor, SimulatedExecutor), "executors belong to the world that made them"
    return executor
