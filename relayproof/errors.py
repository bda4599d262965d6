"""What ends a command with a sentence instead of a traceback. Each class knows its exit code.

Exit codes: 0 pass, 1 fail, 2 unknown, 3 harness error, 64 wrong usage, 130 interrupted.
"""

from __future__ import annotations

USAGE = 64
HARNESS = 3
INTERRUPTED = 130


class CommandError(Exception):
    """The root. The text names the input and the way out."""

    exit_code = HARNESS


class WrongUsage(CommandError):
    """The command line asks for what can't be."""

    exit_code = USAGE


class MissingPart(CommandError):
    """The command needs what is not installed here."""

    exit_code = HARNESS


class ContradictedClaim(CommandError):
    """The profile claims what an observation contradicts."""

    exit_code = 1
