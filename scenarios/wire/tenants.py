"""Names of applications and executors that collide with nobody's: no other scenario's, no earlier run's."""

from __future__ import annotations

import asyncio
import itertools
import re
from collections import Counter

from scenarios.errors import Unsupported
from scenarios.profile import Organisation

LONGEST = 30
"""Characters of an application name (API document)."""


class Pool:
    """The applications that the profile names for a relay which can't register any; shared by a session."""

    def __init__(self) -> None:
        self._taken: set[tuple[str, str]] = set()
        self._changed = asyncio.Condition()
        self._waking: set[asyncio.Task[None]] = set()

    async def take(self, tenant: Organisation) -> str:
        """A free one; waits until a scenario gives one back."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._free(tenant) is not None)
            name = self._free(tenant)
            assert name is not None
            self._taken.add((tenant.name, name))
            return name

    def give_back(self, tenant: Organisation, name: str) -> None:
        self._taken.discard((tenant.name, name))
        task = asyncio.create_task(self._wake())
        self._waking.add(task)
        task.add_done_callback(self._waking.discard)

    def _free(self, tenant: Organisation) -> str | None:
        return next((name for name in tenant.applications if (tenant.name, name) not in self._taken), None)

    async def _wake(self) -> None:
        async with self._changed:
            self._changed.notify_all()


class Names:
    """Those of one scenario. ``prefix`` begins every name that is made here."""

    def __init__(self, scenario_id: str, run: str, pool: Pool) -> None:
        clause = re.sub(r"[^a-z0-9]+", "-", scenario_id.partition("/")[0].lower()).strip("-")[:14]
        self.prefix = f"{clause}-{run}"
        self._pool = pool
        self._numbers = itertools.count(1)
        self._held: Counter[str] = Counter()

    async def take(self, tenant: Organisation) -> str:
        """A fresh name, or one of the profile's fixed ones. Raises `Unsupported` where it names too few."""
        if not tenant.applications:
            name = f"{self.prefix}-{next(self._numbers)}"
            assert len(name) <= LONGEST, name
            return name
        if self._held[tenant.name] == len(tenant.applications):
            raise Unsupported(f"needs more applications of {tenant.name} than the profile names")
        self._held[tenant.name] += 1
        return await self._pool.take(tenant)

    def give_back(self, tenant: Organisation, name: str) -> None:
        if name in tenant.applications:
            self._pool.give_back(tenant, name)
