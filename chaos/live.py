"""What a run looks like while it goes on: one line for each SDK on a terminal, one line at times elsewhere."""

from __future__ import annotations

import time
from contextlib import AbstractContextManager
from types import TracebackType
from typing import Self

from rich.console import Console
from rich.live import Live
from rich.table import Table

from chaos.campaign import Campaign
from chaos.driver import Standing

__all__ = ["LiveView"]

PLAIN_EVERY_S = 10.0


class LiveView(AbstractContextManager["LiveView"]):
    """``with LiveView(console, campaign) as view: ... view.show(standing)``."""

    def __init__(self, console: Console, campaign: Campaign) -> None:
        self._console = console
        self._campaign = campaign
        self._said_s = 0.0
        self._phase = ""
        self._live = Live(console=console, transient=True, refresh_per_second=4) if console.is_terminal else None

    def __enter__(self) -> Self:
        if self._live is not None:
            self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live is not None:
            self._live.stop()

    def show(self, standing: Standing) -> None:
        if self._live is not None:
            self._live.update(self._table(standing))
        elif standing.phase != self._phase or time.monotonic() - self._said_s >= PLAIN_EVERY_S:
            self._phase, self._said_s = standing.phase, time.monotonic()
            self._console.print(self._line(standing), highlight=False, markup=False, soft_wrap=True)

    def _line(self, standing: Standing) -> str:
        return (
            f"{standing.seconds:5.0f} s {standing.phase}: {sum(standing.running.values())} workflows running,"
            f" {sum(standing.ended.values())} ended; {sum(standing.faults.values())} faults,"
            f" {standing.recovered} of {standing.asked} recoveries acknowledged"
        )

    def _table(self, standing: Standing) -> Table:
        table = Table(title=self._line(standing), title_justify="left", box=None, pad_edge=False)
        for name in ("sdk", "running", "ended"):
            table.add_column(name, justify="left" if name == "sdk" else "right")
        for language in self._campaign.languages:
            table.add_row(language, str(standing.running[language]), str(standing.ended[language]))
        faults = ", ".join(f"{count} {name}" for name, count in sorted(standing.faults.items()))
        table.caption = f"{faults or 'no fault yet'}; last: {standing.last or '-'}"
        table.caption_justify = "left"
        return table
