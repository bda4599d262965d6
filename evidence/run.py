"""A run's folder: ``results/<time>-<target>/`` with ``index.json`` and ``histories/``.

The index says what was run and where, never how it went: verdicts are worked out from the
histories, now or years later.
"""

from __future__ import annotations

import os
import platform
import re
from collections.abc import Iterator, Mapping, Set
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import msgspec

from evidence.errors import HistoryError, MalformedHistory, UnknownFormat
from evidence.history import load
from evidence.judge import judge_file
from evidence.verdict import Finding, RunResult, ScenarioResult, Verdict
from spec import Clause

__all__ = [
    "HISTORIES",
    "INDEX",
    "INTERRUPTED",
    "Entry",
    "Index",
    "host_facts",
    "judge_run",
    "new_folder",
    "read_index",
    "write_index",
]

INDEX = "index.json"
HISTORIES = "histories"
INDEX_FORMAT = 1
INTERRUPTED = "interrupted"
"""The error in the footer of a scenario that had not ended when its run was: it is in no index."""
_LARGEST_INDEX = 64 << 20


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One scenario in one world. ``path`` of its history is relative to the run's folder, with forward slashes.

    ``again``: a line for a shell that plays it again; empty where `relayproof conform` does, from what the index says.
    """

    scenario: str
    world: str
    path: str
    again: str = ""


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """What was run. Times of day are RFC 3339, for people."""

    format: int = INDEX_FORMAT
    tool: str
    relay: str  # name in the profile
    target: str
    started: str
    seed: int
    pace: str  # "fast", "documented" or "chaos"
    timing: Mapping[str, float]  # short names, seconds
    scenarios: tuple[Entry, ...]
    duration_s: float = 0.0
    command: str = ""  # as typed, without keys
    elsewhere: tuple[str, ...] = ()  # claimed MUST clauses that no scenario of this run's worlds is about
    host: Mapping[str, Any] = {}
    versions: Mapping[str, str] = {}


def new_folder(results: Path, target: str, *, now: datetime | None = None, latest: bool = True) -> Path:
    """Make ``results/<time>-<target>/`` and return it. ``latest``: point ``results/latest`` at it."""
    stamp = (now or datetime.now(UTC)).strftime("%Y%m%dT%H%M%S")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", target).strip("-") or "relay"
    folder, again = results / f"{stamp}-{name}", 1
    while folder.exists():
        again += 1
        folder = results / f"{stamp}-{name}-{again}"
    (folder / HISTORIES).mkdir(parents=True)
    if not latest:
        return folder
    link = results / "latest"
    with suppress(OSError):  # a file system without links: the folder is there all the same
        fresh = results / f".latest-{os.getpid()}"
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(folder.name, target_is_directory=True)
        fresh.replace(link)
    return folder


def write_index(folder: Path, index: Index) -> None:
    (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(index), indent=2) + b"\n")


def read_index(folder: Path) -> Index:
    """Raises `HistoryError` where the folder is no run, or its index is of another format."""
    path = folder / INDEX
    if not path.is_file():
        raise HistoryError(f"{folder} is no run: it has no {INDEX}; give a folder below results/, or results/latest")
    if path.stat().st_size > _LARGEST_INDEX:
        raise MalformedHistory(f"{path}: no index of a run: larger than {_LARGEST_INDEX >> 20} MiB")
    try:
        index = msgspec.json.decode(path.read_bytes(), type=Index)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
        raise MalformedHistory(f"{path}: no index of a run: {problem}") from problem
    if index.format != INDEX_FORMAT:
        raise UnknownFormat(f"{path}: written in format {index.format}, this version reads format {INDEX_FORMAT}")
    return index


def judge_run(folder: Path, clauses: Mapping[str, Clause]) -> RunResult:
    """Every verdict of a run, from its files alone. Raises `HistoryError` where the folder is no run.

    A history that lies there and is in no index is a HARNESS-ERROR: without it the verdicts would be others.
    """
    index = read_index(folder)
    results = tuple(
        msgspec.structs.replace(judge_file(folder, entry.path, clauses, entry.scenario, entry.world), again=entry.again)
        for entry in index.scenarios
    )
    results += tuple(_left_out(folder, {entry.path for entry in index.scenarios}))
    return RunResult(
        relay=index.relay,
        target=index.target,
        started=index.started,
        duration_s=index.duration_s,
        scenarios=results,
        levels={clause.id: clause.level for clause in clauses.values()},
        seed=index.seed,
        pace=index.pace,
        timing=index.timing,
        tool=index.tool,
        host=index.host,
        versions=index.versions,
        command=index.command,
        elsewhere=index.elsewhere,
    )


def _left_out(folder: Path, named: Set[str]) -> Iterator[ScenarioResult]:
    for path in sorted((folder / HISTORIES).glob("*.jsonl")):
        place = f"{HISTORIES}/{path.name}"
        if place in named or _was_interrupted(path):
            continue
        problem = f"{place}: lies in the folder and is not in {INDEX}: the index was changed, or the run never ended"
        broken = Finding(clause="", verdict=Verdict.HARNESS_ERROR, rule="index", seen=problem)
        yield ScenarioResult(
            scenario=path.stem, title="", world="", clauses={}, findings=(broken,), path=place, note=problem
        )


def _was_interrupted(path: Path) -> bool:
    try:
        footer = load(path).footer
    except (HistoryError, OSError):
        return False
    return footer.outcome == "error" and footer.error == INTERRUPTED


def host_facts() -> dict[str, Any]:
    """What a reader needs to weigh the measurements: system, processor count, Python. No name of the machine."""
    return {
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "cores": os.cpu_count() or 1,
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }
