"""Sweeps survive the death of whoever computes: the same command resumes, and no shard counts twice."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import psycopg
import pytest

from chaos.errors import MissingPostgres
from chaos.postgres import PostgresServer, binaries
from relayproof import cli
from relayproof.sweep import jobs
from relayproof.sweep.application import code_version, hide_password
from scenarios.schedule import read
from simulator.search.hunt import Tally, search

SHARDS = 16
SCENARIOS = ("scenarios", f"seeds={SHARDS}", "select=LIV-1/*,LIV-6/*")
SIMULATE = ("simulate", f"schedules={SHARDS * 15}", "size=15", "seed=1", "relay=builtin:broken/one-round-only")
NEVER_PINGS = "relay=builtin:broken/never-pings"


class Started:
    """A relayproof command in a process group of its own."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "relayproof", *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=os.environ | environment,
        )  # fmt: skip
        self.said = ""  # on standard error, once it is over

    def result(self, exit_code: int = 0) -> dict[str, Any]:
        out, self.said = self.process.communicate(timeout=250)
        assert self.process.returncode == exit_code, self.said
        result: dict[str, Any] = json.loads(out)
        return result


@pytest.fixture
def start() -> Iterator[Callable[..., Started]]:
    running: list[Started] = []

    def launch(*arguments: str, **environment: str) -> Started:
        running.append(Started(*arguments, **environment))
        return running[-1]

    yield launch
    for each in running:
        with suppress(ProcessLookupError):
            each.process.kill()
        each.process.communicate()


def until(true: Callable[[], bool], within_s: float = 120.0) -> None:
    deadline_s = time.monotonic() + within_s
    while not true():
        assert time.monotonic() < deadline_s, "it did not come about"
        time.sleep(0.05)


def ended(results: Path) -> int:
    """Shards that have a durable result."""
    for path in results.glob("sweep-*/sweep.sqlite"):
        with closing(sqlite3.connect(path, timeout=30)) as database, suppress(sqlite3.OperationalError):
            (count,) = database.execute("SELECT count(*) FROM workflow_status WHERE status = 'SUCCESS'").fetchone()
            return int(count)
    return 0


def local(results: Path, *arguments: str) -> tuple[str, ...]:
    return ("sweep", *arguments, "--processes", "1", "--results", str(results))


def alone(job: str, *arguments: str) -> dict[str, Any]:
    """The joined result of every shard, computed here, in order, once."""
    found = jobs.find(job)
    shards = found.shards(dict(each.split("=", 1) for each in arguments))
    return found.join([found.run(shard) for shard in shards])


@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.parametrize("arguments", [SCENARIOS, SIMULATE], ids=lambda arguments: arguments[0])
def test_a_killed_sweep_resumes_and_counts_each_shard_once(
    arguments: tuple[str, ...], start: Callable[..., Started], tmp_path: Path
) -> None:
    first = start(*local(tmp_path, *arguments))
    until(lambda: ended(tmp_path) >= 1)
    (worker,) = _workers_of(first.process.pid)
    os.kill(worker, signal.SIGKILL)  # it is started again
    until(lambda: ended(tmp_path) >= 4)
    first.process.kill()
    first.process.wait()
    assert ended(tmp_path) < SHARDS, "the sweep was over before the kill"
    whole = alone(*arguments)
    again = start(*local(tmp_path, *arguments))
    assert again.result(jobs.find(arguments[0]).exit_code(whole)) == whole
    assert again.said.count("resumed: ") == 1
    assert ended(tmp_path) == SHARDS


@pytest.mark.real
@pytest.mark.timeout(300)
@pytest.mark.slow  # a worker's death is noticed after its grace period of ten seconds
def test_the_relay_has_the_shards_of_a_dead_worker_computed(start: Callable[..., Started], tmp_path: Path) -> None:
    """On PostgreSQL: one of two workers is killed for good with a shard in hand, and the sweep ends."""
    try:
        binaries()
    except MissingPostgres as missing:
        pytest.skip(str(missing))
    asyncio.run(_lose_a_worker(start, tmp_path))


async def _lose_a_worker(start: Callable[..., Started], results: Path) -> None:
    whole = await asyncio.to_thread(alone, *SIMULATE)
    async with PostgresServer() as server:
        await server.create("sweep")
        running = start(*local(results, *SIMULATE), "--workers", "2", "--database", server.url("sweep"))

        async def in_hand() -> str:
            """The process id of a worker that has a shard in hand, once two workers have had some."""
            try:
                rows = await server.execute("sweep", "SELECT executor_id, status FROM dbos.workflow_status")
            except psycopg.errors.UndefinedTable:
                return ""
            busy = {str(executor) for executor, status in rows if status == "PENDING"}
            return min(busy) if len({executor for executor, _ in rows if executor}) == 2 and busy else ""

        deadline_s = time.monotonic() + 120
        while not (victim := await in_hand()):
            assert time.monotonic() < deadline_s and running.process.poll() is None, "no two workers got to work"
            await asyncio.sleep(0.02)
        os.kill(_process_of(victim, results), signal.SIGKILL)
        result = await asyncio.to_thread(running.result, jobs.find("simulate").exit_code(whole))
        assert result == whole
        rows = await server.execute("sweep", "SELECT status, executor_id, recovery_attempts FROM dbos.workflow_status")
        assert [status for status, *_ in rows] == ["SUCCESS"] * SHARDS
        recovered = [executor for _, executor, attempts in rows if attempts > 1]
        assert recovered and victim not in recovered


