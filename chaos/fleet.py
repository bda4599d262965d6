"""One application's real executors on one system database, with their tap, workload and evidence."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from chaos.records import Ledger, StatusLog
from chaos.runtime import Running, Runtime
from chaos.tap import Tap
from chaos.workload import QUEUE, Job, expectations
from evidence import events
from evidence.history import Recorder
from sdk_matrix.contract import Config
from sdk_matrix.languages import Worker

__all__ = ["TERMINAL", "Fleet", "Place"]

TERMINAL = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
_LOOK_S = 0.02  # between two looks into the ledger
_LOOK_LONG_S = 0.2  # between two looks into the SDK's own file: a reader holds up its writers


@dataclass(frozen=True, slots=True)
class Place:
    """Where executors connect: the relay's base URL (ws or wss), and the application that is there."""

    relay_url: str
    key: str
    org: str
    app: str
    version: str = "v1"


class Fleet:
    """Launches workers, starts work on them, and waits for what it sees, never for time to pass."""

    def __init__(
        self, place: Place, worker: Worker, runtime: Runtime, folder: Path, recorder: Recorder,
        next_conn: Callable[[], int],
    ) -> None:  # fmt: skip
        """``folder`` takes configurations, logs and both databases. ``next_conn`` numbers the history's dials."""
        folder.mkdir(parents=True, exist_ok=True)
        self.place = place
        self.runtime = runtime
        self.recorder = recorder
        self.workers: dict[str, Running] = {}
        self.started: list[Job] = []
        self.ledger = Ledger(folder / "ledger.sqlite")
        self.tap = Tap(
            place.relay_url, recorder, org=place.org, app=place.app, version=place.version, language=worker.language,
            next_conn=next_conn,
        )  # fmt: skip
        self._worker = worker
        self._folder = folder
        self._system = folder / "system.sqlite"
        self._status: StatusLog | None = None

    async def launch(self, *labels: str) -> None:
        """Launch workers and wait until their SDKs are up. Raises `LaunchFailed`.

        The first of all is launched alone: two first launches on one database collide in their migrations. The
        triggers come next, before any workflow can start.
        """
        rest = list(labels)
        if self._status is None:
            await self.tap.start()
            await self._launch(rest.pop(0))
            self._status = await asyncio.to_thread(StatusLog, self._system)
        await asyncio.gather(*(self._launch(label) for label in rest))

    async def _launch(self, label: str) -> None:
        config = Config(
            relay_url=self.tap.url(label),
            key=self.place.key,
            application=self.place.app,
            version=self.place.version,
            system_database_url=f"sqlite:///{self._system}",
            evidence_database=str(self.ledger.path),
            executor=label,
            queues=(QUEUE,),
        )
        running = await self.runtime.launch(self._worker, config, self._folder)
        self.workers[label] = running
        self.tap.identify(label, running.executor)

    async def start(self, label: str, jobs: Sequence[Job]) -> None:
        """Have this worker start them. A job counts as started as soon as it was asked for."""
        for job in jobs:
            self.started.append(job)
            await self.workers[label].start(job.start)

    def connected(self) -> list[str]:
        """Labels of the living workers with an open socket."""
        return [label for label, worker in self.workers.items() if worker.alive and self.tap.connected(label)]

    def kill(self, label: str) -> None:
        """SIGKILL, recorded."""
        worker = self.workers[label]
        self.recorder.add(events.Fault, kind="kill", conn=self.tap.conn(label), executor=worker.executor)
        self.tap.killed(label)
        worker.kill()

    async def until(self, what: Callable[[], bool], within_s: float) -> bool:
        """Look until it is true. False: the deadline passed."""
        deadline_s = time.monotonic() + within_s
        while not what():
            if time.monotonic() > deadline_s:
                return False
            await asyncio.sleep(_LOOK_S)
        return True

    async def until_at_work(self, label: str, *, steps: int, within_s: float) -> bool:
        """Until this worker has begun ``steps`` steps in all, one at least of each workflow and child that was started
        on it directly, and one of a queued workflow.
        """
        rows = [row for row in expectations(self.started) if row["steps"]]
        children = {row["parent"] for row in rows if "parent" in row}
        direct = {row["workflow"] for row in rows if row["kind"] != "queued"} - children
        queued = {row["workflow"] for row in rows if row["kind"] == "queued"}

        def at_work() -> bool:
            begun = self.ledger.begun(label)
            return sum(begun.values()) >= steps and begun.keys() >= direct and bool(begun.keys() & queued)

        return await self.until(at_work, within_s)

    async def unfinished(self) -> set[str]:
        """Expected workflows and children that have no terminal status."""
        assert self._status is not None
        statuses = await asyncio.to_thread(self._status.statuses)
        return {row["workflow"] for row in expectations(self.started) if statuses.get(row["workflow"]) not in TERMINAL}

    async def converge(self, within_s: float) -> bool:
        """Until every started workflow has ended. False: the deadline passed with some unfinished."""
        deadline_s = time.monotonic() + within_s
        while left := await self.unfinished():
            if time.monotonic() > deadline_s:
                self.recorder.add(events.Note, text="not converged", detail={"unfinished": sorted(left)})
                return False
            await asyncio.sleep(_LOOK_LONG_S)
        return True

    async def evidence(self) -> None:
        """Write the expected outcomes, the status log and the step ledger into the history."""
        rows = await asyncio.to_thread(self._status.rows) if self._status is not None else []
        for source, found in (
            ("expected", list(expectations(self.started))), ("trigger", rows), ("ledger", self.ledger.executions())
        ):  # fmt: skip
            self.recorder.add(events.Ledger, source=source, rows=tuple(found))

    async def close(self) -> None:
        """Kill all workers, then take the tap down. What they wrote stays in the folder."""
        for worker in self.workers.values():
            worker.kill()
        for worker in self.workers.values():
            await worker.ended()
        await self.tap.stop()
        self.ledger.close()
        if self._status is not None:
            self._status.close()
