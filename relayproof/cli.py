"""The command line. A command is one module of `relayproof.commands`, imported only when it is asked for.

To add one: write ``relayproof/commands/<module>.py`` with a function, and name it in `COMMANDS`.
"""

from __future__ import annotations

import errno
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from difflib import get_close_matches
from io import TextIOWrapper
from types import FrameType

from cyclopts import App, CycloptsError

from conductor.errors import ConductorError
from evidence.errors import EvidenceError
from relayproof.errors import HARNESS, INTERRUPTED, USAGE, CommandError
from scenarios.errors import ScenarioError, UsageError
from spec import SpecError

_NOT_WRITTEN = (errno.ENOSPC, errno.EDQUOT, errno.EIO)
COMMANDS = {
    "conform": ("conform:conform", "Prove a relay clause by clause."),
    "list": ("listing:list_scenarios", "List the scenarios."),
    "explain": ("listing:explain", "Tell what a scenario or a clause demands."),
    "probe": ("probe:probe", "Measure a relay's timing, documented beside observed."),
    "recheck": ("recheck:recheck", "Judge a stored run again, from its files alone."),
    "report": ("report:report", "Write the reports of a stored run again."),
    "serve": ("serve:serve", "Run the reference relay."),
    "schema": ("schema:schema", "Print JSON Schema of the messages, of a history or of a run's files."),
    "load": ("load:load", "Load a relay with executors and API clients."),
    "explore": ("explore:explore", "Visit every state of the relay's core within small bounds."),
    "bench": ("bench:bench", "Measure the reference relay beside a bare server."),
    "gate": ("gate:gate", "Tell whether a change to a relay may land: conformance, search and chaos in one."),
    "study": ("study:study", "Answer questions about timing with tables and charts."),
    "sweep": ("sweep:sweep", "Run a long job as durable workflows that survive a kill."),
    "sweep-worker": ("sweep:sweep_worker", "Compute shards of sweeps."),
    "chaos": ("chaos:app", "Kill, pause and cut off real SDKs on a relay; every workflow must end once."),
    "matrix": ("matrix:app", "Measure what SDK versions do with each message and each misbehaviour of a relay."),
    "simulate": ("simulate:simulate", "Look for schedules of faults that break a relay's core, in virtual time."),
    "replay": ("replay:replay", "Play one schedule again, with a drawn time line."),
    "killmatrix": ("killmatrix:killmatrix", "Play the scenarios against relays with one defect each."),
    "operations": ("operations:operations", "Write which scenarios and defects belong to each operation."),
}
"""Name on the command line -> module and function below `relayproof.commands`, and what it is for."""


def build() -> App:
    """The application with every command, none of them imported yet."""
    app = App(
        name="relayproof",
        help="Prove or refute, for any DBOS Conductor relay, that every started workflow ends exactly once.",
        version_flags=["--version"],
        suppress_keyboard_interrupt=False,  # it is told below, with its exit code
    )
    for name, (place, purpose) in COMMANDS.items():
        app.command(f"relayproof.commands.{place}", name=name, help=purpose)
    return app


def run(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code: 0 pass, 1 fail, 2 unknown, 3 harness error, 64 wrong usage."""
    command = next(iter(arguments), "--help")
    if not command.startswith("-") and command not in COMMANDS:
        near = get_close_matches(command, COMMANDS, n=1)
        hint = f"did you mean {near[0]}?" if near else f"there are {', '.join(COMMANDS)}"
        return _refuse(f"there is no command {command!r}; {hint}", USAGE)
    try:
        result = build()(
            list(arguments), exit_on_error=False, print_error=False, result_action="return_value", help_on_error=False
        )
    except CycloptsError as problem:
        return _refuse(f"{problem}\nsee: relayproof --help", USAGE)
    except CommandError as problem:
        return _refuse(str(problem), problem.exit_code)
    except UsageError as problem:
        return _refuse(str(problem), USAGE)
    except (ScenarioError, EvidenceError, ConductorError, SpecError) as problem:
        return _refuse(str(problem), HARNESS)
    except (FileExistsError, NotADirectoryError, PermissionError) as problem:
        return _refuse(f"{problem.filename}: {problem.strerror}; --results takes a folder that can be written", USAGE)
    except KeyboardInterrupt:
        return _refuse("interrupted", INTERRUPTED)
    return result if isinstance(result, int) else 0


def main() -> None:
    """The entry point ``relayproof``."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):  # a terminal that can't show a character is no failure of a relay
            stream.reconfigure(errors="replace")
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminated)
    try:
        code = run(sys.argv[1:])
        if sys.stdout is not None:  # closed by who started this
            sys.stdout.flush()
    except BrokenPipeError:  # the reader of a pipe has had enough, as in `relayproof list | head`
        _say_no_more()
        code = 0
    except Exception as problem:  # noqa: BLE001 - it is the suite's own fault and must not look like the relay's
        if _is_about_the_output(problem):
            _say_no_more()
            code = _refuse(f"the output can't be written ({problem}): make room, or send it elsewhere", HARNESS)
        else:
            traceback.print_exc()
            code = _refuse("an error of relayproof itself (above): please report it", HARNESS)
    sys.exit(code)


def _terminated(number: int, frame: FrameType | None) -> None:
    """SIGTERM ends a command as Ctrl-C does: nothing that it started stays behind."""
    if signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, signal.SIG_DFL):  # started in the background of a script
        raise KeyboardInterrupt
    signal.raise_signal(signal.SIGINT)


def _is_about_the_output(problem: Exception) -> bool:
    """As of a full disk. One about any other file has the name of that."""
    return isinstance(problem, OSError) and problem.filename is None and problem.errno in _NOT_WRITTEN


def _say_no_more() -> None:
    """What is still in the buffer of stdout goes nowhere, so that it fails no more at the end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(sentence: str, code: int) -> int:
    print(f"relayproof: {sentence}", file=sys.stderr)
    return code
