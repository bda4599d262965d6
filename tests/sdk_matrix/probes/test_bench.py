"""How reactions are told apart, on a worker that does one thing of each kind."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from sdk_matrix.contract import Stop, Stopped
from sdk_matrix.languages.base import Worker
from sdk_matrix.probes.bench import Bench, Executor, ProbeFailed
from sdk_matrix.probes.frames import redial_s
from sdk_matrix.probes.outcome import react
from sdk_matrix.probes.relay import ScriptedRelay

FAKE = Path(__file__).with_name("fake_worker.py")


def on_a_bench(folder: Path, story: Callable[[Bench], Awaitable[None]], *command: str) -> None:
    """With the fake worker, or another command instead of it."""
    program = command or (sys.executable, str(FAKE))
    worker = Worker("python", program, ("postgresql",), False, lambda: None)

    async def told() -> None:
        async with ScriptedRelay() as relay:
            bench = Bench(worker, relay, "postgresql://", "postgresql://", folder, "w")
            try:
                await story(bench)
            finally:
                await bench.clear()

    asyncio.run(told())


def with_executor(folder: Path, story: Callable[[Executor], Awaitable[None]]) -> None:
    async def told(bench: Bench) -> None:
        async with bench.executor() as executor:
            await story(executor)

    on_a_bench(folder, told)


@pytest.mark.parametrize(
    ("message", "value", "detail"),
    [
        ({"type": "executor_info"}, "answered", ""),
        ({"type": "executor_info", "request_id": 7}, "answered", ""),
        ({"type": "list_workflows", "request_id": "r"}, "error", "ValueError: no"),
        ({"type": "brand_new", "request_id": "r"}, "unknown type", "Unknown message type"),
        ({"type": "alert", "request_id": "r"}, "no answer", ""),
        ({"type": "retention", "request_id": "r"}, "answered", ""),  # after what is sent behind it
        ({"type": "cancel", "request_id": "r"}, "closes 1011", ""),
        ({"type": "resume", "request_id": "r"}, "drops TCP", ""),
        ("{", "process exits 1", ""),
    ],
)
def test_each_reaction_has_its_value_and_its_frames(
    tmp_path: Path, message: dict[str, Any] | str, value: str, detail: str
) -> None:
    async def story(executor: Executor) -> None:
        reaction = await react(executor, message)
        assert (reaction.value, reaction.detail) == (value, detail)
        assert (reaction.frames[0].by, reaction.frames[0].kind) == ("relay", "text")

    with_executor(tmp_path, story)


def test_the_delay_to_the_next_dial_runs_from_the_end_of_the_connection(tmp_path: Path) -> None:
    async def story(executor: Executor) -> None:
        (await executor.link()).reset()
        assert await redial_s(executor, 1) > 0.1  # it sleeps for 0.2 s

    with_executor(tmp_path, story)


def test_commands_have_answers_and_an_end_its_code(tmp_path: Path) -> None:
    async def story(executor: Executor) -> None:
        assert isinstance(await executor.ask(Stop()), Stopped)
        assert await executor.exited(0.2) is None
        await executor.kill()
        assert await executor.exited(10.0) == -9

    with_executor(tmp_path, story)


def test_a_worker_that_ends_at_once_is_told_with_its_log(tmp_path: Path) -> None:
    async def story(bench: Bench) -> None:
        with pytest.raises(ProbeFailed, match="out of order"):
            await bench.start()

    on_a_bench(tmp_path, story, sys.executable, "-c", "import sys; sys.exit('out of order')")
