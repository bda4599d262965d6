"""The same seed gives the same bytes, in any process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

_PROGRAM = """
import hashlib, sys
from pathlib import Path

from tests.simulator import playing
from scenarios import catalogue
from conductor.timing import DOCUMENTED
from scenarios.worlds import SessionOptions
from simulator.world import SimulatedSession

folder = Path(sys.argv[1])
session = SimulatedSession(SessionOptions(profile=playing.REFERENCE, timing=DOCUMENTED, seed=11, folder=folder))
chosen = [entry for entry in catalogue.all() if "simulated" in entry.worlds]
for entry in chosen[::6] + [entry for entry in chosen if entry.id.startswith("LIV-15")]:
    recorder = session.simulate(entry, folder / f"{entry.slug}.jsonl")
    lines = recorder.path.read_bytes().split(b"\\n")
    print(entry.id, hashlib.sha256(b"\\n".join(lines[1:])).hexdigest(), recorder.history().digest())
"""


def _digests(folder: Path, hash_seed: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-c", _PROGRAM, str(folder)], env=environment, stdout=subprocess.PIPE, text=True
    )


def test_histories_are_equal_byte_for_byte_in_two_processes(tmp_path: Path) -> None:
    """The first line has the wall clock of the run; all others are compared as bytes, and the digest leaves it out."""
    runs = [_digests(tmp_path / seed, seed) for seed in ("1", "2")]
    outputs = [run.communicate(timeout=100)[0] for run in runs]
    assert [run.returncode for run in runs] == [0, 0]
    assert len(outputs[0].splitlines()) > 10
    assert outputs[0] == outputs[1]
