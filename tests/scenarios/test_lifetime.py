"""A relay dies with the suite that started it, also when that is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

HARNESS = """
import asyncio, sys
from pathlib import Path
from conductor.timing import DOCUMENTED
from scenarios import targets
from scenarios.profile_loading import resolve

async def main():
    target = targets.make(resolve("builtin:reference"), DOCUMENTED, Path(sys.argv[1]), "one")
    await target.start()
    print(target._process.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


def alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux tells a child of its parent's death")
def test_a_killed_harness_leaves_no_relay(tmp_path: Path) -> None:
    harness = subprocess.Popen([sys.executable, "-c", HARNESS, str(tmp_path)], stdout=subprocess.PIPE, text=True)
    assert harness.stdout is not None
    relay = int(harness.stdout.readline())
    assert alive(relay)
    os.kill(harness.pid, signal.SIGKILL)
    harness.wait()
    give_up = time.monotonic() + 10
    while alive(relay) and time.monotonic() < give_up:
        time.sleep(0.02)
    assert not alive(relay)
