"""A process that runs an SDK: it dials, answers requests, and runs workflows on the database."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import msgspec

from evidence.history import Recorder
from reference_relay.core.records import AppKey
from scenarios.scripting import Answerer
from scenarios.world import Script
from simulator.clock import SECOND_NS, Clock, ns
from simulator.models import statements
from simulator.models.calls import CallRecord
from simulator.models.client import Client
from simulator.models.database import Database, Row
from simulator.models.host import HostClock
from simulator.models.manner import Manner
from simulator.models.operations import confused
from simulator.models.path import Path
from simulator.models.run import Run
from simulator.models.sdk import BACKOFF_CAP_S, Sdk

_HANDLER_NS = 1_000_000
_MOST_STARVED_NS = 5 * SECOND_NS  # what starving adds to one piece of work, so that it ends soon after it heals
_ACK_NS = 500_000  # from an acknowledgement on the wire to the death that it triggers


class Surroundings(Protocol):
    """What a process needs of its world."""

    clock: Clock
    recorder: Recorder | None
    database: Database

    def next_conn(self) -> int: ...
    def knock(self, client: Client, app: AppKey) -> None: ...
    def quiet(self, process: Process, client: Client) -> bool: ...
    def forget(self, client: Client) -> None:
        """The connection has ended."""
        ...

    def recovery_reached(self, process: Process, ids: list[str]) -> None: ...
    def asked(self, frame: Mapping[str, Any], read_ns: int) -> CallRecord | None:
        """The management call whose request this is, which was read at ``read_ns``."""
        ...

    def died(self, process: Process) -> None: ...
    def draw(self) -> float:
        """Between 0 and 1, from the run's seed."""
        ...


