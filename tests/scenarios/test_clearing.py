"""Applications that scenarios use one after the other: nobody of the earlier one is the later one's business."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import Any

from evidence.events import Frame, Open
from evidence.history import History
from scenarios.profile import Profile
from scenarios.profile_loading import loads
from scenarios.scripting import ABSENT
from scenarios.wire.clearing import Left, left_behind
from scenarios.wire.session import WireSession
from scenarios.world import Script, World
from scenarios.worlds import SessionOptions
from tests.scenarios.conftest import MINI_RELAY, a_scenario, mini_options
from tests.scenarios.mini_relay import TIMING

ONLY = "the-only-one"


def test_whom_the_relay_knows_is_left_as_it_introduced_itself() -> None:
    said = '{"type":"executor_info","executor_id":"%s","application_version":"v1"%s}'
    events = [
        Open(n=0, t=0, conn=0, org="local", app="a", executor="one"),
        Open(n=0, t=0, conn=1, org="local", app="a", executor="two"),
        Open(n=0, t=0, conn=2, org="other", app="a", executor="silent"),
        _frame(0, "executor", said % ("one", ',"language":"go"')),
        _frame(1, "executor", said % ("two", "")),
        _frame(2, "executor", "no JSON"),
        _frame(1, "relay", '{"type":"recovery","executor_ids":["one","stranger"]}'),
    ]
    assert left_behind(events)["local", "a"] == (Left("one", "v1", "go", asked=True), Left("two", "v1", ABSENT))
    returned = [*events, _frame(0, "executor", said % ("one", ""))]
    assert left_behind(returned)["local", "a"][0] == Left("one", "v1", ABSENT), "it must die anew"
    assert ("other", "a") not in left_behind(events)


def test_the_next_scenario_is_asked_for_nobody_of_the_last_one(tmp_path: Path) -> None:
    async def leaves_one_behind(world: World) -> None:
        await world.executor(await world.app(), "left-behind")

    async def watches(world: World) -> None:
        peer = await world.executor(await world.app())
        whom = {"executor_ids": ["left-behind"]}
        assert await world.until_frame(peer, "recovery", within_s=0.8, match=whom) is None

    async def both() -> tuple[History, History]:
        async with WireSession(_one_application(tmp_path)) as session:
            first = await session.play(a_scenario(leaves_one_behind), None, 10)
            second = await session.play(a_scenario(watches), None, 10)
            return first.history(), second.history()

    first, second = asyncio.run(both())
    apps = [history.of(Open)[0].app for history in (first, second)]
    assert apps == [ONLY, ONLY]
    assert second.footer.outcome == "complete", second.footer.error


def test_an_application_that_nobody_registered_is_none_of_the_profiles(tmp_path: Path) -> None:
    names: list[str] = []

    async def body(world: World) -> None:
        names.append((await world.app(register=False)).name)

    async def main() -> None:
        async with WireSession(_one_application(tmp_path)) as session:
            await session.play(a_scenario(body), None, 10)

    asyncio.run(main())
    assert names and names[0] != ONLY


def test_an_executor_that_redials_ends_with_its_scenario(tmp_path: Path) -> None:
    async def redials(world: World) -> None:
        app = await world.app(name=ONLY)
        executor = await world.executor(app, "redialler", script=Script(redial_s=0.05))
        await world.until_status(executor, "HEALTHY", within_s=2)

    async def looks(world: World) -> None:
        app = await world.app(name=ONLY)
        await world.sleep(0.4)  # several times what it takes to dial again
        statuses = {seen.executor: seen.status for seen in await world.control.executors(app)}
        assert statuses["redialler"] == "DISCONNECTED"

    async def both() -> History:
        async with WireSession(mini_options(tmp_path)) as session:
            await session.play(a_scenario(redials), None, 10)
            return (await session.play(a_scenario(looks), None, 10)).history()

    looked = asyncio.run(both())
    assert looked.footer.outcome == "complete", looked.footer.error


def _frame(conn: int, by: Any, data: str) -> Frame:
    return Frame(n=0, t=0, conn=conn, by=by, op="text", data=data)


def _one_application(folder: Path) -> SessionOptions:
    profile: Profile = loads(
        f'''
[relay]
target = """cmd:{sys.executable} {MINI_RELAY} --port {{port}} --fault early-death"""
api = "none"
[[tenancy.organisations]]
name = "local"
key = "mini-key"
applications = ["{ONLY}"]
{TIMING}
grace_s = 1
grace_settable = false
''',
        "mini.toml",
    )
    return SessionOptions(profile=profile, timing=profile.timing_at("fast"), seed=1, folder=folder)
