"""Readings that are shared, and still fresh for whoever asked."""

from __future__ import annotations

import asyncio

import pytest

from scenarios.sharing import Shared


class Source:
    """A slow reading that counts; each sees what was there when it began."""

    def __init__(self) -> None:
        self.value = self.reads = self.at_once = 0

    async def read(self) -> int:
        self.reads += 1
        self.at_once += 1
        assert self.at_once == 1, "one at a time"
        seen = self.value
        await asyncio.sleep(0.01)
        self.at_once -= 1
        return seen


def test_many_that_ask_at_once_share_and_a_late_one_gets_a_later_reading() -> None:
    async def body() -> None:
        source, shared = Source(), Shared()
        first = asyncio.create_task(shared.get("k", source.read))
        await asyncio.sleep(0.001)
        source.value = 1
        later = await asyncio.gather(*(shared.get("k", source.read) for _ in range(20)))
        assert await first == 0
        assert later == [1] * 20, "none of a reading that began before it asked"
        assert source.reads == 2

    asyncio.run(body())


def test_keys_are_apart_and_a_failure_reaches_all_but_not_the_next() -> None:
    async def fails() -> int:
        await asyncio.sleep(0)
        raise OSError("away")

    async def body() -> None:
        source, shared = Source(), Shared()
        results = await asyncio.gather(shared.get("a", fails), shared.get("a", fails), return_exceptions=True)
        assert [type(each) for each in results] == [OSError, OSError]
        assert await shared.get("a", source.read) == 0
        assert await shared.get("b", Source().read) == 0

    asyncio.run(body())


def test_one_that_gives_up_takes_nobody_with_it() -> None:
    async def body() -> None:
        source, shared = Source(), Shared()
        impatient = asyncio.create_task(shared.get("k", source.read))
        patient = asyncio.create_task(shared.get("k", source.read))
        await asyncio.sleep(0.001)
        impatient.cancel()
        with pytest.raises(asyncio.CancelledError):
            await impatient
        assert await patient == 0

    asyncio.run(body())
