"""What the world around the core knows: an account of its own, kept from events and effects alone.

It is the yardstick of the invariants. Nothing in it is read from the core's tables, but for the moment within a lawful
window at which the core acted.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from reference_relay.core.config import ns
from reference_relay.core.records import AppKey, Application, Executor, ExecutorKey, Remembered, Settings, Status
from simulator.explore.model import Member

Row = tuple[str, ExecutorKey | AppKey]


class Conn(Struct, frozen=True):
    """An open connection, from the executor's end."""

    number: int
    member: Member
    index: int  # of the member in its model
    opened_ns: int
    heard_ns: int  # when it last sent anything
    pinged_ns: int  # when it was last pinged, or opened
    introduced: bool = False  # executor_info was answered well
    answered: bool = False  # executor_info was answered
    silent: bool = False  # it sends nothing any more


class Frame(Struct, frozen=True):
    """A request of the relay that was not answered."""

    request_id: str
    conn: int
    type: str
    due_ns: int
    about: ExecutorKey | None = None  # whose work it is about
    moot: bool = False  # that one has come back since


class Life(Struct, frozen=True):
    """What an executor that was registered must be."""

    status: Status
    conn: int | None = None  # while HEALTHY
    since_ns: int = 0  # while DISCONNECTED
    dead_from_ns: int = 0  # while DISCONNECTED: DEAD no earlier
    dead_by_ns: int = 0  # and no later, but for the tick that says so
    acknowledged: bool = False  # while DEAD: a peer has answered success
    check: str = ""  # the request that asked what is left, first since then
    left: bool = False  # and the answer was yes
    told: bool = False  # it was surfaced that it waits


class Outside:
    """Connections, frames under way, what the store holds, and what each executor must be."""

    __slots__ = (
        "calls", "conns", "durable", "frames", "latest", "lives", "next_call", "next_conn", "now_ns", "owners",
        "settings",
    )  # fmt: skip

    def __init__(self) -> None:
        self.now_ns = 0
        self.next_conn = 1
        self.next_call = 1
        self.conns: dict[int, Conn] = {}
        self.frames: dict[str, Frame] = {}
        self.lives: dict[ExecutorKey, Life] = {}
        self.durable: dict[Row, Executor | Application | Remembered] = {}
        self.settings: dict[AppKey, Settings] = {}
        self.owners: frozenset[ExecutorKey] = frozenset()  # forgotten ids just said to own work
        self.calls: dict[int, AppKey] = {}
        self.latest: dict[AppKey, str] = {}  # the latest version, as an executor last told

    def copy(self) -> Outside:
        other = Outside.__new__(Outside)
        other.now_ns, other.next_conn, other.next_call = self.now_ns, self.next_conn, self.next_call
        other.conns, other.frames, other.lives = self.conns.copy(), self.frames.copy(), self.lives.copy()
        other.durable, other.settings, other.calls = self.durable.copy(), self.settings.copy(), self.calls.copy()
        other.owners, other.latest = self.owners, self.latest.copy()
        return other

    # ---- what follows from it

    def conns_of(self, member: Member) -> list[Conn]:
        return [conn for conn in self.conns.values() if conn.member == member]

    def eligible(self, dead: Member) -> list[Conn]:
        """Connections of those that may take over: HEALTHY, same application, version and language (REC-1, REC-23)."""
        return [
            conn
            for conn in self.conns.values()
            if conn.member.application == dead.application
            and conn.member.version == dead.version
            and conn.member.language == dead.language
            and self.is_newest(conn)
        ]

    def is_newest(self, conn: Conn) -> bool:
        """Whether it is the connection through which its executor is HEALTHY."""
        life = self.lives.get(key_of(conn.member))
        return life is not None and life.status is Status.HEALTHY and life.conn == conn.number

    # ---- what happens

    def heard(self, number: int) -> None:
        self.conns[number] = replace(self.conns[number], heard_ns=self.now_ns)

    def ended(self, number: int) -> None:
        """The connection is gone, by whose act ever: its frames are lost, its executor's grace begins."""
        conn = self.conns.pop(number, None)
        if conn is None:
            return
        for request_id in [frame.request_id for frame in self.frames.values() if frame.conn == number]:
            del self.frames[request_id]
        key = key_of(conn.member)
        life = self.lives.get(key)
        if life is not None and life.conn == number and life.status is Status.HEALTHY:
            self.lives[key] = self.gone(key)

    def gone(self, key: ExecutorKey) -> Life:
        """DISCONNECTED as of now, with a whole grace period (LIV-8)."""
        dead_ns = self.now_ns + ns(self.settings[key.application].executor_timeout_s)
        return Life(Status.DISCONNECTED, None, self.now_ns, dead_ns, dead_ns)

    def changed(self, application: AppKey, settings: Settings) -> None:
        """New settings: a running grace period may take the new length or keep the old one (LIV-10)."""
        self.settings[application] = settings
        for key, life in self.lives.items():
            if key.application == application and life.status is Status.DISCONNECTED:
                dead_ns = max(life.since_ns + ns(settings.executor_timeout_s), self.now_ns)
                self.lives[key] = replace(
                    life, dead_from_ns=min(life.dead_from_ns, dead_ns), dead_by_ns=max(life.dead_by_ns, dead_ns)
                )

    def restarted(self) -> None:
        """The relay died and is there again: LIV-15, with the downtime not counted and therefore left out."""
        self.conns.clear()
        self.frames.clear()
        self.calls.clear()
        self.latest.clear()
        self.owners = frozenset()
        for key, life in self.lives.items():
            if life.status is Status.HEALTHY:
                self.lives[key] = self.gone(key)
            elif life.status is Status.DEAD:
                self.lives[key] = Life(Status.DEAD, told=True)  # or was told: that is not asked for again


def key_of(member: Member) -> ExecutorKey:
    return ExecutorKey(*member.application, member.id)
