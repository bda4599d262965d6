"""The session of simulated scenarios; registers the world ``simulated``.

Each scenario has a clock, a relay and a seed of its own: they share nothing, so each history depends on the run's seed
and the scenario's id alone.
"""

from __future__ import annotations

import hashlib
from pathlib import Path
from types import TracebackType
from typing import Self

import broken_relays
from evidence.events import Jitter
from evidence.history import Recorder
from reference_relay.core.core import Core
from scenarios import worlds
from scenarios.catalogue import Scenario
from scenarios.errors import UsageError
from scenarios.profile import Profile
from scenarios.worlds import SessionOptions, header_fields, perform
from simulator.clock import Clock, ns
from simulator.errors import OutOfTime
from simulator.scene import Scene
from simulator.tasks import Task


class SimulatedSession:
    """Plays scenarios one after the other: each is over in a moment, and none waits for anything real."""

    concurrency: int | None = 1

    def __init__(self, options: SessionOptions, core: type[Core] | None = None) -> None:
        """``core`` None: the one that the profile names. Raises `UsageError` for a relay that is none of ours."""
        self._options = options
        self._core = core or core_of(options.profile)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Nothing is left to close."""

    async def play(self, scenario: Scenario, path: Path | None, deadline_s: float) -> Recorder:
        """See `scenarios.worlds.Session`. ``deadline_s`` is virtual time."""
        return self.simulate(scenario, path, deadline_s)

    def simulate(self, scenario: Scenario, path: Path | None = None, deadline_s: float = 7200.0) -> Recorder:
        """Play it to its end, at once. Gives the closed recorder."""
        clock = Clock()
        recorder = Recorder(path, clock=lambda: clock.now_ns)
        with recorder:
            recorder.header(**header_fields(scenario, "simulated", self._options))
            recorder.add(Jitter, worst=0)  # virtual time wakes everybody when they asked for it
            options = self._options
            seed = scenario_seed(options.seed, scenario.id)
            scene = Scene(clock, recorder, options.profile, options.timing, seed, self._core)
            played = Task(clock, perform(scenario, scene))
            clock.call(ns(deadline_s), _out_of_time, scenario.id, deadline_s)
            clock.run(played.done)
            scene.finish()
        return recorder


def core_of(profile: Profile) -> type[Core]:
    """The core that runs in the profile's relay: the reference's, or a broken one's.

    Raises `UsageError` for a relay that is none of ours, and for a defect that lies outside of the core.
    """
    kind, _, name = (profile.builtin or "").partition("/")
    if kind == "reference":
        return Core
    if kind == "broken":
        try:
            defect = broken_relays.find(name)
        except broken_relays.DefectError as unknown:
            raise UsageError(str(unknown)) from unknown
        if defect.where == "core":
            return defect.core
        raise UsageError(f"{name!r} is a defect of the server, which the simulated world leaves out: use --world wire")
    raise UsageError(
        f"the simulated world runs the project's own relays, not {profile.relay.target!r}: leave --world simulated out"
    )


def scenario_seed(seed: int, scenario_id: str) -> int:
    """A seed for each scenario of a run, the same on every machine."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{scenario_id}".encode()).digest()[:8], "big")


def _out_of_time(scenario_id: str, deadline_s: float) -> None:
    raise OutOfTime(f"{scenario_id}: not over after {deadline_s:g} virtual seconds; give the wait in it a deadline")


worlds.register("simulated", SimulatedSession)
