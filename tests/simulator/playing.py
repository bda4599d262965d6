"""Plays a coroutine in the simulated world and gives its history."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from conductor.timing import DOCUMENTED, Timing
from evidence.events import Base
from evidence.history import History
from reference_relay.core.core import Core
from scenarios.catalogue import Scenario
from scenarios.profile import Profile, RelaySection
from scenarios.world import World
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession

REFERENCE = Profile(relay=RelaySection(target="builtin:reference"))

Body = Callable[[World], Coroutine[Any, Any, None]]


def play(body: Body, *, seed: int = 1, timing: Timing = DOCUMENTED, core: type[Core] | None = None) -> History:
    scenario = Scenario(id="LIV-3/test", title="a test", clauses=("LIV-3",), run=body)
    options = SessionOptions(profile=REFERENCE, timing=timing, seed=seed, folder=Path())
    return SimulatedSession(options, core).simulate(scenario).history()


def find(history: History, kind: type[Base], /, **fields: Any) -> list[Any]:
    """The events of this kind with these fields, in order."""
    return [
        event
        for event in history.events
        if isinstance(event, kind) and all(getattr(event, name) == value for name, value in fields.items())
    ]
