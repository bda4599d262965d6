"""``relayproof probe``: what a relay's timing is, by observation, beside what its profile says."""

from __future__ import annotations

import asyncio
import math
import random
from typing import Literal

from rich.console import Console
from rich.table import Table

from relayproof import before_run
from relayproof.relays import resolve
from scenarios import preflight, worlds
from scenarios.probing import Measured, longest_s
from scenarios.probing import probe as measure
from scenarios.targets.scratch import Scratch
from scenarios.worlds import SessionOptions


def probe(*, relay: str, timing: Literal["fast", "documented"] = "fast") -> int:
    """Estimate ping interval, ping wait and its reading, grace and backoff; look for what is declared absent.

    Exit code 0: all fits the profile. 1: a figure does not, or a claim of "unsupported" is contradicted.

    Parameters
    ----------
    relay
        As for conform.
    timing
        fast: a builtin's short figures, or another relay's own with the least grace period. documented: as it is.
    """
    profile = resolve(relay)
    console = Console(stderr=True)
    for warning in preflight.warnings(profile):
        console.print(f"{relay}: {warning}", style="yellow", highlight=False, markup=False)
    asyncio.run(before_run.look(profile, timing, ("wire",), relay))
    expected = profile.timing_at(timing)
    minutes = math.ceil(longest_s(expected.names()) / 60)
    console.print(f"observing {profile.name}: usually some ping waits and grace periods, at most {minutes} min")
    with Scratch("probe") as scratch:
        options = SessionOptions(
            profile=profile, timing=expected, seed=random.SystemRandom().randrange(2**31), folder=scratch.path
        )
        figures = asyncio.run(_observe(options))
    _show(figures, profile.name, expected.slack_s + expected.scan_s)
    fitting = [figure.fits(expected.slack_s + expected.scan_s) for figure in figures]
    return 1 if False in fitting else 0


async def _observe(options: SessionOptions) -> list[Measured]:
    async with worlds.factory("wire")(options) as session:
        return await measure(session, options.timing.names())


def _show(figures: list[Measured], relay: str, slack_s: float) -> None:
    table = Table("figure", "profile", "observed", "fits", "reading", title=relay, title_justify="left")
    for figure in figures:
        observed = "not seen" if figure.low_s is None else f"{figure.low_s:.3f} - {figure.high_s:.3f} s"
        fits = {True: "yes", False: "NO", None: "-"}[figure.fits(slack_s)]
        table.add_row(figure.name, f"{figure.documented_s:g} s", observed, fits, figure.note)
    Console().print(table)
