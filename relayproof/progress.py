"""What a run shows while it goes on: one line that changes on a terminal, a few plain lines elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

from scenarios.catalogue import Scenario

PLAIN_EVERY_S = 10.0
"""Between two lines where there is no terminal."""


class RunProgress(AbstractContextManager["RunProgress"]):
    """See `scenarios.runner.Progress`."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._running: dict[str, float] = {}  # when each began, on the monotonic clock
        self._planned = self._ended = 0
        self._said_s = time.monotonic()
        self._world = ""
        self._task: TaskID | None = None
        self._bar: Progress | None = None
        if console.is_terminal:
            self._bar = Progress(
                TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(),
                TextColumn("{task.fields[running]}"), console=console, transient=True,
            )  # fmt: skip

    def __enter__(self) -> Self:
        if self._bar is not None:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def planned(self, world: str, scenarios: Sequence[Scenario]) -> None:
        self._world, self._planned, self._ended = world, len(scenarios), 0
        self._running.clear()
        if self._bar is not None:
            self._task = self._bar.add_task(f"{world} world", total=len(scenarios), running="")
        else:
            number = f"{len(scenarios)} scenario" + ("" if len(scenarios) == 1 else "s")
            self._console.print(f"{world} world: {number}", highlight=False)

    def began(self, world: str, scenario: Scenario) -> None:
        self._running[scenario.id] = time.monotonic()
        self._show()

    def ended(self, world: str, scenario: Scenario, seconds: float, error: str) -> None:
        self._running.pop(scenario.id, None)
        self._ended += 1
        if error:
            last = error.strip().splitlines()[-1]
            self._console.print(
                f"harness error in {scenario.id} ({world}): {last}", style="red", highlight=False, markup=False
            )
        self._show()

    def _show(self) -> None:
        if self._bar is not None and self._task is not None:
            self._bar.update(self._task, completed=self._ended, running=self._longest())
        elif time.monotonic() - self._said_s >= PLAIN_EVERY_S:
            self._said_s = time.monotonic()
            told = f"{self._world} world: {self._ended} of {self._planned} ended"
            self._console.print(f"{told}, {self._longest()}" if self._running else told, highlight=False, markup=False)

    def _longest(self) -> str:
        """The scenario that has been running for longest, and how many are beside it."""
        if not self._running:
            return ""
        longest = min(self._running, key=lambda id: self._running[id])
        took_s, others = time.monotonic() - self._running[longest], len(self._running) - 1
        return f"{longest} for {took_s:.0f} s" + (f" and {others} more" if others else "")
