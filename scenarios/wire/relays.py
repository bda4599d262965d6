"""Lends relays to scenarios: one shared by all, and instances for those that may stop or starve theirs."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from scenarios import targets
from scenarios.catalogue import Scenario
from scenarios.targets import Target
from scenarios.targets.ready import wait_until_ready
from scenarios.worlds import SessionOptions

OWN_INSTANCES = 4
"""How many may run beside the shared one: each is a process that competes for the same processors."""
OWN_INSTANCES_WAITING = 16
"""The same at long timing, where they do little but wait."""
LONG_GRACE_S = 20.0
FIT_WITHIN_S = 1.0
"""An instance that answers this soon after its scenario may serve the next one."""


class Relays:
    """`lend` gives a relay and whether the scenario has it alone; `close` leaves none running."""

    def __init__(self, options: SessionOptions) -> None:
        self._options = options
        self._one_for_all = options.profile.relay.target.startswith("url:")
        self._shared: Target | None = None
        self._starting = asyncio.Lock()
        self._instances = asyncio.Semaphore(
            OWN_INSTANCES_WAITING if options.timing.grace_s >= LONG_GRACE_S else OWN_INSTANCES
        )
        self._free: list[Target] = []
        self._numbers = itertools.count(1)
        self._quiet = Quiet()

    @asynccontextmanager
    async def lend(self, scenario: Scenario) -> AsyncIterator[tuple[Target, bool]]:
        """Raises `TargetError` when it does not start."""
        if scenario.disturbs and not self._one_for_all:
            async with self._instances:
                target = await self._own()
                try:
                    yield target, True
                finally:
                    await asyncio.shield(self._take_back(target))
        elif scenario.disturbs:
            async with self._quiet.exclusive():
                yield await self._common(), True
        else:
            async with self._quiet.shared():
                yield await self._common(), False

    async def close(self) -> None:
        for target in self._free:
            await target.close()
        if self._shared is not None:
            await self._shared.close()

    async def _common(self) -> Target:
        async with self._starting:
            if self._shared is None:
                self._shared = self._make("shared")
                await self._shared.start()
            return self._shared

    async def _own(self) -> Target:
        if self._free:
            return self._free.pop()
        target = self._make(f"own-{next(self._numbers)}")
        try:
            await target.start()
        except BaseException:
            await asyncio.shield(target.close())
            raise
        return target

    async def _take_back(self, target: Target) -> None:
        """A start costs a second of processor time: one that is as good as new is lent again.

        It isn't where the profile names the applications: the last scenario's executors are in them.
        """
        if any(tenant.applications for tenant in target.tenants):
            await target.close()
            return
        try:
            async with asyncio.timeout(FIT_WITHIN_S):
                await wait_until_ready(target.url)
        except TimeoutError:
            await target.close()
        else:
            self._free.append(target)

    def _make(self, instance: str) -> Target:
        return targets.make(self._options.profile, self._options.timing, self._options.folder, instance)


class Quiet:
    """Many at once, or one alone. The one waits until nobody is there, and newcomers wait for it."""

    def __init__(self) -> None:
        self._there = 0
        self._changed = asyncio.Condition()
        self._turn = asyncio.Lock()

    @asynccontextmanager
    async def shared(self) -> AsyncIterator[None]:
        async with self._turn:
            self._there += 1
        try:
            yield
        finally:
            self._there -= 1
            async with self._changed:
                self._changed.notify_all()

    @asynccontextmanager
    async def exclusive(self) -> AsyncIterator[None]:
        async with self._turn, self._changed:
            await self._changed.wait_for(lambda: self._there == 0)
            yield