@pytest.mark.real
def test_a_sweep_that_finds_something_exits_with_one(start: Callable[..., Started], tmp_path: Path) -> None:
    found = start(*local(tmp_path, "scenarios", "seeds=1", "select=LIV-1/*", NEVER_PINGS)).result(exit_code=1)
    assert {each["verdict"] for each in found["bad"]} == {"LATE"}


def test_a_search_in_shards_finds_what_the_search_finds(tmp_path: Path) -> None:
    found = alone("simulate", "schedules=35", "size=10", "seed=1", NEVER_PINGS)
    whole = search(NEVER_PINGS.partition("=")[2], 35, 1, 1, enough=1000)
    assert found["schedules"] == whole.played == 35 and found["work"] == whole.work
    assert found["hits"] == msgspec.to_builtins(whole.hits) and found["failed"] > 0
    job = jobs.find("simulate")
    assert job.exit_code(found) == 1
    told = job.keep(found, tmp_path)
    assert len(told) == len({hit.clause for hit in whole.hits})
    assert all(read(path).about["relay"] == found["relay"] for path in (tmp_path / "schedules").glob("*.toml"))


def test_a_search_that_proves_nothing_is_no_success() -> None:
    job = jobs.find("simulate")
    nothing = Tally(played=10)
    joined = job.join([{"relay": "builtin:reference", "seed": 1, "tally": msgspec.to_builtins(nothing)}])
    assert joined["failed"] == 0 and job.exit_code(joined) == 3


def test_shards_of_other_code_are_refused() -> None:
    (shard,) = jobs.find("simulate").shards({"schedules": 1})
    assert jobs.compute("simulate", shard, code_version())["tally"]["played"] == 1
    with pytest.raises(jobs.CodeChanged, match="start the sweep again"):
        jobs.compute("simulate", shard, "0.1.0-other")


def test_without_a_job_the_jobs_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["sweep"]) == 0
    listed = capsys.readouterr().out
    assert all(name in listed for name in jobs.JOBS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("sums",), "there is nothing called 'sums' to sweep: choose among"),
        (("scenarios", "seeds"), "'seeds' is not name=value"),
        (("scenarios", "seeds=many"), "seeds=many: give a whole number"),
        (("scenarios", "seeds=0"), "seeds=0: give at least 1"),
        (("scenarios", "relay=builtin:broken/nobody"), "nobody"),
        (("scenarios", "schedules=9"), "scenarios has no argument 'schedules': give seeds, first"),
        (("simulate", "size=0"), "size=0: give at least 1"),
        (("simulate", "seed=-1"), "seed=-1: give at least 0"),
        (("simulate", "relay=builtin:broken/needs-no-token"), "is a defect of the server"),
        (("study",), "choose among false-deaths"),
        (("study", "name=storm", "ask=grace=3"), "there is no parameter 'grace'"),
        (("scenarios", "timing=slow"), "give documented or fast"),
        (("scenarios", "--workers", "2"), "need --database"),
        (("scenarios", "--database", "mysql://a:secret@b/c"), "mysql://a:***@b/c: give postgresql://"),
        (("scenarios", "--database", "postgresql://b/c", "--relay", "ws://b"), "belong together"),
        (("scenarios", "--database", "postgresql://b/c", "--workers", "0"), "needs --relay and --key"),
    ],
)
def test_wrong_usage_is_told(
    arguments: tuple[str, ...], said: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert cli.run(["sweep", *arguments, "--results", str(tmp_path)]) == 64
    assert said in capsys.readouterr().err


def test_a_worker_needs_a_database(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("RELAYPROOF_SWEEP_DATABASE", raising=False)
    assert cli.run(["sweep-worker"]) == 64
    assert "RELAYPROOF_SWEEP_DATABASE" in capsys.readouterr().err


def test_shards_cover_each_seed_once() -> None:
    shards = jobs.find("scenarios").shards({"seeds": "7", "first": "3", "size": "2", "select": "LIV-1/*"})
    assert [seed for shard in shards for seed in shard["seeds"]] == [3, 4, 5, 6, 7, 8, 9]


def test_a_study_is_joined_as_the_command_answers_it() -> None:
    job = jobs.find("study")
    shards = job.shards({"name": "storm", "ask": "executors=50 admission=100", "scale": "0.5"})
    joined = job.join([job.run(shard) for shard in shards])
    assert joined["study"] == "storm" and joined["runs"] == len(shards)


def test_the_version_names_the_code() -> None:
    assert code_version() == code_version()
    assert hide_password("postgresql://me:secret@host/db") == "postgresql://me:***@host/db"


def _workers_of(coordinator: int) -> list[int]:
    """The process ids of the workers that a coordinator started."""
    children = Path(f"/proc/{coordinator}/task/{coordinator}/children").read_text().split()
    return [int(pid) for pid in children if b"sweep-worker" in Path(f"/proc/{pid}/cmdline").read_bytes()]


def _process_of(executor: str, results: Path) -> int:
    """By the log of the workers, which each begin with who they are."""
    (log,) = results.glob("sweep-*/workers.log")
    said = [json.loads(line) for line in log.read_text().splitlines() if line.startswith('{"event": "ready"')]
    (pid,) = [each["pid"] for each in said if each["executor"] == executor]
    return int(pid)
