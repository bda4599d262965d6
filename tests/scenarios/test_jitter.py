"""How late the host was is in a history to its very end."""

from __future__ import annotations

import asyncio
import time
from types import SimpleNamespace
from typing import Any

from scenarios.wire.jitter import JitterMonitor


def test_a_stall_that_ends_with_the_scenario_is_told() -> None:
    """As of a suite that was stopped and continued: what waited goes on before the monitor has woken up."""
    target: Any = SimpleNamespace(instance="shared", waited_ns=lambda: 0)
    told: list[int] = []

    async def main() -> None:
        monitor = JitterMonitor()
        running = asyncio.create_task(monitor.run())
        monitor.listen(target, told.append)
        await asyncio.sleep(0.03)
        time.sleep(0.3)  # noqa: ASYNC251 - the stall itself
        monitor.forget(target, told.append)
        running.cancel()

    asyncio.run(main())
    assert max(told) >= 250_000_000
