"""A miniature relay as the relay under test, and the shortest way to play something on it."""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest

from evidence.history import History, Recorder
from scenarios.catalogue import Scenario
from scenarios.profile import Profile
from scenarios.profile_loading import loads
from scenarios.wire.session import WireSession
from scenarios.world import World
from scenarios.worlds import SessionOptions
from tests.scenarios.mini_relay import TIMING

MINI_RELAY = Path(__file__).with_name("mini_relay.py")

Body = Callable[[World], Coroutine[Any, Any, None]]
Play = Callable[[Body], Awaitable[History]]


def mini_profile(fault: str = "", extra: str = "") -> Profile:
    """The profile of the miniature relay with a fault."""
    command = f"cmd:{sys.executable} {MINI_RELAY} --port {{port}} --fault '{fault}'"
    text = f'''
[relay]
name = "mini"
target = """{command}"""
[[tenancy.organisations]]
name = "local"
key = "mini-key"
{TIMING}
[capabilities]
audit = false
surfaced = false
latest_version = false
workflows = false
keys = false
{extra}
'''
    return loads(text, "mini.toml")


def a_scenario(body: Body, **options: Any) -> Scenario:
    return Scenario(id="TST-1/test", title="a test", clauses=("LIV-1",), run=body, **options)


def mini_options(folder: Path, fault: str = "", extra: str = "") -> SessionOptions:
    profile = mini_profile(fault, extra)
    return SessionOptions(profile=profile, timing=profile.timing_at("fast"), seed=1, folder=folder)


async def play(
    body: Body, folder: Path, fault: str = "", deadline_s: float = 20.0, extra: str = "", **options: Any
) -> Recorder:
    """One scenario against a fresh miniature relay."""
    async with WireSession(mini_options(folder, fault, extra)) as session:
        return await session.play(a_scenario(body, **options), None, deadline_s)


@pytest.fixture
def played(tmp_path: Path) -> Callable[..., Awaitable[History]]:
    """Plays a body and gives its complete history; a harness error fails the test."""

    async def complete(body: Body, fault: str = "", **options: Any) -> History:
        history = (await play(body, tmp_path, fault, **options)).history()
        assert history.footer.outcome == "complete", history.footer.error
        return history

    return complete
