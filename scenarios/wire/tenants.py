"""Names of applications and executors that collide with nobody's: no other scenario's, no earlier run's."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter, deque

from scenarios.errors import Unsupported
from scenarios.profile import Organisation

LONGEST = 30
"""Characters of an application name (API document)."""


class Pool:
    """The applications that the profile names for a relay which can't register any; shared by a session."""

    def __init__(self) -> None:
        self._free: dict[str, deque[str]] = {}
        self._changed = asyncio.Condition()
        self._waking: set[asyncio.Task[None]] = set()

    async def take(self, tenant: Organisation) -> str:
        """The one that has rested longest; waits until a scenario gives one back."""
        free = self._free.setdefault(tenant.name, deque(tenant.applications))
        async with self._changed:
            await self._changed.wait_for(lambda: free)
            return free.popleft()

    def give_back(self, tenant: Organisation, name: str) -> None:
        self._free[tenant.name].append(name)
        task = asyncio.create_task(self._wake())
        self._waking.add(task)
        task.add_done_callback(self._waking.discard)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()


class Names:
    """Those of one scenario. ``prefix`` begins every name that is made here; `held` are to be given back."""

    def __init__(self, scenario_id: str, run: str, pool: Pool) -> None:
        clause = re.sub(r"[^a-z0-9]+", "-", scenario_id.partition("/")[0].lower()).strip("-")[:14]
        self.prefix = f"{clause}-{run}"
        self._pool = pool
        self._numbers = itertools.count(1)
        self._held: Counter[str] = Counter()
        self.held: list[tuple[Organisation, str]] = []

    def fresh(self) -> str:
        """A name that nobody has registered."""
        name = f"{self.prefix}-{next(self._numbers)}"
        assert len(name) <= LONGEST, name
        return name

    async def take(self, tenant: Organisation) -> str:
        """A fresh name, or one of the profile's fixed ones. Raises `Unsupported` where it names too few."""
        if not tenant.applications:
            return self.fresh()
        if self._held[tenant.name] == len(tenant.applications):
            raise Unsupported(f"needs more applications of {tenant.name} than the profile names")
        self._held[tenant.name] += 1
        name = await self._pool.take(tenant)
        self.held.append((tenant, name))
        return name
