"""Coroutines on the clock: waiting, joining, failing, cancelling."""

from __future__ import annotations

import pytest

from simulator.clock import Clock
from simulator.tasks import Task, gather, wait


async def _sleep(clock: Clock, delay_ns: int, value: str) -> str:
    return str(await wait(clock.timeout(delay_ns, value)))


async def _fail(clock: Clock, delay_ns: int) -> None:
    await wait(clock.timeout(delay_ns))
    raise ValueError("broken")


def test_a_task_gives_what_its_coroutine_returns() -> None:
    clock = Clock()
    task = Task(clock, _sleep(clock, 5, "done"))
    assert clock.run(until=task.done) == "done"
    assert clock.now_ns == 5


def test_joining_a_task_that_is_over_gives_its_value_at_once() -> None:
    clock = Clock()

    async def joins() -> tuple[str, int]:
        task = Task(clock, _sleep(clock, 1, "early"))
        await wait(clock.timeout(9))
        return await task, clock.now_ns

    assert clock.run(until=Task(clock, joins()).done) == ("early", 9)


def test_a_failure_belongs_to_whoever_joins() -> None:
    clock = Clock()

    async def joins() -> str:
        task = Task(clock, _fail(clock, 1))
        await wait(clock.timeout(9))
        with pytest.raises(ValueError, match="broken"):
            await task
        return "went on"

    assert clock.run(until=Task(clock, joins()).done) == "went on"


def test_a_failure_that_nobody_joins_stays_visible() -> None:
    clock = Clock()
    task = Task(clock, _fail(clock, 1))
    clock.run()
    assert isinstance(task.failure, ValueError)
    assert not task.joined


def test_gather_keeps_the_order_and_raises_the_first_failure_at_once() -> None:
    clock = Clock()

    async def both() -> list[str]:
        return await gather(clock, [Task(clock, _sleep(clock, 9, "slow")), Task(clock, _sleep(clock, 1, "fast"))])

    assert clock.run(until=Task(clock, both()).done) == ["slow", "fast"]

    async def failing() -> int:
        with pytest.raises(ValueError, match="broken"):
            await gather(clock, [Task(clock, _sleep(clock, 50, "slow")), Task(clock, _fail(clock, 1))])
        return clock.now_ns

    assert clock.run(until=Task(clock, failing()).done) == 10


def test_a_cancelled_task_runs_its_finally_blocks() -> None:
    clock = Clock()
    seen: list[str] = []

    async def held() -> None:
        try:
            await wait(clock.event())
        finally:
            seen.append("cleaned up")

    task = Task(clock, held())
    clock.run()
    task.cancel()
    assert seen == ["cleaned up"]
