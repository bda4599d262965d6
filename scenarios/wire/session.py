"""One run of the wire world: the shared relay, the instances of disturbing scenarios, the jitter monitor."""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from evidence.history import Recorder
from evidence.run import INTERRUPTED
from scenarios import worlds
from scenarios.catalogue import Scenario
from scenarios.http import HttpClient
from scenarios.profile import Organisation
from scenarios.targets import Target
from scenarios.wire.clearing import Left, clearing, left_behind
from scenarios.wire.jitter import Admission, JitterMonitor
from scenarios.wire.relay import WireRelay
from scenarios.wire.relays import Relays
from scenarios.wire.tenants import Names, Pool
from scenarios.wire.world import WireWorld
from scenarios.worlds import SessionOptions


class WireSession:
    """See `scenarios.worlds.Session`."""

    concurrency: int | None

    def __init__(self, options: SessionOptions) -> None:
        self._options = options
        self._relays = Relays(options)
        self._jitter = JitterMonitor()
        self._admission = Admission(self._jitter, calm_ns=int(options.timing.slack_s * 1e9 / 2))
        self._jitter_task: asyncio.Task[None] | None = None
        self._client = HttpClient()
        self._pool = Pool()
        self._clearing: set[asyncio.Task[None]] = set()
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
        for task in self._clearing:
            task.cancel()
        await asyncio.gather(*self._clearing, return_exceptions=True)
        self._client.close()
        await self._relays.close()

    async def play(self, scenario: Scenario, path: Path | None, deadline_s: float) -> Recorder:
        await self._admission.enter()
        try:
            async with self._relays.lend(scenario) as (target, own):
                return await self._on(target, own, scenario, path, deadline_s)
        finally:
            self._admission.leave()

    async def _on(
        self, target: Target, own: bool, scenario: Scenario, path: Path | None, deadline_s: float
    ) -> Recorder:
        names = Names(scenario.id, f"{self._run}{next(self._numbers)}", self._pool)
        recorder, world, relay = self._world(target, own, scenario, path, names)
        self._jitter.listen(target, world.jittered)
        error = INTERRUPTED
        try:
            error = await self._perform(scenario, world, relay, deadline_s)
        finally:
            self._jitter.forget(target, world.jittered)
            # Closed first: what happens while the world is taken down is no evidence.
            recorder.close("error" if error else "complete", error)
            await asyncio.shield(world.close())
            self._turn_over(recorder, target, own, names)
        return recorder

    def _world(
        self, target: Target, own: bool, scenario: Scenario, path: Path | None, names: Names
    ) -> tuple[Recorder, WireWorld, WireRelay]:
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
            names=names,
            now_ns=lambda: time.monotonic_ns() - began_ns,
        )
        return recorder, world, relay

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

    def _turn_over(self, recorder: Recorder, target: Target, own: bool, names: Names) -> None:
        """Give back the profile's applications, once nobody is left in them. An instance of its own goes with them."""
        left = {} if own and not self._options.profile.relay.target.startswith("url:") else left_behind(recorder.events)
        for tenant, name in names.held:
            task = asyncio.create_task(self._clear(target, tenant, name, left.get((tenant.name, name), ())))
            self._clearing.add(task)
            task.add_done_callback(self._clearing.discard)

    async def _clear(self, target: Target, tenant: Organisation, name: str, left: Sequence[Left]) -> None:
        scenario = clearing(tenant.name, name, left)
        names = Names(scenario.id, f"{self._run}{next(self._numbers)}", self._pool)
        recorder, world, _ = self._world(target, False, scenario, None, names)
        try:
            if left:
                await worlds.perform(scenario, world)
        finally:
            recorder.close("complete")
            await asyncio.shield(world.close())
            self._pool.give_back(tenant, name)


worlds.register("wire", WireSession)
