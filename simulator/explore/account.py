"""Keeps the account of `simulator.explore.outside.Outside`, and judges each effect when it leaves the core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec.structs import replace

from reference_relay.core import Core
from reference_relay.core import events as ev
from reference_relay.core.config import ns
from reference_relay.core.effects import Audit, CallDone, Close, Effect, Save, Send, SendPing
from reference_relay.core.records import AppKey, ExecutorKey, Status
from simulator.explore.answers import MALFORMED
from simulator.explore.errors import Violation
from simulator.explore.model import Model
from simulator.explore.outside import Conn, Frame, Life, Outside, key_of

_MESSAGE = msgspec.json.Decoder(dict[str, Any])


class Account:
    """One for each machine; ``outside`` is exchanged when the machine goes back. Methods raise `Violation`."""

    def __init__(self, outside: Outside, model: Model) -> None:
        self.outside = outside
        self._model = model
        timing = model.timing
        self._within_ns = {"recovery": ns(timing.recovery_deadline_s), "executor_info": ns(timing.handshake_deadline_s)}
        self._request_ns = ns(timing.request_deadline_s)
        self._wait_ns = ns(timing.ping_wait_s)
        self._removing: AppKey | None = None
        self._offending: int | None = None

    def forgotten(self, application: AppKey) -> tuple[ExecutorKey, ...]:
        """Ids that were recovered and are remembered, and have no record."""
        out = self.outside
        return tuple(
            sorted(
                key
                for table, key in out.durable
                if table == "remembered" and isinstance(key, ExecutorKey) and key.application == application
                if key not in out.lives
            )
        )

    # ---- what the executors and the administrator do, before the core is told

    def answered(self, frame: Frame, kind: str) -> None:
        out = self.outside
        if kind == MALFORMED:
            self.offended(frame.conn)
            return
        del out.frames[frame.request_id]
        conn = out.conns[frame.conn]
        if frame.type == "executor_info":
            out.conns[frame.conn] = replace(conn, answered=True, introduced=kind == "ok")
            if kind == "ok":
                self._registered(conn)
        elif frame.type == "recovery":
            assert frame.about is not None
            life = out.lives.get(frame.about)
            if kind == "true" and life is not None and life.status is Status.DEAD and not frame.moot:
                out.lives[frame.about] = replace(life, acknowledged=True, left=False)
        elif frame.type == "exist_pending_workflows":
            assert frame.about is not None
            self._asked_what_is_left(frame, kind)
        elif kind == "owners":
            out.owners |= frozenset(self.forgotten(conn.member.application))
        elif frame.type == "list_application_versions" and kind != "error":
            out.latest[conn.member.application] = kind

    def _registered(self, conn: Conn) -> None:
        out, key = self.outside, key_of(conn.member)
        out.lives[key] = Life(Status.HEALTHY, conn.number)
        out.owners -= {key}
        for request_id, frame in out.frames.items():
            if frame.about == key and not frame.moot:
                out.frames[request_id] = replace(frame, moot=True)

    def _asked_what_is_left(self, frame: Frame, kind: str) -> None:
        out, key = self.outside, frame.about
        if kind != "yes" or key is None:
            return
        life = out.lives.get(key)
        if life is None:
            out.owners |= {key}
        elif life.acknowledged:  # whoever asked: the verification, or a sweep beside it
            out.lives[key] = replace(life, acknowledged=False, left=True)

    def silenced(self, number: int) -> None:
        out = self.outside
        out.conns[number] = replace(out.conns[number], silent=True)

    def offended(self, number: int) -> None:
        """Its connection may be closed for it (ENV-6)."""
        self._offending = number

    def removing(self, application: AppKey) -> None:
        self._removing = application

    def abandoned(self, call_id: int) -> None:
        del self.outside.calls[call_id]

    # ---- what the core does

    def sent(self, effect: Send, before: Sequence[Effect]) -> None:
        out = self.outside
        conn = out.conns.get(effect.conn)
        if conn is None:
            raise Violation("ENV-8", f"{effect.type} is sent on a connection that has ended")
        if not conn.introduced and effect.type != "executor_info":
            raise Violation("HSK-7", f"{effect.type} is sent to {conn.member.id} before its handshake")
        if effect.request_id in out.frames:
            raise Violation("ENV-1", f"the request id {effect.request_id} is in use")
        message = _MESSAGE.decode(effect.data)
        if (message.get("type"), message.get("request_id")) != (effect.type, effect.request_id):
            raise Violation("ENV-1", f"a frame says {message}, its effect {effect.type} {effect.request_id}")
        about = None
        if effect.type == "recovery":
            about = self._recovery(conn, message, before)
        elif effect.type == "exist_pending_workflows":
            about = self._check(conn, effect.request_id, message)
        due_ns = out.now_ns + self._within_ns.get(effect.type, self._request_ns)
        out.frames[effect.request_id] = Frame(effect.request_id, conn.number, effect.type, due_ns, about)

    def _recovery(self, conn: Conn, message: dict[str, Any], before: Sequence[Effect]) -> ExecutorKey:
        out, peer = self.outside, conn.member
        ids = message.get("executor_ids")
        if not isinstance(ids, list) or len(ids) != 1:
            raise Violation("REC-1", f"a recovery names {ids}, not exactly one executor")
        dead = next((each for each in self._model.members if each.id == ids[0]), None)
        if dead is None:
            raise Violation("REC-1", f"a recovery names {ids[0]}, which nobody ever was")
        key = key_of(dead)
        life = out.lives.get(key)
        if life is not None and life.status is Status.DISCONNECTED and life.dead_from_ns <= out.now_ns:
            life = Life(Status.DEAD)  # this very tick says so
        if life is None and key in out.owners:
            life = Life(Status.DEAD)
        if life is None or life.status is not Status.DEAD:
            status = life.status if life else "GONE"
            clause = "REC-26" if status is Status.HEALTHY else "LIV-6"
            raise Violation(clause, f"{peer.id} is asked to recover {dead.id}, which is {status}")
        if (peer.application.org, peer.application.app) != (dead.application.org, dead.application.app):
            clause = "REC-3" if peer.application.org == dead.application.org else "REC-4"
            raise Violation(clause, f"{peer.id} of {peer.application} is asked to recover {dead.id}")
        if not out.is_newest(conn):
            raise Violation("REC-5", f"{peer.id} is asked to recover {dead.id}, and is not HEALTHY itself")
        if peer.language != dead.language:
            raise Violation("REC-23", f"{peer.id} speaks {peer.language}, {dead.id} spoke {dead.language}")
        if peer.version != dead.version:
            self._other_version(conn, dead.id, life, eligible=bool(out.eligible(dead)), version=dead.version)
        if not any(type(each) is Audit and each.operation == "executor.dispatch_recovery" for each in before):
            raise Violation("AUD-5", f"the recovery of {dead.id} leaves before its audit entry")
        out.lives[key] = replace(life, acknowledged=False, check="", left=False)
        out.owners -= {key}
        return key

    def _other_version(self, conn: Conn, dead: str, life: Life, *, eligible: bool, version: str) -> None:
        peer = conn.member
        if eligible:
            raise Violation("REC-2", f"{peer.id} of {peer.version} is asked to recover {dead} before one of {version}")
        if not self.outside.settings[peer.application].recover_to_latest_version:
            raise Violation("REC-13", f"{peer.id} of {peer.version} is asked to recover {dead} of {version}")
        if self.outside.latest.get(peer.application) != peer.version:
            raise Violation("REC-14", f"{peer.id} of {peer.version}, not the latest version, is asked about {dead}")

    def _check(self, conn: Conn, request_id: str, message: dict[str, Any]) -> ExecutorKey:
        """Whose work it asks about; after a success it verifies that success."""
        out, key = self.outside, ExecutorKey(*conn.member.application, str(message.get("executor_id")))
        life = out.lives.get(key)
        if life is not None and life.acknowledged:
            out.lives[key] = replace(life, check=request_id)
        return key

    def pinged(self, effect: SendPing) -> bool:
        """Whether the executor answers."""
        out = self.outside
        conn = out.conns.get(effect.conn)
        if conn is None:
            raise Violation("LIV-1", "a ping is sent on a connection that has ended")
        heard_ns = conn.heard_ns if conn.silent else out.now_ns
        out.conns[conn.number] = replace(conn, pinged_ns=out.now_ns, heard_ns=heard_ns)
        return not conn.silent

    def closed(self, effect: Close) -> None:
        """The relay ends a connection: it must have a reason."""
        out = self.outside
        conn = out.conns.get(effect.conn)
        if conn is None:
            raise Violation("ENV-4", "a connection is closed that has ended")
        silent = out.now_ns - conn.heard_ns >= self._wait_ns
        nobody = not conn.introduced and out.now_ns - conn.opened_ns >= self._within_ns["executor_info"]
        superseded = conn.introduced and not out.is_newest(conn) and len(out.conns_of(conn.member)) > 1
        away = conn.member.application == self._removing or conn.member.application not in out.settings
        if not (silent or nobody or superseded or away or conn.number == self._offending):
            raise Violation("ENV-4", f"the connection of {conn.member.id} is closed for no reason: {effect.reason}")
        out.ended(conn.number)

    def saved(self, effect: Save) -> None:
        out = self.outside
        if effect.record is not None:
            out.durable[effect.table, effect.key] = effect.record
            return
        out.durable.pop((effect.table, effect.key), None)
        if effect.table == "applications":
            assert isinstance(effect.key, AppKey)
            out.settings.pop(effect.key, None)
            out.latest.pop(effect.key, None)
        elif effect.table == "executors":
            assert isinstance(effect.key, ExecutorKey)
            self._deleted(effect.key)

    def _deleted(self, key: ExecutorKey) -> None:
        life = self.outside.lives.pop(key, None)
        if key.application == self._removing:
            return
        if life is None or life.status is not Status.DEAD:
            raise Violation("LIV-13", f"{key.executor_id} is deleted, and is {life.status if life else 'GONE'}")
        if life.left:
            raise Violation("REC-6", f"{key.executor_id} is deleted, though a peer says that work is left")
        if not life.acknowledged:
            raise Violation("REC-6", f"{key.executor_id} is deleted before any peer answered success: true")
        if not life.check:
            raise Violation("REC-21", f"{key.executor_id} is deleted, and nobody was asked whether work is left")

    def other(self, effect: Effect) -> None:
        out = self.outside
        if type(effect) is CallDone:
            if out.calls.pop(effect.call_id, None) is None:
                raise Violation("ENV-2", f"call {effect.call_id} ends twice, or after it was abandoned")
        elif type(effect) is Audit and effect.operation == "executor.wait_for_peer":
            key = ExecutorKey(effect.org, effect.application, str(effect.details.get("executorId")))
            life = out.lives.get(key)
            if life is not None or key in out.owners:  # a death that this very event brings has no account yet
                dead = life if life is not None and life.status is Status.DEAD else Life(Status.DEAD)
                out.lives[key] = replace(dead, told=True)

    # ---- afterwards

    def settle(self, core: Core, event: ev.Event | str) -> None:
        """Take over what the core was free to choose: the moment of a death within its window, an id that owns work."""
        out = self.outside
        for key, life in out.lives.items():
            if life.status is Status.DISCONNECTED and life.dead_from_ns <= out.now_ns:
                record = core.executors.get(key)
                if record is not None and record.status is Status.DEAD:
                    out.lives[key] = Life(Status.DEAD)
        for key in sorted(out.owners):
            record = core.executors.get(key)
            if record is not None and record.status is Status.DEAD and key not in out.lives:
                out.lives[key] = Life(Status.DEAD)
        out.owners = frozenset()
        self._removing = self._offending = None
        if type(event) is ev.Tick:
            self._lapse()
        elif type(event) is ev.CallAbandoned:  # answers that nobody waits for are tried as strays
            for request_id in [each for each in out.frames if each not in core.pending and each not in core.late]:
                del out.frames[request_id]

    def _lapse(self) -> None:
        """Late answers count for recoveries only (REC-24); what the relay does with others is tried with strays."""
        out = self.outside
        late = [frame for frame in out.frames.values() if frame.due_ns <= out.now_ns and frame.type != "recovery"]
        for frame in late:
            del out.frames[frame.request_id]
