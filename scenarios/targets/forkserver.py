"""``python -m scenarios.targets.forkserver FD PRELOAD...``: what ``python -m MODULE`` runs, imported once for all.

A run starts tens of relays, the kill matrix thousands, and the imports are nine tenths of a start. This process
imports them once; then each request makes a child that goes on where `python -m` would: another process, with a
session, an environment and files of its own. It reads requests from the socket ``FD``, one a packet, and ends, with
all its children, when the other side of that socket is gone.

A request is `Start` as MessagePack with three files: stdout, stderr, and the socket that hears what becomes of the
child: ``pid N``, later ``status N`` (negative: the number of the signal that ended it), a line each. Nothing is said
where there can be no child. A child that nobody listens to any more is killed with its group. Linux only.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pkgutil
import runpy
import select
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import NoReturn

import msgspec

from scenarios.targets.lifetime import die_with_parent

LONGEST = 1 << 18
"""Bytes of a request; an environment is the most of it."""
_FILES = 3


class Start(msgspec.Struct, frozen=True):
    """Run ``module`` with these arguments and nothing but this environment: bytes, which need not be UTF-8."""

    module: str
    arguments: Sequence[bytes]
    environment: Mapping[bytes, bytes]


def serve(requests: socket.socket, preload: Sequence[str]) -> None:
    """Until the other side of ``requests`` is gone. ``preload``: modules; ``package.*`` means all below it."""
    for name in preload:
        _load(name)
    gc.collect()
    gc.freeze()  # a child that looks at what was imported would copy it
    listeners: dict[int, int] = {}  # process id -> the socket that hears of it
    wake, woken = os.pipe()
    os.set_blocking(wake, False)
    os.set_blocking(woken, False)
    signal.signal(signal.SIGCHLD, _ignore)
    signal.set_wakeup_fd(woken, warn_on_full_buffer=False)
    poll = select.poll()
    poll.register(wake, select.POLLIN)
    poll.register(requests, select.POLLIN)
    try:
        while True:
            ready = dict(poll.poll())
            if wake in ready:
                os.read(wake, 4096)
                _reap(listeners, poll)
            for child, listener in listeners.items():
                if listener in ready:  # nothing is ever written there: nobody listens
                    poll.unregister(listener)
                    _kill(child)
            if requests.fileno() in ready:
                packet, files, _, _ = socket.recv_fds(requests, LONGEST, _FILES)
                if not packet:
                    return
                _begin(msgspec.msgpack.decode(packet, type=Start), files, listeners, poll)
    finally:
        for child in listeners:
            _kill(child)


def _kill(child: int) -> None:
    for kill in (os.killpg, os.kill):  # one that has just begun leads no group yet
        with contextlib.suppress(ProcessLookupError):
            kill(child, signal.SIGKILL)


def _load(name: str) -> None:
    package, star, _ = name.partition(".*")
    module = importlib.import_module(package)
    if star:
        for each in pkgutil.walk_packages(module.__path__, prefix=f"{package}."):
            importlib.import_module(each.name)


def _begin(start: Start, files: Sequence[int], listeners: dict[int, int], poll: select.poll) -> None:
    if len(files) < _FILES or (child := _forked()) is None:  # no more descriptors, no more processes: not this one
        for each in files:
            os.close(each)
        return
    out, err, listener = files
    if child == 0:
        _become(start, out, err, listener)
    listeners[child] = listener
    poll.register(listener, 0)  # a hang-up is told all the same
    os.close(out)
    os.close(err)


def _forked() -> int | None:
    with contextlib.suppress(OSError):
        return os.fork()
    return None


def _become(start: Start, out: int, err: int, listener: int) -> NoReturn:
    """In the child."""
    status = 1
    try:
        os.setsid()
        die_with_parent()
        _tell(listener, f"pid {os.getpid()}\n")  # not before it leads a group, which may be killed from now on
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        os.dup2(out, 1)
        os.dup2(err, 2)
        os.closerange(3, max(int(each.name) for each in Path("/proc/self/fd").iterdir()) + 1)
        os.environ.clear()
        os.environb.update(start.environment)
        sys.argv = [start.module, *map(os.fsdecode, start.arguments)]
        runpy.run_module(start.module, run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as end:
        status = end.code if isinstance(end.code, int) else int(end.code is not None)
        if not isinstance(end.code, int | None):
            print(end.code, file=sys.stderr)
    except BaseException:  # noqa: BLE001 - what python itself would print
        sys.excepthook(*sys.exc_info())
    finally:
        with contextlib.suppress(OSError, ValueError):
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(status)


def _reap(listeners: dict[int, int], poll: select.poll) -> None:
    while True:
        try:
            child, status = os.waitpid(-1, os.WNOHANG)
        except ChildProcessError:
            return
        if child == 0:
            return
        if (listener := listeners.pop(child, None)) is not None:
            _tell(listener, f"status {os.waitstatus_to_exitcode(status)}\n")
            with contextlib.suppress(KeyError):  # nobody listens any more
                poll.unregister(listener)
            os.close(listener)


def _tell(listener: int, line: str) -> None:
    with contextlib.suppress(OSError):  # nobody listens any more
        os.write(listener, line.encode())


def _ignore(number: int, frame: FrameType | None) -> None:
    """A handler there must be, so that the signal writes to the wakeup descriptor."""


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])), sys.argv[2:])
