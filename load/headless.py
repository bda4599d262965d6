"""Runs Locust without its web page, as a process of its own: gevent and asyncio don't share one."""

from __future__ import annotations

import asyncio
import csv
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from load.place import PREFIX, LoadError, Place

LOCUSTFILE = Path(__file__).with_name("locustfile.py")
EXECUTORS_PER_API_USER = 9  # as the weights of the two users


@dataclass(frozen=True, slots=True)
class Row:
    """One line of Locust's statistics; times in milliseconds."""

    name: str
    requests: int
    failures: int
    median_ms: float
    p95_ms: float
    worst_ms: float


async def run(place: Place, *, executors: int, duration_s: float, folder: Path) -> list[Row]:
    """Load the relay; the raw CSV files stay in ``folder``, which exists. Raises `LoadError`."""
    if find_spec("locust") is None:
        raise LoadError("Locust is not installed: pip install 'relayproof[load]'")
    api_users = max(1, executors // EXECUTORS_PER_API_USER)
    users = executors + api_users
    prefix = folder / "locust"
    command = [
        sys.executable, "-m", "locust", "-f", str(LOCUSTFILE), "--headless", "--host", place.base,
        "--users", str(users), "--spawn-rate", str(max(1, users // 3)), "--run-time", f"{max(1, round(duration_s))}s",
        "--csv", str(prefix), "--only-summary", "--stop-timeout", "2", "--exit-code-on-error", "0",
    ]  # fmt: skip
    environment = {
        **os.environ,
        f"{PREFIX}ORG": place.org,
        f"{PREFIX}APP": place.app,
        f"{PREFIX}TOKEN": place.token,
        f"{PREFIX}KEY": place.key,
        f"{PREFIX}PACE_S": str(place.pace_s),
        f"{PREFIX}API_USERS": str(api_users),
    }
    log = folder / "locust.log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(*command, env=environment, stdout=output, stderr=output)
        try:
            code = await process.wait()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
    table = folder / "locust_stats.csv"
    if code != 0 or not table.exists() or _own_words(log):
        raise LoadError(f"{_reason(log)} (Locust ended with {code}; all that it said: {log})")
    return _rows(table)


def _own_words(log: Path) -> str:
    """What the locustfile said, if it could not begin: Locust's exit code does not tell."""
    lines = log.read_text(errors="replace").splitlines()
    return next((line.removeprefix("load: ") for line in lines if line.startswith("load: ")), "")


def _reason(log: Path) -> str:
    """The locustfile's own sentence, else the last thing that Locust logged."""
    logged = [line for line in log.read_text(errors="replace").splitlines() if line.startswith("[")]
    return _own_words(log) or (logged or ["Locust said nothing"])[-1]


def _rows(table: Path) -> list[Row]:
    with table.open(newline="") as lines:
        found: Sequence[dict[str, str]] = list(csv.DictReader(lines))
    return [
        Row(
            name=line["Name"],
            requests=int(line["Request Count"]),
            failures=int(line["Failure Count"]),
            median_ms=_number(line["Median Response Time"]),
            p95_ms=_number(line["95%"]),
            worst_ms=_number(line["Max Response Time"]),
        )
        for line in found
        if line["Name"] != "Aggregated"
    ]


def _number(text: str) -> float:
    return float(text) if text not in ("", "N/A") else 0.0
