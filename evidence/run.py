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
_LONGEST_NAME = 100


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One scenario in one world. ``path`` of its history is relative to the run's folder, with forward slashes.

    ``clauses``: what it is about, so that a damaged history leaves none of them proved. ``again``: a line for a shell
    that plays it again; empty where `relayproof conform` does, from what the index says.
    """

    scenario: str
    world: str
    path: str
    clauses: tuple[str, ...] = ()
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
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", target)[:_LONGEST_NAME].strip("-") or "relay"
    results.mkdir(parents=True, exist_ok=True)
    folder, again = results / f"{stamp}-{name}", 1
    while not _made(folder):
        again += 1
        folder = results / f"{stamp}-{name}-{again}"
    (folder / HISTORIES).mkdir()
    if latest:
        _point(results / "latest", folder)
    return folder


def _made(folder: Path) -> bool:
    """Whether it is this run's: another may begin in the same second."""
    with suppress(FileExistsError):
        folder.mkdir()
        return True
    return False


def _point(link: Path, folder: Path) -> None:
    """Where there can be no link, as on a file system without any, the folder is there all the same."""
    fresh = link.with_name(f".latest-{os.getpid()}")
    with suppress(OSError):
        fresh.unlink(missing_ok=True)
        fresh.symlink_to(folder.name, target_is_directory=True)
        try:
            fresh.replace(link)
        except OSError:  # something else is called latest
            fresh.unlink()


def write_index(folder: Path, index: Index) -> None:
    """What a person typed need not be UTF-8; in the file it is legible."""
    index = msgspec.structs.replace(
        index,
        target=_legible(index.target),
        command=_legible(index.command),
        scenarios=tuple(msgspec.structs.replace(each, again=_legible(each.again)) for each in index.scenarios),
    )
    (folder / INDEX).write_bytes(msgspec.json.format(msgspec.json.encode(index), indent=2) + b"\n")


def _legible(text: str) -> str:
    return os.fsencode(text).decode("utf-8", "backslashreplace")


def read_index(folder: Path) -> Index:
    """Raises `HistoryError` where the folder is no run, or its index is of another format."""
    path = folder / INDEX
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib raises for too long a name
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
        msgspec.structs.replace(
            judge_file(folder, entry.path, clauses, entry.scenario, entry.world, entry.clauses), again=entry.again
        )
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
