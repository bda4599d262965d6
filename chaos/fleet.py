"""One application's real executors on one system database, with their tap, links, workload and evidence.

A *slot* is a place in the fleet, such as "python-1". Processes come and go in it: each *life* has a label of its own,
an executor id that its SDK makes, and, where the fleet has links, a proxy to the relay and one to the database.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections import Counter, defaultdict
from collections.abc import Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from chaos.errors import WorkerGone
from chaos.evidence import SqliteStore, Store
from chaos.links import Links
from chaos.proxy import Proxy, Toxic
from chaos.runtime import Running, Runtime
from chaos.tap import Tap
from chaos.workload import QUEUE, Job, expectations
from evidence import events
from evidence.history import Recorder
from evidence.outcomes import LAUNCHED
from sdk_matrix.contract import Config
from sdk_matrix.languages import Worker

__all__ = ["TERMINAL", "Fleet", "Place"]

TERMINAL = frozenset({"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"})
_LOOK_S = 0.02  # between two looks into the ledger
_LOOK_LONG_S = 0.2  # between two looks into the SDK's own database: on SQLite a reader holds up its writers


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
        next_conn: Callable[[], int], *, store: Store | None = None, links: Links | None = None,
        beside: Fleet | None = None,
    ) -> None:  # fmt: skip
        """``folder`` takes configurations, logs and SQLite files. ``next_conn`` numbers the history's dials.

        ``store`` None: SQLite in the folder. ``links`` None: workers dial tap and database themselves.
        ``beside``: a launched fleet whose database this one shares.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.place = place
        self.worker = worker
        self.runtime = runtime
        self.recorder = recorder
        self.lives: dict[str, Running] = {}  # the newest of each slot
        self.away: set[str] = set()  # slots whose process is paused, or is about to be replaced: it takes no command
        self.versions: dict[str, str] = {}  # of each slot, also of one that is yet to be launched
        self.launched_versions: set[str] = set()
        self.started: list[Job] = []
        self.store: Store = beside.store if beside is not None else store or SqliteStore(folder)
        self._shares = beside is not None
        self.tap = Tap(
            place.relay_url, recorder, org=place.org, app=place.app, version=place.version, language=worker.language,
            next_conn=next_conn,
        )  # fmt: skip
        self._folder = folder
        self._links = links
        self._slots: dict[str, str] = {}  # label of a life -> its slot
        self._launched: dict[str, int] = {}
        self._launching: set[str] = set()  # labels of processes that are not up yet
        self._holds: Counter[str] = Counter()
        self._relaunching: defaultdict[str, asyncio.Lock] = defaultdict(asyncio.Lock)
        self._ready = False

    @property
    def slots(self) -> Sequence[str]:
        return tuple(self.lives)

    def slot_of(self, label: str) -> str | None:
        """The slot of a living process with this label."""
        slot = self._slots.get(label)
        return slot if slot is not None and self.lives[slot].label == label else None

    async def launch(self, *slots: str) -> None:
        """Launch workers and wait until their SDKs are up. Raises `LaunchFailed`.

        The first of all is launched alone: two first launches on one database collide in their migrations. The
        triggers come next, before any workflow can start.
        """
        rest = list(slots)
        if not self._ready:
            if not self._shares:
                await self.store.open()
            await self.tap.start()
            if self._links is not None:
                await self._links.start(self.tap.port)
            await self._launch(first := rest.pop(0), self._version(first))
            if not self._shares:
                await self.store.watch()
            self._ready = True
        await asyncio.gather(*(self._launch(slot, self._version(slot)) for slot in rest))

    def _version(self, slot: str) -> str:
        return self.versions.get(slot, self.place.version)

    @contextlib.contextmanager
    def held(self, slot: str) -> Iterator[None]:
        """Whoever has ended this slot's process also replaces it: nobody else does meanwhile.

        Two faults may hold it at once; it is there again when both have let go.
        """
        self._holds[slot] += 1
        self.away.add(slot)
        try:
            yield
        finally:
            self._holds[slot] -= 1
            if not self._holds[slot]:
                self.away.discard(slot)

    async def relaunch(self, slot: str, *, version: str | None = None) -> None:
        """A fresh process in the place of one that has ended, of its version. Raises `LaunchFailed`.

        Where two faults have ended the same process, the first one's replacement is enough.
        """
        async with self._relaunching[slot]:
            if not self.lives[slot].alive:
                await self._launch(slot, version or self.versions[slot])

    async def _launch(self, slot: str, version: str) -> None:
        number = self._launched[slot] = self._launched.get(slot, 0) + 1
        label = slot if number == 1 else f"{slot}.{number}"
        ports = await self._links.open(label, self.store.name) if self._links is not None else None
        config = Config(
            relay_url=self.tap.url(label, None if ports is None else ports.relay),
            key=self.place.key,
            application=self.place.app,
            version=version,
            system_database_url=self.store.system_url(None if ports is None else ports.database),
            evidence_database=self.store.evidence_url(),
            executor=label,
            queues=(QUEUE,),
        )
        self._launching.add(label)
        try:
            running = await self.runtime.launch(self.worker, config, self._folder)
        finally:
            self._launching.discard(label)
        self.lives[slot] = running
        self.versions[slot] = version
        self.launched_versions.add(version)
        self._slots[label] = slot
        self.tap.identify(label, running.executor)
        self.recorder.add(
            events.Note, text=LAUNCHED, detail={
                "label": label, "executor": running.executor, "language": self.worker.language,
                "sdk": running.sdk_version, "app": self.place.app, "version": version, "slot": slot,
                "wall_us": time.time_ns() // 1000,
            },
        )  # fmt: skip

    async def start(self, slot: str, jobs: Sequence[Job]) -> None:
        """Have this worker start them. A job counts as started as soon as it was asked for."""
        for job in jobs:
            self.started.append(job)
            await self.lives[slot].start(job.start)

    def asked(self, workflow: str, what: str) -> None:
        """Note that the harness asked for more than the start ("cancel", ...): its end may differ for that."""
        for place, job in enumerate(self.started):
            if job.start.workflow == workflow:
                self.started[place] = replace(job, asked=(*job.asked, what))

    def known(self, slot: str) -> bool:
        """Whether the slot's process lives and has told the relay who it is."""
        life = self.lives[slot]
        return life.alive and self.tap.known(life.label)

    def all_known(self) -> bool:
        """Nobody is being launched, or has still to tell the relay who it is.

        SDKs take work from their queues before that (measured with Java and TypeScript, within 0.5 s of their launch):
        what dies in that time dies under an id that no relay has ever heard of, and says nothing about one.
        """
        return not self._launching and all(self.known(slot) for slot, life in self.lives.items() if life.alive)

    def connected(self) -> list[str]:
        """Slots of the living workers with an open socket."""
        return [slot for slot, life in self.lives.items() if life.alive and self.tap.connected(life.label)]

    def kill(self, slot: str, **detail: object) -> None:
        """SIGKILL, recorded."""
        life = self.lives[slot]
        if not life.alive:
            return
        self.recorder.add(
            events.Fault, kind="kill", conn=self.tap.conn(life.label), executor=life.executor,
            detail={"slot": slot, "label": life.label, **detail},
        )  # fmt: skip
        self.tap.killed(life.label)
        life.kill()

    async def stop(self, slot: str) -> None:
        """A shutdown in good order; one that does not end is killed, recorded."""
        try:
            await self.lives[slot].stop()
        except WorkerGone:
            self.kill(slot, cause="did not stop")

    def relay_link(self, slot: str) -> Proxy:
        """The proxy between the slot's process and the relay."""
        assert self._links is not None, "this fleet has no links"
        return self._links.relay(self.lives[slot].label)

    def poison_database(self, make: Callable[[], Toxic]) -> None:
        """A toxic of its own on every way to the database, also of processes that come later."""
        assert self._links is not None, "this fleet has no links"
        self._links.poison(make)

    def freeze_database(self, slot: str) -> None:
        """This process alone no longer reaches the database, until `heal_database`."""
        assert self._links is not None, "this fleet has no links"
        self._links.freeze(self.lives[slot].label)

    def heal_database(self) -> None:
        if self._links is not None:
            self._links.heal()

    async def until(self, what: Callable[[], bool], within_s: float) -> bool:
        """Look until it is true. False: the deadline passed."""

        async def now() -> bool:
            return what()

        return await self.until_true(now, within_s)

    async def until_true(self, what: Callable[[], Awaitable[bool]], within_s: float) -> bool:
        deadline_s = time.monotonic() + within_s
        while not await what():
            if time.monotonic() > deadline_s:
                return False
            await asyncio.sleep(_LOOK_S)
        return True

    async def until_at_work(self, slot: str, *, steps: int, within_s: float) -> bool:
        """Until this worker has begun ``steps`` steps in all, one at least of each workflow and child that was started
        on it directly, and one of a queued workflow.
        """
        rows = [row for row in expectations(self.started) if row["steps"]]
        children = {row["parent"] for row in rows if "parent" in row}
        direct = {row["workflow"] for row in rows if row["kind"] != "queued"} - children
        queued = {row["workflow"] for row in rows if row["kind"] == "queued"}
        label = self.lives[slot].label

        async def at_work() -> bool:
            begun = await self.store.begun(label)
            return sum(begun.values()) >= steps and begun.keys() >= direct and bool(begun.keys() & queued)

        return await self.until_true(at_work, within_s)

    async def until_declared_dead(self, executor: str, within_s: float) -> bool:
        """Until the relay has a peer recover it: the wire shows that in every runtime and at every relay."""
        seen = len(self.recorder.events)

        def named() -> bool:
            nonlocal seen
            fresh, seen = self.recorder.events[seen:], len(self.recorder.events)
            return any(
                isinstance(event, events.Frame) and event.by == "relay" and executor in event.data
                and '"recovery"' in event.data for event in fresh
            )  # fmt: skip

        return await self.until(named, within_s)

    async def unfinished(self) -> set[str]:
        """Expected workflows and children that have no terminal status."""
        statuses = await self.store.statuses()
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
        """Write the expected outcomes, the status log and the step ledger into the history (SQLite)."""
        store = self.store
        assert isinstance(store, SqliteStore), "other stores give cases"
        rows = await asyncio.to_thread(store.log.rows) if store.log is not None else []
        for source, found in (
            ("expected", list(expectations(self.started))), ("trigger", rows), ("ledger", store.ledger.executions())
        ):  # fmt: skip
            self.recorder.add(events.Ledger, source=source, rows=tuple(found))

    async def close(self) -> None:
        """Kill all workers, then take tap and links down. What they wrote stays in the folder."""
        for life in self.lives.values():
            life.kill()
        for life in self.lives.values():
            await life.ended()
        if self._links is not None:
            await self._links.stop()
        await self.tap.stop()
        await self.store.close()
