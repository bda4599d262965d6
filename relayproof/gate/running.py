"""Runs the parts one after the other and makes one outcome of their exit codes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import msgspec

from evidence.verdict import RunResult
from relayproof.gate.parts import Part, folder_of
from scenarios.targets.lifetime import die_with_parent

__all__ = ["Ended", "exit_code", "run_all"]

State = Literal["passed", "failed", "unknown", "broken", "left out"]
_STATES: dict[int, State] = {0: "passed", 1: "failed", 2: "unknown"}
_SUMMARY = re.compile(r"PASS|FAIL|UNKNOWN|HARNESS|relayproof:|\d+( of \d+)? schedules, ")
"""How the line begins that says what a part came to."""
_PAGES = ("report.html", "chaos.html")  # what a part calls its page; its Markdown is beside it under the same name
_PATIENCE_S = 60.0  # after the budget's end: to heal, to judge, to write


@dataclass(frozen=True, slots=True)
class Ended:
    """``state`` of a canary: "passed" when it refuted its broken relay. ``musts``: not judged by its profile."""

    part: Part
    state: State
    code: int | None
    seconds: float
    said: str = ""  # why it is not "passed", else what it came to
    report: Path | None = None
    junit: Path | None = None
    musts: tuple[str, ...] = ()


def run_all(
    parts: Iterable[Part], folder: Path, tell: Callable[[str], None], *, musts_fail: bool
) -> Iterator[Ended]:  # fmt: skip
    """One after the other, each in a process group of its own, its output in ``<part>/output.txt``.

    Raises KeyboardInterrupt when the part that was running has ended; it is not among the results.
    """
    for part in parts:
        if not part.command:
            yield Ended(part, "left out", None, 0.0)
            tell(f"{part.name}: left out: {part.note}")
            continue
        tell(f"{part.name}: {part.line}")
        ended = _run(part, folder, musts_fail)
        tell(f"{part.name}: {ended.state} after {ended.seconds:.0f} s{': ' + ended.said if ended.said else ''}")
        yield ended


def exit_code(ended: Iterable[Ended]) -> int:
    """0 pass, 1 fail, 2 unknown, 3 harness error, in the order 1, 3, 2, 0; a green canary is a harness error."""
    states = {each.state for each in ended}
    if "failed" in states:
        return 1
    if "broken" in states or not states - {"left out"}:
        return 3
    return 2 if "unknown" in states else 0


def _run(part: Part, run: Path, musts_fail: bool) -> Ended:
    folder = folder_of(part, run)
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "relayproof", *part.command, "--results", str(folder)]
    began_s = time.monotonic()
    with (folder / "output.txt").open("wb") as output:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT, start_new_session=True,
            preexec_fn=_prepare,  # noqa: PLW1509 - two calls, no lock
        )  # fmt: skip
        code, over = _wait(process, part.budget_s)
    seconds = time.monotonic() - began_s
    report = next((path for name in _PAGES for path in folder.glob(f"*/{name}")), None)
    junit = next(iter(folder.glob("*/junit.xml")), None)
    if over:
        return Ended(
            part, "broken", code, seconds, f"not over within its budget of {part.budget_s:.0f} s", report, junit
        )
    if part.canary:
        refuted = code == 1
        said = f"the broken relay {_relay(part)} was {'' if refuted else 'not '}refuted (exit code {code})"
        return Ended(part, "passed" if refuted else "broken", code, seconds, said, report, junit)
    musts = _musts(folder)
    state = _STATES.get(code, "broken")
    said = _last_line(folder / "output.txt")
    if state == "passed" and musts and musts_fail:
        state, said = "failed", f"{len(musts)} MUST clauses not judged: {', '.join(musts)}"
    return Ended(part, state, code, seconds, said, report, junit, musts)


def _prepare() -> None:
    """Before the part runs: it ends with the gate, and hears Ctrl-C even where whoever started the gate does not."""
    die_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _wait(process: subprocess.Popen[bytes], budget_s: float) -> tuple[int, bool]:
    """The exit code, and whether the budget was exceeded: then Ctrl-C first, so that what was found is kept."""
    try:
        return process.wait(budget_s), False
    except subprocess.TimeoutExpired:
        pass
    except KeyboardInterrupt:
        process.send_signal(signal.SIGINT)
        _end(process)
        raise
    process.send_signal(signal.SIGINT)
    return _end(process), True


def _end(process: subprocess.Popen[bytes]) -> int:
    try:
        return process.wait(_PATIENCE_S)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        return process.wait()


def _musts(folder: Path) -> tuple[str, ...]:
    for path in folder.glob("*/verdicts.json"):
        return msgspec.json.decode(path.read_bytes(), type=RunResult).musts_not_judged
    return ()


def _relay(part: Part) -> str:
    return part.command[part.command.index("--relay") + 1]


def _last_line(output: Path) -> str:
    lines = [line for line in output.read_text(errors="replace").splitlines() if line.strip()]
    wanted = [line for line in lines if _SUMMARY.match(line)]
    return (wanted or lines or ["it said nothing"])[-1].strip()
