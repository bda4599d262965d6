"""The executor's end of one connection: it records what crosses it and plays the script's part of the transport."""

from __future__ import annotations

import base64
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, Protocol

import msgspec

from evidence.events import Closed, Frame, Refused, Upgraded
from evidence.history import Recorder
from scenarios.scripting import Plan
from scenarios.world import Script
from simulator.clock import Clock, ns
from simulator.link import Link
from simulator.socket import Socket

Op = Literal["text", "binary", "ping", "pong", "close"]


class Owner(Protocol):
    """The executor that a dial belongs to."""

    @property
    def playing(self) -> Script: ...

    def plan(self, frame: str) -> Plan | None: ...

    def changed(self) -> None:
        """Something was seen on one of its dials."""
        ...

    def ended(self, dial: Dial) -> None: ...

    def drop_now(self, dial: Dial, how: Literal["rst", "fin"]) -> None: ...

    def freeze_now(self, dial: Dial) -> None: ...


class Dial:
    """One connection, from the dial to its end. ``conn`` numbers it in the history."""

    def __init__(self, conn: int, clock: Clock, recorder: Recorder, link: Link, owner: Owner) -> None:
        self.conn = conn
        self.open = False  # upgraded and not ended
        self.over = False  # refused or ended
        self.requests: list[Mapping[str, Any]] = []  # of the relay, decoded, as far as this end has read them
        self.pings = 0  # of the relay, likewise
        self.last_life_ns = 0  # when this end last sent anything
        self.ended_ns: int | None = None
        self._clock = clock
        self._recorder = recorder
        self._link = link
        self._owner = owner
        self._socket: Socket | None = None
        self._frozen: list[Callable[[], None]] | None = None  # what waits for the thaw
        self._pinging = False

    # ---- what arrives (simulator.socket.Peer)

    def upgraded(self, socket: Socket) -> None:
        self._socket = socket
        self.open = True
        self.last_life_ns = self._clock.now_ns
        self._recorder.add(Upgraded, conn=self.conn)
        self.read(self._owner.playing.reading)
        self.keep_pinging()
        self._owner.changed()

    def refused(self, status: int) -> None:
        self._recorder.add(Refused, conn=self.conn, status=status)
        self.over = True
        self._owner.changed()
        self._owner.ended(self)

    def text(self, data: bytes) -> None:
        if self.over:
            return
        self._record("relay", "text", data)
        self.when_thawed(self._read_request, data)

    def ping(self, payload: bytes) -> None:
        if self.over:
            return
        self._record("relay", "ping", payload)
        self.when_thawed(self._read_ping, payload)

    def pong(self, payload: bytes) -> None:
        if not self.over:
            self._record("relay", "pong", payload)

    def close(self, code: int, reason: str) -> None:
        """Recorded also as the answer to a close of ours; only the relay's own is echoed, and ends the connection."""
        if self.gone:
            return
        self._recorder.add(Frame, conn=self.conn, by="relay", op="close", data=reason, code=code)
        self._socket = None
        if self.over:
            self._owner.changed()
            return
        if self._frozen is None:
            self._recorder.add(Frame, conn=self.conn, by="executor", op="close", code=code)
        self._end("relay", "close", code)

    def lost(self) -> None:
        self._socket = None
        if self.open:
            self._end("relay", "fin")

    # ---- what the executor does

    def send(self, op: Op, data: bytes) -> None:
        """Send one frame; frozen, it leaves with the thaw. Nothing after the end."""
        if not self.open or self._socket is None:
            return
        self.last_life_ns = self._clock.now_ns
        self._record("executor", op, data)
        self.when_thawed(self._link.up, getattr(self._socket, f"receive_{op}"), data)

    def send_close(self, code: int) -> None:
        """Close in good order; from the executor's sight the connection has ended with it."""
        if not self.open or self._socket is None:
            return
        self._recorder.add(Frame, conn=self.conn, by="executor", op="close", code=code)
        self.when_thawed(self._link.up, self._socket.receive_close, code)
        self._end("executor", "close", code)

    def drop(self, how: Literal["rst", "fin"]) -> None:
        """End the socket without a close frame; the relay's kernel learns it a latency later."""
        if not self.open or self._socket is None:
            return
        self._link.up(self._socket.receive_end, {"rst": "reset", "fin": "end of stream"}[how])
        self._socket = None
        self._end("executor", how)

    @property
    def introduced(self) -> bool:
        """executor_info was asked (and, unless the script delays it, answered)."""
        return any(request.get("type") == "executor_info" for request in self.requests)

    @property
    def gone(self) -> bool:
        """Nothing more can come: refused, dropped, or closed by both sides."""
        return self.over and self._socket is None

    def when_thawed(self, function: Callable[..., None], *args: Any) -> None:
        """Now or, frozen, with the thaw."""
        if self._frozen is None:
            function(*args)
        else:
            self._frozen.append(partial(function, *args))

    def freeze(self) -> None:
        """Answer nothing and let nothing out. What arrives is recorded, for the observer is not frozen."""
        if self._frozen is None:
            self._frozen = []

    def thaw(self) -> None:
        """Everything that waited happens at once, in order."""
        waiting, self._frozen = self._frozen or [], None
        for happen in waiting:
            happen()

    def read(self, reading: bool) -> None:
        self._link.read(reading)

    def keep_pinging(self) -> None:
        """Send own pings as long as the script says so."""
        every_s = self._owner.playing.client_ping_s
        if every_s is not None and not self._pinging:
            self._pinging = True
            self._clock.call(ns(every_s), self._own_ping)

    # ---- within

    def _read_request(self, data: bytes) -> None:
        self.requests.append(_decoded(data))
        self._owner.changed()
        plan = self._owner.plan(data.decode(errors="replace"))
        if plan is not None:
            self._later(plan.after_s, self._carry_out, plan)

    def _carry_out(self, plan: Plan) -> None:
        if self._frozen is not None:
            self._frozen.append(partial(self._carry_out, plan))
            return
        for payload in plan.payloads:
            self.send("text", payload)
        match plan.then:
            case "close":
                self.send_close(1000)
            case "rst" | "fin" as how:
                self._owner.drop_now(self, how)
            case "freeze":
                self._owner.freeze_now(self)

    def _read_ping(self, payload: bytes) -> None:
        self.pings += 1
        self._owner.changed()
        script = self._owner.playing
        if script.pongs:
            for _ in range(script.pong_repeat):
                self._later(script.pong_after_s, self._unless_frozen, "pong", payload)

    def _own_ping(self) -> None:
        self._pinging = False
        if self.open:
            self._unless_frozen("ping", b"")
            self.keep_pinging()

    def _unless_frozen(self, op: Op, payload: bytes) -> None:
        """What a timer of a frozen process would have sent waits for the thaw."""
        if self._frozen is None:
            self.send(op, payload)
        else:
            self._frozen.append(partial(self._unless_frozen, op, payload))

    def _later(self, delay_s: float, function: Callable[..., None], *args: Any) -> None:
        if delay_s:
            self._clock.call(ns(delay_s), function, *args)
        else:
            function(*args)

    def _record(self, by: Literal["relay", "executor"], op: Op, data: bytes) -> None:
        try:
            self._recorder.add(Frame, conn=self.conn, by=by, op=op, data=data.decode())
        except UnicodeDecodeError:
            self._recorder.add(Frame, conn=self.conn, by=by, op=op, data=base64.b64encode(data).decode(), b64=True)

    def _end(self, by: Literal["relay", "executor"], how: str, code: int | None = None) -> None:
        self.open, self.over = False, True
        self.ended_ns = self._clock.now_ns
        self._recorder.add(Closed, conn=self.conn, by=by, how=how, code=code)
        self._owner.changed()
        self._owner.ended(self)


def _decoded(data: bytes) -> Mapping[str, Any]:
    """A broken relay may send anything: what is no JSON object is no request."""
    try:
        frame = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return frame if isinstance(frame, dict) else {}
