"""A relay's core, the executors around it, its store and its clock: one action at a time, judged at each.

The same machine is searched breadth-first, walked at random, and driven by Hypothesis.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from reference_relay.core import Core, CoreConfig, Stored
from reference_relay.core import events as ev
from reference_relay.core.config import NS
from reference_relay.core.effects import Audit, Close, Effect, Save, Send, SendPing
from reference_relay.core.records import Application, Executor, Remembered
from simulator.explore import answers, snapshot
from simulator.explore.account import Account
from simulator.explore.actions import DIE, Action
from simulator.explore.errors import Violation
from simulator.explore.invariants import Seen, judge_event, judge_state
from simulator.explore.model import Model
from simulator.explore.outside import Conn, Outside

START_NS = 1_000 * NS
_MOST_FOLLOWING = 1_000
"""Events that one action may lead to at once; a core that answers each with another one runs hot."""


class Point(NamedTuple):
    """A state to which a machine can return."""

    core: snapshot.Snapshot
    outside: Outside


class Died(Exception):
    """The relay's process ended in the middle of an event."""


class Machine:
    """``core`` is the class under test. Raises `Violation` from `do` and `check`."""

    def __init__(self, model: Model, core: type[Core] = Core) -> None:
        self.model = model
        self._config = CoreConfig(timing=model.timing)
        self.core = core(self._config)
        self._fresh = snapshot.take(self.core)
        self.outside = Outside()
        self.outside.now_ns = START_NS
        self.account = Account(self.outside, model)
        self.transacted = False  # the last action changed what is stored
        self.story: list[tuple[ev.Event | str, Sequence[Effect]]] | None = None  # of the last action, where wanted
        self._crash = ""
        for application in model.applications:
            self._put(application, 0)
        self.check()

    # ---- going back

    def point(self) -> Point:
        return Point(snapshot.take(self.core), self.outside.copy())

    def leave(self) -> Point:
        """As `point`, at no cost: the machine must go `back` before it does anything else."""
        return Point(snapshot.leave(self.core), self.outside)

    def back(self, point: Point, action: Action | None = None) -> None:
        """``action``: what is to be done there; a relay that dies first thing needs no core before."""
        if action != DIE:
            snapshot.put(self.core, point.core)
        self.outside = point.outside.copy()
        self.account.outside = self.outside

    # ---- one action

    def do(self, action: Action, crash: str = "") -> None:
        """``crash``: "before the commit" or "after the commit" of what the action changes, and before its frames leave.

        Raises `Violation`.
        """
        if self.story is not None:
            self.story = []
        self.transacted = False
        self._crash = crash
        before = self.outside.copy() if crash == "before the commit" else None
        try:
            getattr(self, f"_{action.verb}")(*action.args)
        except Died:
            if before is not None:
                before.now_ns, before.next_conn = self.outside.now_ns, self.outside.next_conn
                before.next_call = self.outside.next_call
                before.durable = self.outside.durable
                self.outside = self.account.outside = before
            self._crash = ""
            self._restart()

    def check(self) -> None:
        """Judge the state as it stands. Raises `Violation`."""
        judge_state(self.core, self.outside, self.model)

    # ---- verbs (see simulator.explore.actions)

    def _dial(self, index: int) -> None:
        out, member = self.outside, self.model.members[index]
        number = out.next_conn
        out.next_conn += 1
        out.conns[number] = Conn(number, member, index, out.now_ns, out.now_ns, out.now_ns)
        self._feed(ev.Opened(number, member.application))

    def _answer(self, request_id: str, kind: str) -> None:
        out = self.outside
        frame = out.frames[request_id]
        conn = out.conns[frame.conn]
        data = answers.data(frame, kind, conn.member, self.account.forgotten(conn.member.application))
        out.heard(frame.conn)
        self.account.answered(frame, kind)
        self._feed(ev.Text(frame.conn, data))

    def _stray(self, number: int) -> None:
        self.outside.heard(number)
        self._feed(ev.Text(number, b'{"type":"recovery","request_id":"nobody asked","success":true}'))

    def _binary(self, number: int) -> None:
        self.account.offended(number)
        self._feed(ev.Binary(number, 1))

    def _ping(self, number: int) -> None:
        self.outside.heard(number)
        self._feed(ev.Ping(number))

    def _part(self, number: int) -> None:
        self.outside.heard(number)
        self._feed(ev.Progress(number))

    def _revoke(self, number: int) -> None:
        self.account.offended(number)
        self._feed(ev.CloseConnections((number,), "the key was revoked"))

    def _tell(self, application_index: int, version: str) -> None:
        application = self.model.applications[application_index]
        self.outside.latest[application] = version
        self._feed(ev.LatestVersion(application, version))

    def _drop(self, number: int) -> None:
        self.outside.ended(number)
        self._feed(ev.Closed(number, "reset"))

    def _silence(self, number: int) -> None:
        self.account.silenced(number)

    def _tick(self) -> None:
        due_ns = self.core.next_due_ns
        assert due_ns is not None
        self.outside.now_ns = max(due_ns, self.outside.now_ns)
        self._feed(ev.Tick())

    def _settings(self, application_index: int, settings_index: int) -> None:
        self._put(self.model.applications[application_index], settings_index)

    def _remove(self, application_index: int) -> None:
        application = self.model.applications[application_index]
        self.account.removing(application)
        self._feed(ev.DeleteApplication(application))

    def _call(self, application_index: int) -> None:
        out, application = self.outside, self.model.applications[application_index]
        call_id = out.next_call
        out.next_call += 1
        out.calls[call_id] = application
        body = {"body": {"load_input": False, "load_output": False}}
        self._feed(ev.Call(call_id, application, "list_workflows", dict(body)))

    def _abandon(self, call_id: int) -> None:
        self.account.abandoned(call_id)
        self._feed(ev.CallAbandoned(call_id))

    def _die(self) -> None:
        self._restart()

    # ---- the driver's part

    def _put(self, application: object, settings_index: int) -> None:
        key = next(each for each in self.model.applications if each == application)
        settings = self.model.settings[settings_index]
        self.outside.changed(key, settings)
        self._feed(ev.PutApplication(key, f"id-{key.org}-{key.app}", settings))

    def _feed(self, event: ev.Event) -> None:
        """Give the core an event, do what it wants, and what follows at once from that; judge each."""
        waiting: list[ev.Event] = [event]
        for following in range(_MOST_FOLLOWING):
            if not waiting:
                return
            event = waiting.pop(0)
            if following:
                self._crash = ""
            effects = self._handle(event)
            if effects or type(event) is not ev.Pong:
                self._take(event, effects, waiting)
        raise Violation("LIV-1", f"the relay runs hot: {_MOST_FOLLOWING} events at once, the last of them {event}")

    def _handle(self, event: ev.Event) -> list[Effect]:
        now_ns = self.outside.now_ns
        try:
            effects = self.core.handle(event, now_ns, now_ns // 1_000_000)
        except Exception as failure:
            raise Violation("ROB-3", f"the core raised {type(failure).__name__}: {failure}") from failure
        if self.story is not None:
            self.story.append((event, effects))
        return effects

    def _take(self, event: ev.Event | str, effects: Sequence[Effect], waiting: list[ev.Event]) -> None:
        """Effects in order, as a driver carries them out: what follows a `Save` or `Audit` waits for the commit."""
        account, outside = self.account, self.outside
        stored = [effect for effect in effects if type(effect) is Save or type(effect) is Audit]
        self.transacted = self.transacted or bool(stored)
        held = False
        for place, effect in enumerate(effects):
            kind = type(effect)
            if not held and (kind is Save or kind is Audit):
                held = True
                if self._crash == "before the commit":
                    raise Died
                for each in stored:
                    if type(each) is Save:
                        account.saved(each)
                if self._crash:
                    account.settle(self.core, event)
                    raise Died
            if kind is Send:
                account.sent(effect, effects[:place])  # type: ignore[arg-type]
            elif kind is SendPing:
                if account.pinged(effect):  # type: ignore[arg-type]
                    waiting.append(ev.Pong(effect.conn, effect.payload))  # type: ignore[union-attr]
            elif kind is Close:
                account.closed(effect)  # type: ignore[arg-type]
                waiting.append(ev.Closed(effect.conn, "closed by the relay"))  # type: ignore[union-attr]
            else:
                account.other(effect)
        account.settle(self.core, event)
        judge_event(Seen(event, effects, self.core, outside, self.model))

    def _restart(self) -> None:
        """SIGKILL and a new process on the same store (LIV-15, REC-19)."""
        out = self.outside
        out.restarted()
        snapshot.put(self.core, self._fresh)
        rows = out.durable.values()
        stored = Stored(
            applications=[row for row in rows if isinstance(row, Application)],
            executors=[row for row in rows if isinstance(row, Executor)],
            remembered=[row for row in rows if isinstance(row, Remembered)],
            clock_ns=out.now_ns,
        )
        try:
            effects = self.core.load(stored, out.now_ns, out.now_ns // 1_000_000)
        except Exception as failure:
            raise Violation("ROB-3", f"the core raised {type(failure).__name__} at its start: {failure}") from failure
        if self.story is not None:
            self.story.append(("the relay dies and starts again", effects))
        self._take("restart", effects, [])
