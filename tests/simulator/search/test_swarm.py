"""What the swarm draws: lawful schedules, every kind of fault, and the same for the same seed everywhere."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from collections import Counter

from scenarios.schedule import KINDS
from scenarios.schedule.file import check, dumps, loads
from simulator.search.swarm import draw, schedule_seed

_DIGEST = """
import hashlib
from reference_relay.core.core import Core
from scenarios.schedule.file import dumps
from simulator.search.play import play
from simulator.search.swarm import draw, schedule_seed
total = hashlib.sha256()
for number in range(6):
    schedule = draw(schedule_seed(3, number))
    total.update(dumps(schedule).encode() + play(schedule, Core).digest.encode())
print(total.hexdigest())
"""


def test_every_schedule_is_lawful_and_comes_back_from_its_file() -> None:
    for number in range(200):
        schedule = draw(schedule_seed(1, number))
        assert loads(dumps(check(schedule, "drawn")), "drawn") == schedule


def test_every_fault_is_drawn() -> None:
    drawn = Counter(fault.fault for number in range(800) for fault in draw(schedule_seed(2, number)).faults)
    assert set(drawn) == {name for name, kind in KINDS.items() if "simulator" not in kind.absent}


def test_few_kinds_a_schedule() -> None:
    kinds = [len({fault.fault for fault in draw(schedule_seed(4, number)).faults}) for number in range(200)]
    assert max(kinds) <= 9 and min(kinds) == 1


def test_seeds_do_not_repeat() -> None:
    seeds = {schedule_seed(seed, number) for seed in range(3) for number in range(1000)}
    assert len(seeds) == 3000


def test_the_same_seed_in_processes_with_different_hash_seeds() -> None:
    digests = {
        subprocess.run(
            [sys.executable, "-c", _DIGEST], env={**os.environ, "PYTHONHASHSEED": hash_seed}, check=True,
            capture_output=True, text=True,
        ).stdout
        for hash_seed in ("0", "4711")
    }  # fmt: skip
    assert len(digests) == 1 and len(digests.pop().strip()) == hashlib.sha256().digest_size * 2
