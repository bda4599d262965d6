"""What Linux knows of a process: on-CPU time of its threads and children, and its resident memory."""

from __future__ import annotations

import os
from pathlib import Path

from load.bench.errors import BenchError

PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")


def cpu_ns(pid: int) -> int:
    """On-CPU nanoseconds of a process and its children, all their living threads, as the scheduler counts them."""
    total = 0
    tasks = Path(f"/proc/{pid}/task")
    try:
        for task in tasks.iterdir():
            total += int((task / "schedstat").read_text().split()[0])
            children = (task / "children").read_text().split()
            total += sum(cpu_ns(int(child)) for child in children)
    except FileNotFoundError as missing:
        raise BenchError(
            f"no scheduler statistics of process {pid} ({missing.filename}): it ended, or this is no Linux"
        ) from missing
    return total


def resident_bytes(pid: int) -> int:
    """Resident memory of one process."""
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE_BYTES
