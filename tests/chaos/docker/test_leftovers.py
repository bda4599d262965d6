"""Whatever ends a run, nothing of it stays: no container, network, volume or process. Needs an engine and images."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from relayproof import cli
from tests.chaos.docker.support import engine, left

__all__ = ["engine"]
pytestmark = pytest.mark.slow  # each starts a relay, two databases and two executors in containers
_RUN = re.compile(r"relayproof-([0-9a-f]{8})-")
_PATIENCE_S = 90.0


class Harness:
    """``relayproof chaos --runtime docker`` as somebody's terminal runs it, in a session of its own."""

    def __init__(self, folder: Path) -> None:
        self.said = folder / "said"
        command = (
            sys.executable, "-m", "relayproof", "chaos", "--runtime", "docker", "--executors", "2", "--faults", "kill",
            "--duration", "10m", "--seed", "3", "--results", str(folder / "results"),
        )  # fmt: skip
        with self.said.open("wb") as out:
            self.process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
        self.until(lambda: "chaos:" in self.text)
        (self.run,) = set(_RUN.findall(self.text))

    @property
    def text(self) -> str:
        return self.said.read_text(errors="replace")

    def until(self, what: Callable[[], bool]) -> None:
        deadline_s = time.monotonic() + _PATIENCE_S
        while not what():
            assert time.monotonic() < deadline_s, self.text
            time.sleep(0.1)

    def processes(self) -> list[int]:
        """Of its session, and whoever has its run's name on the command line (the reaper has)."""
        found = []
        for place in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):
                session = int((place / "stat").read_text().rpartition(")")[2].split()[3])
                state = (place / "stat").read_text().rpartition(")")[2].split()[0]
                if state != "Z" and (session == self.process.pid or self.run in (place / "cmdline").read_text()):
                    found.append(int(place.name))
        return found

    def close(self) -> None:
        self.process.kill()
        self.process.wait()
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)


@pytest.fixture
def harness(engine: Any, tmp_path: Path) -> Iterator[Harness]:
    made = Harness(tmp_path)
    assert left(engine, made.run) and len(made.processes()) >= 2
    yield made
    made.close()
    assert cli.run(["chaos", "sweep", "--run", made.run]) == 0


def test_ctrl_c_judges_what_was_done_and_leaves_nothing(harness: Harness, engine: Any) -> None:
    harness.process.send_signal(signal.SIGINT)
    assert harness.process.wait(_PATIENCE_S) == 130, harness.text
    assert "interrupted: this is about what was done until then" in harness.text and "OUT-1" in harness.text
    assert left(engine, harness.run) == [] and harness.processes() == []


def test_a_killed_harness_leaves_nothing(harness: Harness, engine: Any) -> None:
    harness.process.kill()
    harness.process.wait()
    harness.until(lambda: left(engine, harness.run) == [] and harness.processes() == [])


def test_what_is_left_when_even_the_reaper_is_killed_is_swept(
    harness: Harness, engine: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    for pid in harness.processes():  # the reaper too
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    harness.process.wait()
    assert left(engine, harness.run)
    assert cli.run(["chaos", "sweep", "--run", harness.run]) == 0
    told = capsys.readouterr().out
    assert "removed container relayproof-" in told and "removed network relayproof-" in told
    assert left(engine, harness.run) == []
