"""The wire world: a scenario's view of a relay behind real sockets."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import math
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, TypeVar

from evidence import events
from evidence.history import Recorder
from scenarios import worlds
from scenarios.control import Channel, control_class
from scenarios.errors import Unsupported
from scenarios.http import HttpClient
from scenarios.profile import Organisation
from scenarios.scripting import executor_info
from scenarios.targets import Target
from scenarios.wire.apps import Apps
from scenarios.wire.executor import WireExecutor
from scenarios.wire.poller import Poller
from scenarios.wire.tenants import Names
from scenarios.world import App, Control, Executor, RelayControl, Script
from scenarios.worlds import SessionOptions

T = TypeVar("T")
NS = 1_000_000_000


class WireWorld:
    """See `scenarios.world.World`. Lives for one scenario; `close` ends everything that it started."""

    name = "wire"

    def __init__(
        self,
        *,
        options: SessionOptions,
        recorder: Recorder,
        client: HttpClient,
        target: Target,
        relay: RelayControl,
        names: Names,
        now_ns: Callable[[], int],
    ) -> None:
        self.profile = options.profile
        self.timing = options.timing
        self.seed = options.seed
        self.recorder = recorder
        self.relay = relay
        self.upgrade_deadline_s = self.timing.handshake_deadline_s + self.timing.slack_s
        self._target = target
        self._names = names
        self._now_ns = now_ns
        self._apps = Apps(profile=self.profile, timing=self.timing, recorder=recorder, names=names, watch=self._watch)
        self.control: Control = control_class(self.profile)(
            Channel(
                client=client,
                base_url=self.relay_url,
                recorder=recorder,
                now_ns=now_ns,
                profile=self.profile,
                tenants=target.tenants,
                numbers=itertools.count(1),
                settled=self._apps.settings_changed,
            )
        )
        self._conns = itertools.count()
        self._ids = itertools.count(1)
        self._executors: list[WireExecutor] = []
        self._background: set[asyncio.Task[Any]] = set()
        self._spawned: list[asyncio.Task[Any]] = []
        self._waiting: list[asyncio.Future[None]] = []
        self._failures: list[BaseException] = []

    # ---------------------------------------------------------------- time and background

    def now_ns(self) -> int:
        return self._now_ns()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> Awaitable[T]:
        task = asyncio.create_task(coroutine)
        self._spawned.append(task)
        task.add_done_callback(lambda done: self.pulse())
        return task

    async def gather(self, *coroutines: Coroutine[Any, Any, Any]) -> list[Any]:
        return list(await asyncio.gather(*coroutines))

    def run(self, coroutine: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(coroutine)
        self._background.add(task)
        task.add_done_callback(self._done)

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (failure := task.exception()) is not None:
            self._failures.append(failure)

    # ---------------------------------------------------------------- things of the scenario

    async def app(
        self,
        *,
        grace_s: float | None = None,
        org: str | None = None,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        register: bool = True,
    ) -> App:
        return await self._apps.make(
            self.control, self._tenant(org), grace_s=grace_s, name=name, settings=settings or {}, register=register
        )

    def _watch(self, app: App) -> Poller:
        poller = Poller(
            app,
            self.control,
            self.timing,
            now_ns=self.now_ns,
            executors=lambda: [executor for executor in self._executors if executor.app is app],
            looked=self.pulse,
        )
        self.run(poller.run())
        return poller

    async def executor(
        self,
        app: App,
        id: str | None = None,
        *,
        version: str = "v1",
        language: str = "python",
        hostname: str | None = "host",
        sdk_version: str = "2.31.1",
        metadata: Mapping[str, Any] | None = None,
        script: Script | None = None,
        key: str | None = None,
        connect: bool = True,
        info: Mapping[str, Any] | None = None,
        path: str | None = None,
    ) -> Executor:
        own_id = id if id is not None else f"{self._names.prefix}-{next(self._ids)}"
        executor = WireExecutor(
            self,
            app,
            own_id,
            key=self._tenant(app.org).socket_key if key is None else key,
            info=executor_info(
                own_id, version=version, language=language, hostname=hostname, sdk_version=sdk_version,
                metadata=metadata, overrides=info,
            ),
            script=script or Script(),
            path=path,
        )  # fmt: skip
        self._executors.append(executor)
        if connect:
            await executor.connect()
        return executor

    # ---------------------------------------------------------------- waiting

    async def until_status(self, executor: Executor, *statuses: str, within_s: float) -> bool:
        own = self._own(executor)
        poller = self._apps.poller(own.app)
        if poller is None:
            return await self.wait(lambda: self._wire_shows(own, statuses), within_s)
        since_ns = self.now_ns()  # a list that was asked earlier may be of before the last act
        poller.attend(own)
        try:
            return await self.wait(lambda: poller.asked_ns >= since_ns and poller.status(own.id) in statuses, within_s)
        finally:
            poller.release(own)

    async def until_frame(
        self,
        executor: Executor,
        type: str,
        *,
        within_s: float,
        conn: int | None = None,
        count: int = 1,
        match: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any] | None:
        own = self._own(executor)

        def sent() -> list[dict[str, Any]]:
            return [
                request
                for number, request in own.requests
                if conn in (None, number) and request.get("type") == type and _matches(request, match or {})
            ]

        reached = await self.wait(lambda: len(sent()) >= count, within_s)
        return sent()[-1] if reached else None

    async def until_closed(self, executor: Executor, *, within_s: float, conn: int | None = None) -> bool:
        own = self._own(executor)
        number = own.conn if conn is None else conn
        return await self.wait(lambda: own.closed(number), within_s)

    async def until_ping(self, executor: Executor, *, within_s: float, count: int = 1) -> bool:
        own = self._own(executor)
        number = own.conn
        enough = own.pings.get(number, 0) + count
        return await self.wait(lambda: own.pings.get(number, 0) >= enough, within_s)

    async def until(self, what: Callable[[], Awaitable[bool]], *, within_s: float) -> bool:
        end_ns = self.now_ns() + int(within_s * NS)
        while not await what():
            self._stop_if_unsupported()
            left_s = (end_ns - self.now_ns()) / NS
            if left_s <= 0:
                return False
            await asyncio.sleep(min(left_s, self.timing.scan_s / 2))
        return True

    def pulse(self) -> None:
        """Wake everybody who waits in `wait`."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)

    async def wait(self, true: Callable[[], bool], within_s: float) -> bool:
        """Until ``true()``, which is asked whenever something happened."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(within_s if math.isfinite(within_s) else None):
                while not true():
                    self._stop_if_unsupported()
                    future = asyncio.get_running_loop().create_future()
                    self._waiting.append(future)
                    await future
        return true()

    def _stop_if_unsupported(self) -> None:
        """What a spawned call can't do at this relay will not be seen: whoever waits for it is told at once."""
        for task in self._spawned:
            if task.done() and not task.cancelled() and isinstance(task.exception(), Unsupported):
                self._spawned.remove(task)
                raise Unsupported(str(task.exception()))

    # ---------------------------------------------------------------- history

    def last(self, event: str, **fields: Any) -> int:
        return self.recorder.last(event, **fields)

    def expect(self, clause: str, rule: str, text: str = "", **args: Any) -> None:
        self.recorder.add(events.Expect, clause=clause, rule=rule, args=args, text=text)

    def note(self, text: str, **detail: Any) -> int:
        return self.recorder.add(events.Note, text=text, detail=detail)

    # ---------------------------------------------------------------- for executors and the session

    def next_conn(self) -> int:
        return next(self._conns)

    def relay_url(self) -> str:
        return self._target.url

    def jittered(self, worst_ns: int) -> None:
        self.recorder.add(events.Jitter, worst=worst_ns)

    def check(self) -> None:
        """Raises what something in the background raised and nobody was told; a scenario's signal is noted."""
        for task in self._spawned:
            if task.done():
                self._done(task)
        for failure in self._failures:
            if not worlds.note_signal(self, failure):
                raise failure

    async def close(self) -> None:
        """End everything that the scenario started."""
        tasks = [*self._background, *self._spawned]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        for executor in self._executors:
            executor.leave()

    # ---------------------------------------------------------------- inside

    def _tenant(self, org: str | None) -> Organisation:
        if org is None:
            return self._target.tenants[0]
        if org == "other":
            self.profile.require("organisations")
            return self._target.tenants[1]
        for tenant in self._target.tenants:
            if tenant.name == org:
                return tenant
        raise Unsupported(f"the profile has no organisation {org!r}")

    def _own(self, executor: Executor) -> WireExecutor:
        assert isinstance(executor, WireExecutor), "an executor of another world"
        return executor

    def _wire_shows(self, executor: WireExecutor, statuses: Sequence[str]) -> bool:
        """Without a list: a closed socket is DISCONNECTED, a recovery frame that names the executor is DEAD."""
        named = any(
            executor.id in (request.get("executor_ids") or ())
            for other in self._executors
            if other.app is executor.app
            for _, request in other.requests
            if request.get("type") == "recovery"
        )
        if named:
            return "DEAD" in statuses
        return ("DISCONNECTED" if executor.closed(None) else "HEALTHY") in statuses


def _matches(request: Mapping[str, Any], match: Mapping[str, Any]) -> bool:
    return all(request.get(name) == value for name, value in match.items())
