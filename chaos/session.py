"""One run of the real world: its relay, and an application with executors and a database for each scenario."""

from __future__ import annotations

import asyncio
import itertools
import secrets
import time
import traceback
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from chaos.errors import ChaosError
from chaos.processes import ProcessRuntime
from chaos.real import LANGUAGE, RealWorld
from chaos.runtime import Runtime
from chaos.scrub import scrub
from chaos.servers import Servers
from conductor.timing import Timing
from evidence.history import Recorder
from scenarios import targets, worlds
from scenarios.catalogue import Scenario
from scenarios.errors import UnknownWorld
from scenarios.http import HttpClient
from scenarios.profile import Profile
from scenarios.wire.jitter import JitterMonitor
from scenarios.wire.relay import WireRelay
from scenarios.wire.tenants import Names, Pool
from scenarios.worlds import SessionOptions
from sdk_matrix.errors import MissingSdk
from sdk_matrix.languages import Worker, worker

__all__ = ["RealSession", "real_timing"]

LEAST_WAIT_S = 10.0  # launching SDKs starves two cores for seconds: a shorter ping wait would judge the host


def real_timing(profile: Profile, timing: Timing) -> Timing:
    """A builtin relay's timing for real SDKs: the grace stays, deadlines that a starved executor misses grow."""
    if profile.builtin is None:
        return timing
    return msgspec.structs.replace(
        timing,
        ping_wait_s=max(timing.ping_wait_s, LEAST_WAIT_S),
        handshake_deadline_s=max(timing.handshake_deadline_s, LEAST_WAIT_S),
        request_deadline_s=max(timing.request_deadline_s, LEAST_WAIT_S),
        recovery_deadline_s=max(timing.recovery_deadline_s, LEAST_WAIT_S),
        redial_s=max(timing.redial_s, 1.0),  # what the SDK does
    )


class RealSession:
    """See `scenarios.worlds.Session`. One relay for all real scenarios, an application and a database for each."""

    concurrency: int | None = 2  # each launches three SDKs: more at once would only wait for the cores
    world = "real"
    owns_relay = False  # its scenarios may stop the relay

    def __init__(self, options: SessionOptions) -> None:
        """Raises `UnknownWorld` where the SDK is missing; the text says how to get it."""
        try:
            worker(LANGUAGE).check()
        except MissingSdk as problem:
            raise UnknownWorld(f"the {self.world} world can't run here: {problem}") from problem
        timing = self.timing(options)
        self._options = SessionOptions(profile=options.profile, timing=timing, seed=options.seed, folder=options.folder)
        self._target = targets.make(options.profile, timing, options.folder, self.world)
        self._runtime: Runtime = ProcessRuntime()
        self._starting = asyncio.Lock()
        self._started = False
        self._jitter = JitterMonitor()
        self._jitter_task: asyncio.Task[None] | None = None
        self._client = HttpClient()
        self._pool = Pool()
        self._run = secrets.token_hex(2)
        self._numbers = itertools.count(1)

    def timing(self, options: SessionOptions) -> Timing:
        return real_timing(options.profile, options.timing)

    async def __aenter__(self) -> Self:
        self._jitter_task = asyncio.create_task(self._jitter.run())
        self.prepare(worker(LANGUAGE))
        return self

    def prepare(self, kind: Worker) -> None:
        """Begin to load an SDK that is loaded once for many workers."""
        self._runtime.prepare(kind)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._jitter_task is not None:
            self._jitter_task.cancel()
        await self._runtime.sweep()
        self._client.close()
        await self._target.close()

    async def play(self, scenario: Scenario, path: Path | None, deadline_s: float) -> Recorder:
        async with self._starting:
            if not self._started:
                await self._target.start()
                self._started = True
        began_ns = time.monotonic_ns()

        def now_ns() -> int:
            return time.monotonic_ns() - began_ns

        recorder = Recorder(path, clock=now_ns)
        for tenant in self._target.tenants:
            recorder.secret(tenant.name, tenant.api_token)
            recorder.secret(f"{tenant.name}-executors", tenant.socket_key)
        recorder.header(**worlds.header_fields(scenario, self.world, self._options))
        relay = WireRelay(self._target, recorder, self._options.profile, own=self.owns_relay)
        world = await self._world(scenario, recorder, relay, now_ns)
        self._jitter.listen(self._target, world.jittered)
        error = "interrupted"
        try:
            error = await _perform(scenario, world, relay, deadline_s)
        finally:
            recorder.close("error" if error else "complete", error)
            self._jitter.forget(self._target, world.jittered)
            await asyncio.shield(world.close())
            keys = {f"{tenant.name}-executors": tenant.socket_key for tenant in self._target.tenants}
            await asyncio.to_thread(scrub, self._options.folder / "workers", keys)
        return recorder

    async def _world(
        self, scenario: Scenario, recorder: Recorder, relay: WireRelay, now_ns: Callable[[], int]
    ) -> RealWorld:
        number = next(self._numbers)
        return RealWorld(
            options=self._options,
            recorder=recorder,
            client=self._client,
            target=self._target,
            relay=relay,
            names=Names(scenario.id, f"{self._run}{number}", self._pool),
            now_ns=now_ns,
            runtime=self._runtime,
            folder=self._options.folder / "workers" / f"{scenario.slug}-{number}",
            servers=await self.servers(),
        )

    async def servers(self) -> Servers | None:
        """Where the system databases are; None: in files."""
        return None


async def _perform(scenario: Scenario, world: RealWorld, relay: WireRelay, deadline_s: float) -> str:
    """Play it; the harness's own failure as text, or nothing."""
    try:
        async with asyncio.timeout(deadline_s):
            await relay.began()
            await worlds.perform(scenario, world)
        world.check()
    except ChaosError as problem:  # its text says it all
        return str(problem)
    except TimeoutError:
        return f"the scenario did not end within its deadline of {deadline_s:g} s"
    except Exception:  # noqa: BLE001 - whatever a scenario raises is about the scenario, not the end of the run
        return traceback.format_exc()
    return ""
