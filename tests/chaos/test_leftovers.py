"""Ctrl-C in the middle of a run: it heals, judges what was done, and leaves no process and no folder behind."""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from chaos import report
from relayproof.errors import INTERRUPTED

pytestmark = [pytest.mark.real, pytest.mark.slow]  # a relay, two PostgreSQL servers and real SDKs
pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")

_PATIENCE_S = 90.0
_MARK = "RELAYPROOF_TEST_RUN"


class Terminal:
    """``relayproof chaos`` as somebody's terminal runs it. All that it starts inherits a mark in its environment."""

    def __init__(self, folder: Path, faults: str) -> None:
        self.results = folder / "results"
        self.temporary = Path(tempfile.mkdtemp(prefix="ctrl-c-", dir="/tmp"))  # short enough for paths of sockets
        self._said = folder / "said"
        self._mark = secrets.token_hex(8)
        command = (
            sys.executable, "-m", "relayproof", "chaos", "--executors", "2", "--faults", faults,
            "--duration", "10m", "--seed", "3", "--results", str(self.results),
        )  # fmt: skip
        environment = {**os.environ, _MARK: self._mark, "TMPDIR": str(self.temporary)}
        with self._said.open("wb") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True, env=environment)

    @property
    def text(self) -> str:
        return self._said.read_text(errors="replace")

    def until(self, what: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + _PATIENCE_S
        while not what():
            assert time.monotonic() < deadline_s, self.text
            time.sleep(0.1)

    def interrupt(self) -> None:
        self.process.send_signal(signal.SIGINT)

    def processes(self) -> dict[int, str]:
        """Command lines of whatever has the mark, by process; the dead do not count."""
        found = {}
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                if self._mark.encode() in (place / "environ").read_bytes():
                    found[int(place.name)] = (place / "cmdline").read_bytes().replace(b"\0", b" ").decode()
        return found

    def close(self) -> None:
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.process.wait()
        shutil.rmtree(self.temporary, ignore_errors=True)


@pytest.fixture
def terminal(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Terminal]:
    made = Terminal(tmp_path, request.param)
    yield made
    made.close()


def at_work(terminal: Terminal) -> bool:
    """A line of the running chaos that counts ended workflows."""
    return bool(re.search(r"chaos: \d+ workflows running, [1-9]", terminal.text))


def clusters(terminal: Terminal) -> dict[int, Path]:
    """The PostgreSQL servers that it runs, which have an environment of their own, and their folders."""
    found = {}
    children = Path(f"/proc/{terminal.process.pid}/task/{terminal.process.pid}/children").read_text()
    for pid in map(int, children.split()):
        line = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode()
        if (folder := re.search(r"postgres .*-D (\S+)", line)) is not None:
            found[pid] = Path(folder[1])
    return found


def left(terminal: Terminal, servers: Mapping[int, Path]) -> list[object]:
    """Processes, servers and folders that are still there."""
    return [
        *terminal.processes().items(), *terminal.temporary.iterdir(),
        *(pid for pid in servers if Path(f"/proc/{pid}").exists()),
        *(folder for folder in servers.values() if folder.exists()),
    ]  # fmt: skip


@pytest.mark.parametrize("terminal", ["kill,pause,disconnect"], indirect=True)  # needs PostgreSQL
def test_the_first_ctrl_c_judges_what_was_done_and_leaves_nothing(terminal: Terminal) -> None:
    terminal.until(lambda: at_work(terminal))
    servers = clusters(terminal)
    assert len(servers) == 2 and len(terminal.processes()) >= 4, "the run, its relay and two executors"
    terminal.interrupt()
    assert terminal.process.wait(_PATIENCE_S) == INTERRUPTED, terminal.text
    assert "interrupted: healing" in terminal.text and "this is about what was done until then" in terminal.text
    (page,) = terminal.results.glob(f"*-chaos-*/{report.PAGE}")
    assert "OUT-1" in page.read_text() and (page.parent / "junit.xml").exists()
    assert left(terminal, servers) == []


@pytest.mark.parametrize("terminal", ["kill"], indirect=True)  # SQLite
def test_the_second_ctrl_c_waits_for_nothing_and_leaves_nothing(terminal: Terminal) -> None:
    terminal.until(lambda: at_work(terminal))
    servers = clusters(terminal)
    terminal.interrupt()
    terminal.until(lambda: "interrupted: healing" in terminal.text)
    terminal.interrupt()
    assert terminal.process.wait(_PATIENCE_S) == INTERRUPTED, terminal.text
    assert left(terminal, servers) == []
