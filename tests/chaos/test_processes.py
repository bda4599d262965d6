"""Workers as processes: none outlives the harness, whatever ends it."""

from __future__ import annotations

import asyncio
import dataclasses
import signal
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from chaos.errors import LaunchFailed
from chaos.processes import ProcessRuntime
from chaos.records import Ledger
from sdk_matrix.contract import Config, Start, Step
from sdk_matrix.errors import MissingSdk
from sdk_matrix.languages import Worker, worker
from tests.chaos.support import eventually, running

pytestmark = pytest.mark.real
pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")

DIRECT = dataclasses.replace(worker("python"), forks=False)


def config(folder: Path, label: str = "e1", database: str = "system.sqlite") -> Config:
    return Config(
        relay_url="ws://127.0.0.1:1", key="secret-key", application="real-app", version="v1", executor=label,
        system_database_url=f"sqlite:///{folder / database}", evidence_database=str(folder / "ledger.sqlite"),
    )  # fmt: skip


@pytest.mark.parametrize("kind", [worker("python"), DIRECT], ids=["forked", "spawned"])
async def test_a_worker_works_and_is_swept(kind: Worker, tmp_path: Path) -> None:
    runtime, ledger = ProcessRuntime(), Ledger(tmp_path / "ledger.sqlite")
    process = await runtime.launch(kind, config(tmp_path), tmp_path)
    assert process.alive and running(process.pid) and process.executor
    assert not (tmp_path / "e1.json").exists(), "the file with the key stays"
    await process.start(Start(workflow="w", instructions=(Step("a"),)))
    await eventually(lambda: "end_seq" in next(iter(ledger.executions()), {}))
    assert ledger.executions()[0]["executor_id"] == process.executor
    await runtime.sweep()
    assert not process.alive
    await eventually(lambda: not running(process.pid))


async def test_a_long_path_of_temporary_files_is_no_obstacle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    deep = tmp_path / ("d" * 104)  # longer than the path of a socket may be
    deep.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(deep))
    runtime = ProcessRuntime()
    Ledger(tmp_path / "ledger.sqlite")
    process = await runtime.launch(worker("python"), config(tmp_path), tmp_path)
    assert process.alive
    await runtime.sweep()


async def test_a_killed_worker_is_gone_and_a_stopped_one_ends(tmp_path: Path) -> None:
    runtime = ProcessRuntime()
    Ledger(tmp_path / "ledger.sqlite")
    first = await runtime.launch(worker("python"), config(tmp_path), tmp_path)
    second = await runtime.launch(worker("python"), config(tmp_path, "e2"), tmp_path)
    first.kill()
    await asyncio.wait_for(first.ended(), 5)
    await eventually(lambda: not running(first.pid))
    assert second.alive
    await asyncio.wait_for(second.stop(), 10)
    assert not second.alive
    await runtime.sweep()


async def test_a_worker_that_cant_launch_says_why(tmp_path: Path) -> None:
    runtime = ProcessRuntime()
    Ledger(tmp_path / "ledger.sqlite")
    broken = config(tmp_path, database="no/such/folder/x.sqlite")
    with pytest.raises(LaunchFailed, match="unable to open database file"):
        await runtime.launch(worker("python"), broken, tmp_path)
    await runtime.sweep()


async def test_a_missing_sdk_is_named_before_anything_starts(tmp_path: Path) -> None:
    absent = dataclasses.replace(worker("python"), missing=lambda: "no SDK: pip install it")
    with pytest.raises(MissingSdk, match="pip install"):
        await ProcessRuntime().launch(absent, config(tmp_path), tmp_path)


HARNESS = """
import asyncio, sys
from pathlib import Path
from chaos.processes import ProcessRuntime
from chaos.records import Ledger
from sdk_matrix.languages import worker
from tests.chaos.test_processes import config

async def main() -> None:
    folder = Path(sys.argv[1])
    Ledger(folder / "ledger.sqlite")
    process = await ProcessRuntime().launch(worker("python"), config(folder), folder)
    print(process.pid, flush=True)
    await asyncio.sleep(60)

asyncio.run(main())
"""


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
def test_no_worker_outlives_its_harness(number: int, tmp_path: Path) -> None:
    harness = subprocess.Popen(
        [sys.executable, "-c", HARNESS, str(tmp_path)], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    assert harness.stdout is not None
    pid = int(harness.stdout.readline())
    template = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    assert running(pid) and running(template)
    harness.send_signal(number)
    harness.wait()
    asyncio.run(eventually(lambda: not running(pid) and not running(template)))
    harness.stdout.close()
    sqlite3.connect(tmp_path / "system.sqlite").execute("SELECT count(*) FROM workflow_status")