class Process:
    """From its start to its death. What happens while it is stopped happens when it goes on."""

    def __init__(
        self, world: Surroundings, id: str, app: AppKey, version: str, sdk: Sdk, path: Path, host: HostClock,
        manner: Manner, info: Mapping[str, Any], poll_phase_ns: int,
    ) -> None:  # fmt: skip
        self.id = id
        self.app = app
        self.version = version
        self.language = sdk.language
        self.sdk = sdk
        self.path = path
        self.host = host
        self.manner = manner
        self.poll_phase_ns = poll_phase_ns
        self.alive = True
        self.known = False
        self.paused = False
        self.leaving = False
        self.slowness = 1.0
        self.busy = False
        self.client: Client | None = None
        self.clients: list[Client] = []
        self.runs: dict[str, int] = {}
        self.world = world
        self._info = info
        self._answerer = Answerer(info, Script())
        self._failed_dials = 0
        self._stopped: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self._handlers: dict[str, Callable[[Client, Mapping[str, Any]], None]] = {
            "executor_info": self._introduce,
            "recovery": self._recover,
            "exist_pending_workflows": self._exist_pending,
            "get_workflow_aggregates": self._aggregates,
            "list_application_versions": self._versions,
            "list_workflows": self._list,
            "cancel": self._cancel,
        }

    def start(self) -> None:
        self.world.database.workers.append(self)
        self.world.database.look()
        self.dial()

    # ---- time

    @property
    def recorder(self) -> Recorder | None:
        return self.world.recorder

    @property
    def working(self) -> bool:
        """Whether it takes work. Not before the relay knows it: what an executor strands that no relay has ever heard
        of is beyond any relay's reach, and says nothing about one."""
        return self.alive and self.known and not self.paused and not self.leaving

    def registered(self) -> None:
        """The relay has it on record."""
        if not self.known:
            self.known = True
            self.world.database.look()

    def at(self, delay_ns: int, function: Any, *args: Any) -> None:
        delay_ns = self.host.true_ns(delay_ns)
        if self.slowness != 1.0:
            delay_ns += min(int(delay_ns * (self.slowness - 1.0)), _MOST_STARVED_NS)
        self.world.clock.call(delay_ns, self.run, function, *args)

    def run(self, function: Any, *args: Any) -> None:
        if not self.alive:
            return
        if self.paused:
            self._stopped.append((function, args))
        else:
            function(*args)

    def pause(self) -> None:
        self.paused = True

    def resume(self) -> None:
        if not self.paused:
            return
        self.paused = False
        waiting, self._stopped = self._stopped, []
        for function, args in waiting:
            self.run(function, *args)
        self.world.database.look()

    # ---- life and death

    def kill(self) -> None:
        """SIGKILL: the kernel resets its sockets; nothing that it wanted to do happens."""
        if not self.alive:
            return
        for client in self.clients:
            client.abort("kill")
        self._die()

    def stop(self) -> None:
        """A graceful shutdown: its PENDING rows stay PENDING (every SDK)."""
        if not self.alive:
            return
        self.leaving = True
        for client in self.clients:
            if self.sdk.stop_code is None:
                client.abort("fin")
            else:
                client.goodbye(self.sdk.stop_code)
        self._die()

    def _die(self) -> None:
        self.alive = False
        self._stopped.clear()
        if self in self.world.database.workers:
            self.world.database.workers.remove(self)
        self.world.died(self)

    # ---- the connection (simulator.models.client.Owner)

    def dial(self) -> None:
        if self.alive and not self.leaving:
            self.client = Client(self)
            self.clients.append(self.client)

    def next_conn(self) -> int:
        return self.world.next_conn()

    def knock(self, client: Client) -> None:
        self.world.knock(client, self.app)

    def quiet(self, client: Client) -> bool:
        return self.world.quiet(self, client)

    def opened(self, client: Client) -> None:
        self._failed_dials = 0

    def ended(self, client: Client, *, established: bool) -> None:
        if client in self.clients:
            self.clients.remove(client)
        self.world.forget(client)
        if client is not self.client or self.leaving:
            return  # a twin
        if established:
            self.at(ns(self.sdk.redial_s), self.dial)
        elif self.sdk.backs_off:
            pause_s = min(2.0**self._failed_dials, BACKOFF_CAP_S) * (0.5 + self.world.draw())
            self._failed_dials += 1
            self.at(ns(pause_s), self.dial)
        else:
            self.at(ns(self.sdk.redial_s or 1.0), self.dial)

    # ---- requests

    def request(self, client: Client, frame: Mapping[str, Any], data: bytes) -> None:
        if self.manner.deaf and frame.get("type") != "executor_info":
            client.unanswered.append(str(frame.get("request_id")))
            return
        if self.busy and self.sdk.serial:
            client.waiting.append((frame, data))
        else:
            self._begin(client, frame, data)

    def _begin(self, client: Client, frame: Mapping[str, Any], data: bytes) -> None:
        self.busy = True
        client.unanswered.append(str(frame.get("request_id")))
        if self.manner.late_ns and frame.get("type") != "executor_info":
            # Its handler is quick, its answer is long on its way: further requests are not held up.
            self.at(self.manner.late_ns, self._handle, client, frame, data, self.world.clock.now_ns)
            self._next(client)
        else:
            self.at(_HANDLER_NS, self._handle, client, frame, data, self.world.clock.now_ns)

    def _handle(self, client: Client, frame: Mapping[str, Any], data: bytes, read_ns: int) -> None:
        record = self.world.asked(frame, read_ns)
        if record is not None:
            payload = self._reply(client, frame, record.marked)
            if self.manner.wrong != "type":
                record.answers.append(payload)
            return
        handler = self._handlers.get(str(frame.get("type")))
        if handler is not None:
            handler(client, frame)
            return
        plan = self._answerer.plan(data.decode())
        if plan is not None and plan.payloads:
            self._answer(client, frame, plan.payloads[0])

    def _reply(self, client: Client, frame: Mapping[str, Any], fields: Mapping[str, Any]) -> bytes:
        type_ = frame["type"]
        if type_ != "executor_info":
            if self.manner.wrong == "type":
                type_, fields = confused(str(type_), fields)
            elif self.manner.wrong == "error":
                fields = {**fields, "error_message": "the executor could not do it"}
        payload = msgspec.json.encode({"type": type_, "request_id": frame.get("request_id"), **fields})
        self._answer(client, frame, payload)
        return payload

    def _answer(self, client: Client, frame: Mapping[str, Any], payload: bytes) -> None:
        request_id = str(frame.get("request_id"))
        if request_id in client.unanswered:
            client.unanswered.remove(request_id)
        client.send(payload)
        self._next(client)

    def _next(self, client: Client) -> None:
        self.busy = False
        if client.waiting:
            self._begin(client, *client.waiting.popleft())

    def _introduce(self, client: Client, frame: Mapping[str, Any]) -> None:
        self._reply(client, frame, self._info)

    def _on_database(self, client: Client, frame: Mapping[str, Any], answer: Callable[[], Mapping[str, Any]]) -> None:
        """``answer`` once the database has been asked; what each SDK does where it is gone."""
        database = self.world.database
        if not database.up and not self.sdk.waits_for_database:
            self._reply(client, frame, {"success": False, "exist": False, "error_message": "the database is gone"})
            return

        def ask() -> None:
            self.at(database.delay_ns, lambda: self._reply(client, frame, answer()))

        database.when_up(lambda: self.run(ask))

    def _recover(self, client: Client, frame: Mapping[str, Any]) -> None:
        ids = frame.get("executor_ids")
        names = [str(each) for each in ids] if isinstance(ids, list) else []
        if self.manner.refusing:
            said = {"success": False} if self.manner.refusing == "false" else {"success": True, "error_message": "no"}
            self._reply(client, frame, said)
            return
        if self.manner.lying:
            self._reply(client, frame, {"success": True})
            return
        self.world.recovery_reached(self, names)
        self._on_database(client, frame, lambda: self.recovered(names))

    def recovered(self, names: list[str]) -> Mapping[str, Any]:
        """Do it, and say so: true also where nothing moved."""
        database = self.world.database
        for row in database.recover(self.app, names, self.version):
            if self.sdk.recovers_directly and not row.plan.queued:
                database.take_directly(row, self.id)
                self.claimed(row)
            else:
                database.enqueue_again(row)
        if self.manner.dies_after_ack:
            self.manner.dies_after_ack = False
            self.at(_ACK_NS, self.kill)
        return {"success": True}

    def _exist_pending(self, client: Client, frame: Mapping[str, Any]) -> None:
        self._on_database(client, frame, lambda: statements.exist_pending(self.world.database, self.app, frame))

    def _aggregates(self, client: Client, frame: Mapping[str, Any]) -> None:
        self._on_database(client, frame, lambda: statements.owners(self.world.database, self.app))

    def _versions(self, client: Client, frame: Mapping[str, Any]) -> None:
        self._reply(client, frame, statements.versions(self.world.database, self.app))

    def _list(self, client: Client, frame: Mapping[str, Any]) -> None:
        self._reply(client, frame, statements.unfinished(self.world.database, self.app, frame))

    def _cancel(self, client: Client, frame: Mapping[str, Any]) -> None:
        self._reply(client, frame, {"success": self.world.database.cancel(str(frame.get("workflow_id")))})

    # ---- workflows

    def claimed(self, row: Row) -> None:
        """Run it, from the first step without a checkpoint on."""
        self.runs[row.id] = self.runs.get(row.id, 0) + 1
        Run(self, row, self.runs[row.id]).go_on()
