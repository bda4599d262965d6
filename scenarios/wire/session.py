"""One run of the wire world: the shared relay, the instances of disturbing scenarios, the jitter monitor."""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
import traceback
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from evidence.history import Recorder
from scenarios import targets, worlds
from scenarios.catalogue import Scenario
from scenarios.http import HttpClient
from scenarios.targets import Target
from scenarios.wire.jitter import JitterMonitor
from scenarios.wire.relay import WireRelay
from scenarios.wire.tenants import Names, Pool
from scenarios.wire.world import WireWorld
from scenarios.worlds import SessionOptions

OWN_INSTANCES = 6
"""How many relays may run beside the shared one: each is a process that competes for the same cores."""


class WireSession:
    """See `scenarios.worlds.Session`."""

    concurrency: int | None

    def __init__(self, options: SessionOptions) -> None:
        self._options = options
        self._shared: Target | None = None
        self._starting = asyncio.Lock()
        self._instances = asyncio.Semaphore(OWN_INSTANCES)
        self._alone = Quiet()
        self._jitter = JitterMonitor()
        self._jitter_task: asyncio.Task[None] | None = None
        self._client = HttpClient()
        self._pool = Pool()
        self._run = secrets.token_hex(2)
        self._numbers = itertools.count(1)
        fixed = [len(tenant.applications) for tenant in options.profile.tenancy.organisations if tenant.applications]
        self.concurrency = max(1, min(fixed) // 2) if fixed else None

    async def __aenter__(self) -> Self:
        self._jitter_task = asyncio.create_task(self._jitter.run())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._jitter_task is not None:
            self._jitter_task.cancel()
        self._client.close()
        if self._shared is not None:
            await self._shared.close()

    async def play(self, scenario: Scenario, path: Path | None, deadline_s: float) -> Recorder:
        async with self._target(scenario) as (target, own):
            began_ns = time.monotonic_ns()
            recorder = Recorder(path, clock=lambda: time.monotonic_ns() - began_ns)
            for tenant in target.tenants:
                recorder.secret(tenant.name, tenant.api_token)
                recorder.secret(f"{tenant.name}-executors", tenant.socket_key)
            recorder.header(**worlds.header_fields(scenario, "wire", self._options))
            relay = WireRelay(target, recorder, self._options.profile, own=own)
            world = WireWorld(
                options=self._options,
                recorder=recorder,
                client=self._client,
                target=target,
                relay=relay,
                names=Names(scenario.id, f"{self._run}{next(self._numbers)}", self._pool),
                now_ns=lambda: time.monotonic_ns() - began_ns,
            )
            self._jitter.listen(world.jittered)
            error = "interrupted"
            try:
                error = await self._perform(scenario, world, relay, deadline_s)
            finally:
                # Closed first: what happens while the world is taken down is no evidence.
                recorder.close("error" if error else "complete", error)
                self._jitter.forget(world.jittered)
                await asyncio.shield(world.close())
            return recorder

    async def _perform(self, scenario: Scenario, world: WireWorld, relay: WireRelay, deadline_s: float) -> str:
        """Play it; the harness's own failure as text, or nothing."""
        try:
            async with asyncio.timeout(deadline_s) as limit:
                await relay.began()
                await worlds.perform(scenario, world)
            world.check()
        except TimeoutError:
            if limit.expired():
                return f"the scenario did not end within its deadline of {deadline_s:g} s"
            return traceback.format_exc()
        except Exception:  # noqa: BLE001 - whatever a scenario raises is about the scenario, not the end of the run
            return traceback.format_exc()
        return ""

    @asynccontextmanager
    async def _target(self, scenario: Scenario) -> AsyncIterator[tuple[Target, bool]]:
        """The shared relay, or one of the scenario's own; of a ``url:`` relay the only one, with nobody else on it."""
        if scenario.disturbs and not self._options.profile.relay.target.startswith("url:"):
            async with self._instances:
                target = self._make(f"{scenario.slug}-{next(self._numbers)}")
                try:
                    await target.start()
                    yield target, True
                finally:
                    await asyncio.shield(target.close())
        elif scenario.disturbs:
            async with self._alone.exclusive():
                yield await self._shared_target(), True
        else:
            async with self._alone.shared():
                yield await self._shared_target(), False

    async def _shared_target(self) -> Target:
        async with self._starting:
            if self._shared is None:
                self._shared = self._make("shared")
                await self._shared.start()
            return self._shared

    def _make(self, instance: str) -> Target:
        return targets.make(self._options.profile, self._options.timing, self._options.folder, instance)


class Quiet:
    """Many at once, or one alone. The one waits until nobody is there, and newcomers wait for it."""

    def __init__(self) -> None:
        self._there = 0
        self._changed = asyncio.Condition()
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        async with self._turn:
            self._there += 1
        try:
            yield
        finally:
            self._there -= 1
            async with self._changed:
                self._changed.notify_all()

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        async with self._turn, self._changed:
            await self._changed.wait_for(lambda: self._there == 0)
            yield


worlds.register("wire", WireSession)
