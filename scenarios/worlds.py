"""Worlds register here by name, from above: the catalogue and the runner know none of them.

A world is a factory of sessions. A session owns what the scenarios of one run share (relays, the
poller, the clock) between ``__aenter__`` and ``__aexit__``, and plays one scenario at a time for each
caller of `Session.play`; the runner decides how many callers there are.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from conductor.timing import Timing
from evidence.history import Recorder
from scenarios.catalogue import Scenario
from scenarios.errors import Prerequisite, TargetError, UnknownWorld, Unsupported
from scenarios.profile import Profile
from scenarios.world import World


@dataclass(frozen=True, kw_only=True, slots=True)
class SessionOptions:
    """What every world is made from."""

    profile: Profile
    timing: Timing
    seed: int
    folder: Path  # the run's folder: logs and data directories go below it


class Session(Protocol):
    """One run's share of a world."""

    concurrency: int | None  # how many scenarios may be played at once; None: as many as the runner wants

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...

    async def play(self, scenario: Scenario, path: Path | None, deadline_s: float) -> Recorder:
        """Play it, write its history (header first) to ``path``, and return the closed recorder.

        Uses `perform` for the scenario's coroutine, so that signals and crashes are recorded alike in every world.
        Raises only what no history can hold, such as `TargetError` when the relay doesn't start.
        """
        ...


Factory = Callable[[SessionOptions], Session]

_factories: dict[str, Factory] = {}
_providers = {
    "wire": "scenarios.wire.session",
    "simulated": "simulator.world",
    "real": "chaos.world",
    "chaos": "chaos.arena",
}
"""Modules that register a world of this name when they are imported: named as text, for imports point down only."""


def register(name: str, factory: Factory) -> None:
    """Make a world known. Registering a name again replaces it."""
    _factories[name] = factory


def names() -> list[str]:
    return sorted({*_factories, *_providers})


def factory(name: str) -> Factory:
    """The factory of this world; imports its module at need.

    Raises `UnknownWorld` where there is none, or where the package that it needs is not installed.
    """
    if name not in _factories and name in _providers:
        try:
            importlib.import_module(_providers[name])
        except ImportError as problem:
            raise UnknownWorld(f"the {name} world needs what is not installed here: {problem}") from problem
    if name not in _factories:
        raise UnknownWorld(f"there is no world {name!r}; there are {', '.join(names())}")
    return _factories[name]


def header_fields(scenario: Scenario, world: str, options: SessionOptions) -> dict[str, object]:
    """What a history's header says, alike in every world; for `evidence.history.Recorder.header`."""
    return {
        "scenario": scenario.id,
        "title": scenario.title,
        "clauses": scenario.clauses,
        "world": world,
        "relay": options.profile.name,
        "profile_digest": options.profile.digest,
        "timing": options.timing.names(),
        "capabilities": options.profile.all_capabilities(),
        "names": options.profile.all_names(),
        "seed": options.seed,
    }


async def perform(scenario: Scenario, world: World) -> None:
    """Run the scenario's coroutine; its signals become notes, which the judge reads.

    Any other exception is the harness's own and passes through.
    """
    try:
        for capability in scenario.needs:
            world.profile.require(capability)
        await scenario.run(world)
    except (Unsupported, Prerequisite, TargetError) as signal:
        noted = note_signal(world, signal)
        assert noted, "these are the signals"


def note_signal(world: World, problem: BaseException) -> bool:
    """Write what a scenario raised as the note that the judge reads. False: it is no signal, but an error.

    A relay that can't be stopped, or doesn't come back, has failed what the scenario stands on: `TargetError` here
    is no fault of the harness.
    """
    match problem:
        case Unsupported():
            world.note("unsupported", reason=str(problem))
        case Prerequisite() | TargetError():
            world.note("prerequisite", reason=str(problem))
        case _:
            return False
    return True
