"""Tests with a name: one scenario each in `chaos.scenarios`, played alone or one after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from chaos import scenarios as scenarios
from chaos.arena import ChaosSession
from chaos.errors import UnknownTest
from chaos.sessions import session_class
from scenarios import catalogue, runner, worlds
from scenarios.catalogue import Scenario
from scenarios.profile import Profile
from scenarios.runner import Outcome, RunOptions, Silent

__all__ = ["NAMED", "name_of", "play_named"]


def name_of(entry: Scenario) -> str:
    """As ``--test`` takes it."""
    return entry.id.partition("/")[2].replace("/", "-")


NAMED = {name_of(entry): entry for entry in catalogue.all() if "chaos" in entry.worlds}
"""By name; see `relayproof chaos --test list`."""


def ids(names: Sequence[str]) -> tuple[str, ...]:
    """Their scenarios. Raises `UnknownTest`."""
    wanted = list(NAMED) if list(names) == ["all"] else list(names)
    for name in wanted:
        if name not in NAMED:
            raise UnknownTest(f"there is no test {name!r}: choose among {', '.join(NAMED)}, or all")
    return tuple(NAMED[name].id for name in wanted)


async def play_named(
    profile: Profile, names: Sequence[str], *, seed: int, results: Path, runtime: str = "process", command: str = "",
    given: str = "", again: Callable[[Scenario], str] = lambda scenario: "",
) -> Outcome:  # fmt: skip
    """Play them on one relay. ``again``: the command that plays one of them again. Raises as `scenarios.runner.run`."""
    worlds.register(ChaosSession.world, session_class(runtime))
    options = RunOptions(
        profile=profile, pace="fast", worlds=("chaos",), results=results, select=ids(names), seed=seed, command=command,
        given=given, again=again,
    )  # fmt: skip
    return await runner.run(options, Silent())
