"""The relay under test as one scenario may touch it: recorded, and only if the instance is its own."""

from __future__ import annotations

import asyncio

from evidence import events
from evidence.history import Recorder
from scenarios.errors import TargetError, Unsupported
from scenarios.profile import Profile
from scenarios.targets import Target

LOG_LINES = 5000
"""At most this many of the newest lines go into a history."""


class WireRelay:
    """See `scenarios.world.RelayControl`. ``own``: no other scenario uses this instance."""

    def __init__(self, target: Target, recorder: Recorder, profile: Profile, *, own: bool) -> None:
        self._target = target
        self._recorder = recorder
        self._profile = profile
        self._own = own
        self._log_start = 0

    async def began(self) -> None:
        """The relay answers; its log counts from here."""
        if self._profile.can("log"):
            self._log_start = len(await self._target.log())
        self._record("ready")

    async def kill(self) -> None:
        self._touch("restart")
        self._record("killing")  # a command of the profile may take its time: the relay ends somewhere in between
        await self._target.kill()
        self._record("killed")

    async def start(self) -> None:
        self._touch("restart")
        self._record("started")
        try:
            await self._target.start()
        except TargetError as problem:
            # The relay's fault, not the harness's: it had started before, on the same data.
            self._record("exited")
            raise TargetError(f"the relay did not come back on its own data: {problem}") from problem
        self._record("ready")

    async def restart(self, down_s: float = 0.0) -> None:
        await self.kill()
        await asyncio.sleep(down_s)
        await self.start()

    async def pause(self) -> None:
        self._touch("pause")
        await self._target.pause()
        self._record("paused")

    async def resume(self) -> None:
        self._touch("pause")
        await self._target.resume()
        self._record("resumed")

    async def log(self) -> str:
        self._profile.require("log")
        text = (await self._target.log())[self._log_start :]
        self._recorder.add(events.RelayLog, lines=tuple(text.splitlines()[-LOG_LINES:]))
        return text

    async def step_clock(self, seconds: float) -> None:
        raise Unsupported("the wall clock of a real host is not the suite's to step")

    def _touch(self, capability: str) -> None:
        assert self._own, "only a scenario with disturbs=True may stop its relay"
        self._profile.require(capability)

    def _record(self, what: str) -> None:
        self._recorder.add(events.Relay, what=what, instance=self._target.instance)
