"""One poller per application asks the relay's list of executors: seldom by default, closely when something is due."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping

from conductor.timing import Timing
from evidence.events import Seen
from scenarios.errors import ControlError
from scenarios.wire.executor import WireExecutor
from scenarios.world import App, Control

QUICK_S = 0.03
IDLE_S = 0.5
"""At most this between two polls, whoever waits."""


class Poller:
    """``looked`` is called after each answer. `seen` is the newest list by executor id, asked at ``asked_ns``."""

    def __init__(
        self,
        app: App,
        control: Control,
        timing: Timing,
        *,
        now_ns: Callable[[], int],
        executors: Callable[[], Iterable[WireExecutor]],
        looked: Callable[[], None],
    ) -> None:
        self.seen: Mapping[str, Seen] | None = None
        self.asked_ns = -1
        self._app = app
        self._control = control
        self._timing = timing
        self._now_ns = now_ns
        self._executors = executors
        self._looked = looked
        self._waiters: list[WireExecutor] = []
        self._hurry = asyncio.Event()

    def status(self, executor_id: str) -> str:
        """As the newest list shows it; "GONE" without a record, "" before the first list."""
        if self.seen is None:
            return ""
        record = self.seen.get(executor_id)
        return "GONE" if record is None else record.status

    def attend(self, executor: WireExecutor) -> None:
        """Somebody waits for this one: its windows decide how closely to look."""
        self._waiters.append(executor)
        self._hurry.set()

    def release(self, executor: WireExecutor) -> None:
        self._waiters.remove(executor)

    def look_now(self) -> None:
        self._hurry.set()

    async def run(self) -> None:
        """Until cancelled."""
        while True:
            self._hurry.clear()
            await self._look()
            try:
                async with asyncio.timeout(self._pause_s()):
                    await self._hurry.wait()
            except TimeoutError:
                continue
            await asyncio.sleep(QUICK_S)  # a burst of new waiters is one reason to look, not many

    async def _look(self) -> None:
        asked_ns = self._now_ns()
        try:
            listed = await self._control.executors(self._app)
        except ControlError:
            return  # recorded as a poll that says nothing: the relay is away
        now_ns = self._now_ns()
        self.asked_ns = asked_ns
        self.seen = {record.executor: record for record in listed}
        for executor in self._executors():
            executor.windows.seen(self.status(executor.id), now_ns)
        self._looked()

    def _pause_s(self) -> float:
        usual_s = min(self._timing.ping_interval_s / 2 if self._waiters else IDLE_S, IDLE_S)
        now_ns = self._now_ns()
        for executor in self._waiters:
            if executor.windows.boundary_near(now_ns, self._timing, self._app.grace_s):
                return QUICK_S
            edge_s = executor.windows.next_edge_s(now_ns, self._timing, self._app.grace_s)
            if edge_s is not None:
                usual_s = min(usual_s, edge_s)
        return max(usual_s, QUICK_S)
