"""Finding every process of a relay, also one that left the relay's process group (a daemon, ``setsid``).

What a process starts inherits its environment, so a mark there is on all of them. Linux only (``/proc``); elsewhere,
and for a process that empties its environment, the process group is all that is known.
"""

from __future__ import annotations

import contextlib
import os
import signal
import uuid
from pathlib import Path

NAME = "RELAYPROOF_RELAY"
"""The environment variable that holds the mark."""
_ROUNDS = 20
"""A process may have forked between being seen and being killed."""


def fresh() -> str:
    return uuid.uuid4().hex


def marked(mark: str) -> list[int]:
    """The processes with this mark that can still run anything. Of an empty mark there are none."""
    if not mark:
        return []
    wanted, found = f"{NAME}={mark}".encode(), []
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):  # ended, or another user's
            if wanted in (entry / "environ").read_bytes().split(b"\0"):  # a zombie has none
                found.append(int(entry.name))
    return found


def signal_all(mark: str, number: signal.Signals) -> bool:
    """Returns whether there was any."""
    found = marked(mark)
    for pid in found:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, number)
    return bool(found)


def kill_all(mark: str) -> None:
    """SIGKILL, until nobody with the mark is left."""
    for _ in range(_ROUNDS):
        if not signal_all(mark, signal.SIGKILL):
            return
