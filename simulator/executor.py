"""A scripted executor in virtual time: an identity with any number of dials. See `scenarios.world.Executor`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, Protocol

import msgspec

from evidence.events import Fault, Open
from evidence.history import Recorder
from scenarios.errors import Unsupported
from scenarios.scripting import Answerer, Plan
from scenarios.world import App, Script
from simulator.clock import Clock, ns
from simulator.dial import Dial
from simulator.link import Link

CLOSE_WAIT_S = 1.0
"""How long an executor that closed in good order waits for the relay's answer."""

_ON_THE_WIRE = "the simulated world has messages, not bytes: run it in the wire world"


class Surroundings(Protocol):
    """What an executor needs of its world."""

    clock: Clock
    recorder: Recorder
    upgrade_deadline_s: float

    def new_link(self) -> Link: ...

    def next_conn(self) -> int: ...

    def dial(self, app: App, link: Link, dial: Dial) -> None:
        """Let the upgrade request reach the relay."""
        ...

    def changed(self) -> None:
        """Something happened that somebody may wait for."""
        ...

    async def wait(self, true: Callable[[], bool], within_s: float) -> bool: ...


class SimulatedExecutor:
    """Plays its script on every one of its dials."""

    def __init__(
        self, world: Surroundings, app: App, id: str, *, info: Mapping[str, Any], script: Script
    ) -> None:  # fmt: skip
        self.id = id
        self.app = app
        self.conn = -1
        self.dials: dict[int, Dial] = {}
        self._world = world
        self._answerer = Answerer(info, script)

    # ---- scenarios.world.Executor

    async def connect(self, *, wait: bool = True) -> int:
        dial = self._dial()
        if wait:
            await self._world.wait(lambda: dial.over or dial.introduced, self._world.upgrade_deadline_s)
        return dial.conn

    def script(self, script: Script) -> None:
        self._answerer.script = script
        for dial in self.dials.values():
            dial.read(script.reading)
            if dial.open:
                dial.keep_pinging()

    async def close(self, code: int = 1000, *, conn: int | None = None) -> None:
        dial = self.dialled(conn)
        dial.send_close(code)
        await self._world.wait(lambda: dial.gone, CLOSE_WAIT_S)

    async def drop(self, how: str = "rst", *, conn: int | None = None) -> None:
        if how not in ("rst", "fin", "kill"):
            raise ValueError(f"drop({how!r}): give 'rst', 'fin' or 'kill'")
        dial = self.dialled(conn)
        self._fault("drop", dial, how=how)
        dial.drop("rst" if how == "rst" else "fin")

    async def half_close(self, *, conn: int | None = None) -> None:
        raise Unsupported(_ON_THE_WIRE)

    async def freeze(self, *, conn: int | None = None) -> None:
        self.freeze_now(self.dialled(conn))

    async def thaw(self, *, conn: int | None = None) -> None:
        dial = self.dialled(conn)
        self._fault("thaw", dial)
        dial.thaw()

    async def send(self, frame: Mapping[str, Any] | bytes | str, *, conn: int | None = None) -> None:
        self.dialled(conn).send("text", _payload(frame))

    async def send_raw(self, data: bytes, *, conn: int | None = None) -> None:
        raise Unsupported(_ON_THE_WIRE)

    async def send_binary(self, data: bytes, *, conn: int | None = None) -> None:
        self.dialled(conn).send("binary", data)

    async def ping(self, payload: bytes = b"", *, conn: int | None = None) -> None:
        self.dialled(conn).send("ping", payload)

    async def pong(self, payload: bytes = b"", *, conn: int | None = None) -> None:
        self.dialled(conn).send("pong", payload)

    # ---- for the world

    def dialled(self, conn: int | None = None) -> Dial:
        """One of its dials, the newest by default. Raises LookupError where there is none."""
        number = self.conn if conn is None else conn
        if number not in self.dials:
            raise LookupError(f"executor {self.id!r} has no connection {number}: connect it first")
        return self.dials[number]

    def requests(self, conn: int | None = None) -> list[Mapping[str, Any]]:
        """What the relay has sent on one of its dials, or on all, in order."""
        dials = self.dials.values() if conn is None else [self.dialled(conn)]
        return [request for dial in dials for request in dial.requests]

    # ---- simulator.dial.Owner

    @property
    def playing(self) -> Script:
        return self._answerer.script

    def plan(self, frame: str) -> Plan | None:
        return self._answerer.plan(frame)

    def changed(self) -> None:
        self._world.changed()

    def ended(self, dial: Dial) -> None:
        if self.playing.redial_s is not None:
            # A frozen process notices the end of its socket when it goes on.
            dial.when_thawed(self._world.clock.call, ns(self.playing.redial_s), self._dial)

    def drop_now(self, dial: Dial, how: Literal["rst", "fin"]) -> None:
        self._fault("drop", dial, how=how)
        dial.drop(how)

    def freeze_now(self, dial: Dial) -> None:
        self._fault("freeze", dial)
        dial.freeze()

    # ---- within

    def _dial(self) -> Dial:
        self.conn = self._world.next_conn()
        link = self._world.new_link()
        dial = Dial(self.conn, self._world.clock, self._world.recorder, link, self)
        self.dials[dial.conn] = dial
        info = self._answerer.info
        self._world.recorder.add(
            Open, conn=dial.conn, org=self.app.org, app=self.app.name, executor=self.id,
            version=_text(info.get("application_version")), language=_text(info.get("language")),
        )  # fmt: skip
        self._world.dial(self.app, link, dial)
        return dial

    def _fault(self, kind: str, dial: Dial, **detail: Any) -> None:
        self._world.recorder.add(Fault, kind=kind, conn=dial.conn, executor=self.id, detail=detail)


def _payload(frame: Mapping[str, Any] | bytes | str) -> bytes:
    if isinstance(frame, str):
        return frame.encode("utf-8", "surrogatepass")
    return frame if isinstance(frame, bytes) else msgspec.json.encode(dict(frame))


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
