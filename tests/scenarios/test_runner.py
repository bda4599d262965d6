"""The runner: a folder that can be judged again, bounded concurrency, and what an interruption leaves."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from evidence.history import Recorder
from evidence.run import INTERRUPTED, judge_run, read_index
from evidence.verdict import Verdict, exit_code
from scenarios import catalogue, runner, worlds
from scenarios.catalogue import Scenario, scenario
from scenarios.errors import SelectionError, TargetError, UnknownWorld
from scenarios.profile import Profile, RelaySection
from scenarios.runner import Outcome, RunOptions, Silent, deadline_s
from scenarios.worlds import SessionOptions, header_fields
from spec import clauses

PROFILE = Profile(relay=RelaySection(target="builtin:reference"))


class FakeSession:
    """A world without a relay: writes a history and sleeps."""

    concurrency: int | None = None
    at_once = most_at_once = 0
    started: Sequence[str] = ()

    def __init__(self, options: SessionOptions) -> None:
        self.options = options

    async def __aenter__(self) -> FakeSession:
        type(self).at_once = type(self).most_at_once = 0
        type(self).started = []
        return self

    async def __aexit__(self, *error: object) -> None: ...

    async def play(self, entry: Scenario, path: Path | None, deadline_s: float) -> Recorder:
        cls = type(self)
        cls.at_once += 1
        cls.most_at_once = max(cls.most_at_once, cls.at_once)
        cls.started = [*cls.started, entry.id]
        recorder = Recorder(path, clock=lambda: 0)
        recorder.header(**header_fields(entry, "fake", self.options))
        error = INTERRUPTED
        try:
            await entry.run(self)
            error = ""
        finally:
            recorder.close("error" if error else "complete", error)
            cls.at_once -= 1
        return recorder


@pytest.fixture(autouse=True)
def fake_world() -> Iterator[None]:
    catalogue.all()
    before = dict(catalogue._registered)
    worlds.register("fake", FakeSession)
    yield
    catalogue._registered.clear()
    catalogue._registered.update(before)


def declare(id: str, seconds: float = 0.01, **options: Any) -> None:
    async def body(world: object) -> None:
        await asyncio.sleep(seconds)

    scenario(id, clauses=("LIV-1",), title="t", worlds=("fake",), **options)(body)


def options(tmp_path: Path, **more: Any) -> RunOptions:
    given: dict[str, Any] = {"select": ["TST-*"], "worlds": ["fake"], "seed": 7} | more
    return RunOptions(profile=PROFILE, pace="fast", results=tmp_path, **given)


def played(tmp_path: Path, **more: Any) -> Outcome:
    return asyncio.run(runner.run(options(tmp_path, **more), Silent()))


def test_a_run_leaves_a_folder_that_is_judged_alike_again(tmp_path: Path) -> None:
    declare("TST-1/one")
    declare("TST-1/two")
    outcome = played(tmp_path, command="relayproof conform")
    assert (tmp_path / "latest").resolve() == outcome.folder
    index = read_index(outcome.folder)
    assert [(entry.scenario, entry.path) for entry in index.scenarios] == [
        ("TST-1/one", "histories/TST-1.one.fake.jsonl"), ("TST-1/two", "histories/TST-1.two.fake.jsonl"),
    ]  # fmt: skip
    assert (index.seed, index.pace, index.command) == (7, "fast", "relayproof conform")
    assert judge_run(outcome.folder, clauses()) == outcome.result
    assert outcome.result.clauses == {"LIV-1": Verdict.VACUOUS}
    assert exit_code(outcome.result) == 1


def test_jobs_and_the_session_bound_what_runs_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(8):
        declare(f"TST-1/n{number}")
    played(tmp_path)
    assert FakeSession.most_at_once == 8
    played(tmp_path, jobs=3)
    assert FakeSession.most_at_once == 3
    monkeypatch.setattr(FakeSession, "concurrency", 2)
    played(tmp_path, jobs=3)
    assert FakeSession.most_at_once == 2


def test_disturbing_scenarios_begin_and_on_a_single_relay_end(tmp_path: Path) -> None:
    declare("TST-1/a")
    declare("TST-1/z", disturbs=True)
    played(tmp_path, jobs=1)
    assert FakeSession.started == ["TST-1/z", "TST-1/a"]
    remote = Profile(relay=RelaySection(target="url:http://127.0.0.1:1"))
    asyncio.run(runner.run(RunOptions(
        profile=remote, pace="fast", results=tmp_path, select=["TST-*"], worlds=["fake"], jobs=1,
    ), Silent()))  # fmt: skip
    assert FakeSession.started == ["TST-1/a", "TST-1/z"]


def test_interrupted_it_keeps_what_had_ended(tmp_path: Path) -> None:
    declare("TST-1/quick")
    declare("TST-1/endless", seconds=60)

    async def main() -> Outcome:
        task = asyncio.create_task(runner.run(options(tmp_path), Silent()))
        await asyncio.sleep(0.3)
        task.cancel()
        return await task

    outcome = asyncio.run(main())
    assert outcome.interrupted
    assert [found.scenario for found in outcome.result.scenarios] == ["TST-1/quick"]


def test_a_relay_that_does_not_start_ends_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    declare("TST-1/one")

    async def refuse(self: object, *arguments: object) -> None:
        raise TargetError("it does not start")

    monkeypatch.setattr(FakeSession, "play", refuse)
    with pytest.raises(TargetError, match="does not start"):
        played(tmp_path)


def test_what_can_not_be_selected_is_told_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(SelectionError):
        played(tmp_path, select=["NOPE-*"])
    with pytest.raises(UnknownWorld, match="there is no world 'moon'"):
        played(tmp_path, worlds=["moon"])
    assert not list(tmp_path.iterdir())


def test_a_deadline_holds_every_wait_and_what_the_scenario_says() -> None:
    timing = PROFILE.timing_at("documented")
    short = Scenario(id="TST-1/x", title="t", clauses=("LIV-1",), run=lambda world: asyncio.sleep(0))
    long = Scenario(id="TST-1/x", title="t", clauses=("LIV-1",), run=short.run, documented_s=5000)
    assert deadline_s(short, timing) > 2 * (timing.ping_wait_s + timing.grace_s + timing.recovery_deadline_s)
    assert deadline_s(long, timing) == 7500


def test_a_whole_run_says_which_clauses_only_other_worlds_show(tmp_path: Path) -> None:
    declare("TST-1/one")
    whole = asyncio.run(runner.run(options(tmp_path, select=[]), Silent())).result
    assert "LIV-16" in whole.elsewhere and "LIV-1" not in whole.elsewhere
    chosen = asyncio.run(runner.run(options(tmp_path), Silent())).result
    assert chosen.elsewhere == ()
