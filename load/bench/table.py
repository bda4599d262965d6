"""The run in words: a header that says what ran where, and a table a measure."""

from __future__ import annotations

import os
import platform
from collections.abc import Mapping, Sequence
from importlib.metadata import version

from load.bench.rounds import NOISE, Line, Outcome, Verdict
from load.bench.stage import AGAIN, REFERENCE, RELAY, Pins

LIBRARIES = ("uvloop", "picows", "websockets", "uvicorn", "msgspec", "immutables")
MALLOC = ("MALLOC_ARENA_MAX", "MALLOC_MMAP_THRESHOLD_", "MALLOC_TRIM_THRESHOLD_", "PYTHONMALLOC")
WIDE = 48


def header(pinned: Pins) -> list[str]:
    """Processors, interpreter, loop, libraries, malloc settings, compression, how busy the machine was."""
    cores = len(os.sched_getaffinity(0))
    where = "unpinned" if pinned.server is None else f"server on cpu {pinned.server}, client on cpu {pinned.client}"
    malloc = [f"{name}={os.environ[name]}" for name in MALLOC if name in os.environ]
    return [
        f"{cores} cores ({where}), load average {os.getloadavg()[0]:.1f} at the start, {platform.machine()}",
        f"{platform.python_implementation()} {platform.python_version()}, loop uvloop, "
        f"malloc {' '.join(malloc) or 'as it comes'}, no TLS, compression off",
        ", ".join(f"{name} {version(name)}" for name in LIBRARIES),
        "CPU is the scheduler's on-CPU time of the whole server; a closed loop on loopback; ratios are of medians",
    ]


def table(outcome: Outcome) -> list[str]:
    """One measure, in the lines of a terminal."""
    measure = outcome.measure
    title = f"{measure.title}, {outcome.rounds} round{'s' if outcome.rounds > 1 else ''}"
    rows = [f"{title:<{WIDE}} {f'{measure.unit} (min-max)':<24} {'x reference':>11}  {'goal':<9} {'ops/s (wall)':>12}"]
    for line in outcome.lines:
        figures = f"{line.median:.1f} ({line.lowest:.1f}-{line.highest:.1f})"
        goal, verdict = _goal(line, outcome)
        rate = f"{line.rate:,.0f}" if line.rate else "-"
        rows.append(f"{line.side:<{WIDE}} {figures:<24} {line.ratio:>11.2f}  {goal:<9} {rate:>12}  {verdict}".rstrip())
    sides = {line.side: line.counts for line in outcome.lines}
    for name, value in sides[RELAY.name].items():
        rows.append(f"  {name}: relay {value:.2f}, reference {sides[REFERENCE.name][name]:.2f}")
    return rows


def _goal(line: Line, outcome: Outcome) -> tuple[str, str]:
    if line.side == AGAIN.name:
        return f"{1 - NOISE:.2f}-{1 + NOISE:.2f}", str(outcome.verdict) if outcome.verdict is Verdict.TOO_NOISY else ""
    if line.side == RELAY.name:
        return f"<= {outcome.measure.goal}", "" if outcome.verdict is Verdict.TOO_NOISY else str(outcome.verdict)
    return "-", ""


def text(head: Sequence[str], outcomes: Sequence[Outcome], syscalls: Mapping[str, float | None]) -> str:
    """The whole report. ``syscalls``: by side, system calls per dispatch, None where they were not counted."""
    lines = list(head)
    for outcome in outcomes:
        lines += ["", *table(outcome)]
    shown = {side: "not counted (no strace)" if calls is None else f"{calls:.2f}" for side, calls in syscalls.items()}
    lines += ["", "system calls per dispatch, saturated: " + ", ".join(f"{side} {s}" for side, s in shown.items())]
    return "\n".join(lines) + "\n"
