"""The relay under test as a process that can be killed and started: `scenarios.world.RelayControl` in virtual time."""

from __future__ import annotations

from evidence.events import Note, RelayLog
from evidence.events import Relay as RelayEvent
from evidence.history import Recorder
from simulator.clock import Clock, ns
from simulator.relay import Relay
from simulator.tasks import wait

START_S = 0.2
"""From the start of the process until it answers."""


class SimulatedProcess:
    """Records every start and end."""

    def __init__(self, clock: Clock, recorder: Recorder, relay: Relay) -> None:
        self.ready_ns = 0  # when it was last ready
        self._clock = clock
        self._recorder = recorder
        self._relay = relay
        relay.crashed = self._crashed

    def begin(self) -> None:
        """The relay is up when the scenario begins."""
        self._relay.start()
        self._recorder.add(RelayEvent, what="ready")

    async def kill(self) -> None:
        if self._relay.up:
            self._relay.kill()
            self._recorder.add(RelayEvent, what="killed")

    async def start(self) -> None:
        self._recorder.add(RelayEvent, what="started")
        await wait(self._clock.timeout(ns(START_S)))
        self._relay.start()
        self.ready_ns = self._clock.now_ns
        self._recorder.add(RelayEvent, what="ready")

    async def restart(self, down_s: float = 0.0) -> None:
        await self.kill()
        if down_s:
            await wait(self._clock.timeout(ns(down_s)))
        await self.start()

    async def log(self) -> str:
        lines = tuple(self._relay.log_lines)
        self._recorder.add(RelayLog, lines=lines)
        return "\n".join(lines)

    async def step_clock(self, seconds: float) -> None:
        self._relay.wall_step_ms += round(seconds * 1000)
        self._recorder.add(Note, text="the relay's wall clock was stepped", detail={"seconds": seconds})

    def _crashed(self, failure: Exception) -> None:
        self._recorder.add(RelayEvent, what="exited", detail={"error": f"{type(failure).__name__}: {failure}"})
