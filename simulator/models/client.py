"""An SDK's end of one connection: the dial, keep-alive, and how it ends. See `simulator.models.sdk` for the figures."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from typing import Any, Literal, Protocol

import msgspec

from evidence.events import Closed, Frame, Open, Refused, Upgraded
from evidence.history import Recorder
from reference_relay.core.records import AppKey
from simulator.clock import SECOND_NS, ns
from simulator.models.path import Path, Route
from simulator.models.sdk import Sdk
from simulator.socket import Socket

_CLOSE_WAIT_NS = 5 * SECOND_NS  # how long Python keeps the socket after its close frame


class Owner(Protocol):
    """The process that dials."""

    id: str
    app: AppKey
    version: str
    sdk: Sdk
    path: Path

    @property
    def recorder(self) -> Recorder | None: ...

    @property
    def busy(self) -> bool:
        """Whether a handler runs."""
        ...

    def at(self, delay_ns: int, function: Any, *args: Any) -> None: ...
    def run(self, function: Any, *args: Any) -> None:
        """Now, or when the process goes on."""
        ...

    def next_conn(self) -> int: ...
    def knock(self, client: Client) -> None:
        """Let the upgrade request reach the relay."""
        ...

    def request(self, client: Client, frame: Mapping[str, Any], data: bytes) -> None: ...
    def opened(self, client: Client) -> None: ...
    def ended(self, client: Client, *, established: bool) -> None: ...

    def quiet(self, client: Client) -> bool:
        """Whether heartbeats of this connection are skipped now."""
        ...


class Client:
    """One dial, from the first packet to the end of the socket; implements `simulator.socket.Peer`."""

    def __init__(self, owner: Owner) -> None:
        self.conn = owner.next_conn()
        self.route = Route(owner.path, self.network_ends)
        self.remote: Socket | None = None  # the relay's end, once there is one
        self.open = False
        self.over = False
        self.opened_ns = 0
        self.last_answer = b""
        self.waiting: deque[tuple[Mapping[str, Any], bytes]] = deque()  # requests behind a serial handler
        self.unanswered: list[str] = []  # request ids that were read and not answered yet
        self._owner = owner
        self._socket: Socket | None = None
        self._pings = self._ponged = 0  # number of the next ping; of the newest that was answered
        if owner.recorder:
            owner.recorder.add(
                Open, conn=self.conn, org=owner.app.org, app=owner.app.app, executor=owner.id, version=owner.version,
                language=owner.sdk.language,
            )  # fmt: skip
        owner.knock(self)
        if owner.sdk.handshake_s is not None:
            owner.at(ns(owner.sdk.handshake_s), self._dial_timed_out)

    # ---- simulator.socket.Peer

    def upgraded(self, socket: Socket) -> None:
        if self.over:
            return
        if self._owner.recorder:
            self._owner.recorder.add(Upgraded, conn=self.conn)
        self._socket = socket
        self.open = True
        self.opened_ns = self._owner.path.clock.now_ns
        self._owner.run(self._upgraded)

    def refused(self, status: int) -> None:
        if self.over:
            return
        if self._owner.recorder:
            self._owner.recorder.add(Refused, conn=self.conn, status=status)
        self.over = True
        self.route.finish()
        self._owner.run(self._owner_ended, False)

    def text(self, data: bytes) -> None:
        if not self.over:
            self._seen("relay", "text", data)
            self._owner.run(self._read, data)

    def ping(self, payload: bytes) -> None:
        if not self.over:
            self._seen("relay", "ping", payload)
            self._owner.run(self._pong, payload)

    def pong(self, payload: bytes) -> None:
        if not self.over:
            self._seen("relay", "pong", payload)
            self._owner.run(self._hear)

    def close(self, code: int, reason: str) -> None:
        if self._owner.recorder and not self.over:
            self._owner.recorder.add(Frame, conn=self.conn, by="relay", op="close", data=reason, code=code)
        self._end("relay", "close", code)

    def lost(self) -> None:
        self._end("relay", "fin")

    # ---- what ends it from this side

    def network_ends(self, how: str) -> None:
        """FIN or RST arrives at both ends; what was on its way is lost."""
        if self.remote is not None:
            self._owner.path.clock.call(self._owner.path.latency_ns, self.remote.receive_end, how)
        self._end("network", "fin" if how == "end of stream" else "rst")

    def abort(self, how: Literal["fin", "rst", "kill"]) -> None:
        """The socket is ended without a close frame; the relay's kernel learns it as the network lets it."""
        if self.over:
            return
        self.route.up(self._tell, "reset" if how == "rst" else "end of stream")
        self._end("executor", how)

    def vanish(self, tell_after_ns: int | None) -> None:
        """This end forgets the connection; the relay's end learns it ``tell_after_ns`` later, or never."""
        if self.over:
            return
        self.route.swallows = True
        if tell_after_ns is not None:
            self._owner.path.clock.call(tell_after_ns, self._tell, "end of stream")
        self._end("executor", "fin")

    def goodbye(self, code: int) -> None:
        """A close frame; the connection is over for this side."""
        if not self.open or self._socket is None:
            self.abort("fin")
            return
        if self._owner.recorder:
            self._owner.recorder.add(Frame, conn=self.conn, by="executor", op="close", code=code)
        self.route.up(self._socket.receive_close, code)
        self._end("executor", "close", code)

    # ---- frames out

    def send(self, data: bytes) -> None:
        if self.open and self._socket is not None:
            self._seen("executor", "text", data)
            self.last_answer = data
            self.route.up(self._socket.receive_text, data)

    def send_binary(self, data: bytes) -> None:
        if self.open and self._socket is not None:
            self._seen("executor", "binary", data)
            self.route.up(self._socket.receive_binary, data)

    def send_pong(self, payload: bytes) -> None:
        if self.open and self._socket is not None:
            self._seen("executor", "pong", payload)
            self.route.up(self._socket.receive_pong, payload)

    def keep_alive(self) -> None:
        """Go on with its own pings, whatever was skipped."""
        if not self.open or self._owner.quiet(self):
            return
        sdk, now_ns = self._owner.sdk, self._owner.path.clock.now_ns
        first_ns, every_ns = self.opened_ns + ns(sdk.first_ping_s), ns(sdk.ping_s)
        due_ns = first_ns if now_ns < first_ns else now_ns + every_ns - (now_ns - first_ns) % every_ns
        self._pings += 1  # outdates every earlier time-out
        self._owner.at(due_ns - now_ns, self._ping, self._pings)

    # ---- within

    def _upgraded(self) -> None:
        if self.open:
            self._owner.opened(self)
            if not self._owner.quiet(self) and self._owner.sdk.first_ping_s == 0:
                self._pings += 1
                self._ping(self._pings)
            else:
                self.keep_alive()

    def _dial_timed_out(self) -> None:
        if not self.open and not self.over:
            self.route.up(self._tell, "end of stream")
            if self._owner.recorder:
                self._owner.recorder.add(Refused, conn=self.conn, status=0)
            self.over = True
            self._owner_ended(False)

    def _tell(self, how: str) -> None:
        if self.remote is not None:
            self.remote.receive_end(how)

    def _read(self, data: bytes) -> None:
        if self.over:
            return
        if self._owner.sdk.any_frame_is_life:
            self._hear()
        frame = decoded(data)
        if frame:
            self._owner.request(self, frame, data)

    def _pong(self, payload: bytes) -> None:
        if self.over or (self._owner.sdk.deaf_while_busy and self._owner.busy):
            return
        for _ in range(self._owner.sdk.pongs):
            self.send_pong(payload)

    def _hear(self) -> None:
        self._ponged = self._pings - 1  # the newest that was sent

    def _ping(self, number: int) -> None:
        if not self.open or self._socket is None or number != self._pings or self._owner.quiet(self):
            return
        self._seen("executor", "ping", b"")
        self.route.up(self._socket.receive_ping, b"")
        self._owner.at(ns(self._owner.sdk.pong_wait_s), self._unanswered, number)
        self._pings = number + 1
        self._owner.at(ns(self._owner.sdk.ping_s), self._ping, number + 1)

    def _unanswered(self, number: int) -> None:
        if not self.open or self._ponged >= number or self._owner.quiet(self):
            return
        sdk = self._owner.sdk
        if sdk.says_goodbye:
            self.goodbye(1000 if sdk.language == "go" else 1011)
        else:
            self.abort("rst")

    def _seen(
        self, by: Literal["relay", "executor"], op: Literal["text", "binary", "ping", "pong"], data: bytes
    ) -> None:
        if self._owner.recorder:
            text = data.decode(errors="replace")
            self._owner.recorder.add(Frame, conn=self.conn, by=by, op=op, data=text)

    def _end(self, by: Literal["relay", "executor", "network"], how: Any, code: int | None = None) -> None:
        if self.over:
            return
        established, self.open, self.over = self.open, False, True
        if self._owner.recorder:
            self._owner.recorder.add(Closed, conn=self.conn, by=by, how=how, code=code)
        self.route.finish()
        self._owner.run(self._owner_ended, established)

    def _owner_ended(self, established: bool) -> None:
        self._owner.ended(self, established=established)


def decoded(data: bytes) -> Mapping[str, Any]:
    """A broken relay may send anything: what is no JSON object is no request."""
    try:
        frame = msgspec.json.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return {}
    return frame if isinstance(frame, dict) else {}
