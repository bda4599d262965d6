"""What a scenario may use: the seam between the catalogue and the worlds that run it.

A scenario awaits nothing but what a world gives it, so that the same coroutine runs on real
sockets and on virtual time. Everything that a world does or sees goes into its history.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from typing import Any, Protocol, TypeVar

import msgspec

from conductor.timing import Timing
from evidence.events import Seen
from scenarios.profile import Profile

T = TypeVar("T")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """How a scripted executor answers one type of request. The default is a plain success."""

    fields: Mapping[str, Any] | None = None  # response fields besides type and request_id; None: the type's default
    silent: bool = False  # never answer
    after_s: float = 0.0  # answer this late
    times: int | None = None  # only the first n requests; then the default
    type: str | None = None  # answer under another type
    request_id: str | None = None  # answer under another id
    raw: bytes | None = None  # send these bytes as one text frame instead
    repeat: int = 1  # send the answer this often
    fragments: int = 1  # in this many fragments (wire world)
    then: str = ""  # after (or, with silent, instead of) the answer: "close", "rst", "freeze"


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """How a scripted executor behaves. Frozen: `Executor.script` replaces it whole."""

    replies: Mapping[str, Reply | Sequence[Reply]] = {}  # by request type; a sequence: one after the other
    pongs: bool = True  # answer the relay's pings
    pong_after_s: float = 0.0
    pong_repeat: int = 1  # Java answers twice
    client_ping_s: float | None = None  # own pings (the SDKs: 20 s); None: none
    redial_s: float | None = None  # dial again this long after the socket ended; None: stay away
    reading: bool = True  # False: never reads (wire: stops reading the socket)


class Executor(Protocol):
    """A scripted executor: one identity, any number of connections one after (or beside) another."""

    id: str
    conn: int  # number of its newest connection in the history

    async def connect(self, *, wait: bool = True) -> int:
        """Dial (again). With ``wait``: until the handshake is answered. Returns the connection number."""
        ...

    def script(self, script: Script) -> None: ...

    async def close(self, code: int = 1000, *, conn: int | None = None) -> None:
        """Close in good order."""
        ...

    async def drop(self, how: str = "rst", *, conn: int | None = None) -> None:
        """End the socket without a close frame: "rst" or "fin"."""
        ...

    async def half_close(self, *, conn: int | None = None) -> None:
        """Shut down the sending side only (wire world)."""
        ...

    async def freeze(self, *, conn: int | None = None) -> None:
        """From now on neither read nor write, the socket stays open: a cut cable, a paused process."""
        ...

    async def thaw(self, *, conn: int | None = None) -> None: ...

    async def send(self, frame: Mapping[str, Any] | bytes | str, *, conn: int | None = None) -> None:
        """Send a text frame: a mapping as JSON, anything else as it is."""
        ...

    async def send_raw(self, data: bytes, *, conn: int | None = None) -> None:
        """Bytes onto the TCP connection as they are (wire world)."""
        ...

    async def send_binary(self, data: bytes, *, conn: int | None = None) -> None: ...

    async def ping(self, payload: bytes = b"", *, conn: int | None = None) -> None: ...

    async def pong(self, payload: bytes = b"", *, conn: int | None = None) -> None: ...


class App(Protocol):
    """One application of one organisation, the scenario's own."""

    org: str
    name: str
    grace_s: float


class Answer(msgspec.Struct, frozen=True):
    """Of a management call. ``status`` 0: none came."""

    call: int
    status: int
    body: Any = None


class Control(Protocol):
    """The relay's management side. Every call is recorded as Request and Answer.

    The wire world speaks the Conductor API v2 (or the profile's own class); the simulated world
    maps the same operations onto the core. Operations that the relay lacks raise `Unsupported`.
    """

    async def patch_settings(self, app: App, changes: Mapping[str, Any]) -> Answer: ...
    async def executors(self, app: App) -> Sequence[Seen]:
        """The list, recorded as a Poll. Raises `ControlError` where none was had; that is recorded too."""
        ...

    async def audit(self, org: str) -> Sequence[Mapping[str, Any]]: ...
    async def surfaced(self, app: App) -> Sequence[str]: ...
    async def workflow(self, app: App, op: str, workflow_id: str = "", **args: Any) -> Answer:
        """``op``: list, search, get, steps, cancel, resume; also "versions"."""
        ...

    async def operation(
        self,
        app: App,
        name: str,
        subject: str = "",
        *,
        query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:
        """Any of `scenarios.operations.ROUTES`. ``subject``: the workflow, schedule, queue ... that it is about."""
        ...

    async def http(
        self,
        method: str,
        path: str,
        *,
        json: Any = None,
        token: str | None = "",
        raw: bytes | None = None,
        content_type: str | None = None,
        org: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """Any HTTP request (wire world). ``token`` "" means the world's own, None means none."""
        ...

    async def create_key(
        self, org: str, apps: Sequence[str] = (), permissions: Sequence[str] | None = None
    ) -> tuple[str, str]:
        """Returns (name, secret)."""
        ...

    async def revoke_key(self, org: str, name: str) -> Answer: ...


class RelayControl(Protocol):
    """The relay under test as a process. Raises `Unsupported` where the profile gives no way."""

    async def kill(self) -> None:
        """SIGKILL: what was not durable is gone."""
        ...

    async def start(self) -> None:
        """Start (again) on the same data; returns when it is ready."""
        ...

    async def restart(self, down_s: float = 0.0) -> None: ...

    async def log(self) -> str:
        """What it logged since the scenario began; recorded as RelayLog."""
        ...

    async def step_clock(self, seconds: float) -> None:
        """Step the relay's wall clock, forward or back (simulated world; `Unsupported` elsewhere)."""
        ...


class World(Protocol):
    name: str
    profile: Profile
    timing: Timing
    seed: int
    control: Control
    relay: RelayControl

    def now_ns(self) -> int: ...

    async def sleep(self, seconds: float) -> None:
        """Hold a behaviour for a time that is part of the stimulus; never to wait for the relay."""
        ...

    async def app(
        self,
        *,
        grace_s: float | None = None,
        org: str | None = None,
        name: str | None = None,
        settings: Mapping[str, Any] | None = None,
        register: bool = True,
    ) -> App:
        """A fresh application. ``grace_s`` None: the run's grace. ``org`` "other": a second organisation."""
        ...

    async def executor(
        self,
        app: App,
        id: str | None = None,
        *,
        version: str = "v1",
        language: str = "python",
        hostname: str | None = "host",
        sdk_version: str = "2.31.1",
        metadata: Mapping[str, Any] | None = None,
        script: Script | None = None,
        key: str | None = None,
        connect: bool = True,
        info: Mapping[str, Any] | None = None,
        path: str | None = None,
    ) -> Executor:
        """A scripted executor, connected and handshaken unless told otherwise.

        ``info`` overrides fields of the executor_info answer (None as a value: null; the string
        "<absent>": the field is left out). ``path`` replaces the whole request path (wire world).
        """
        ...

    async def until_status(self, executor: Executor, *statuses: str, within_s: float) -> bool:
        """Wait until the list shows one of the statuses ("GONE": no record). False: the deadline passed.

        Polls faster near a boundary of the executor's own windows. Relays without a list: returns
        when the wire shows it (closed socket, recovery frame), or at the deadline.
        """
        ...

    async def until_frame(
        self,
        executor: Executor,
        type: str,
        *,
        within_s: float,
        conn: int | None = None,
        count: int = 1,
        match: Mapping[str, Any] | None = None,
    ) -> Mapping[str, Any] | None:
        """Wait until the relay has sent this executor ``count`` such requests; the last of them, or None."""
        ...

    async def until_closed(self, executor: Executor, *, within_s: float, conn: int | None = None) -> bool: ...

    async def until_ping(self, executor: Executor, *, within_s: float, count: int = 1) -> bool:
        """Wait for this many further pings of the relay on the newest connection."""
        ...

    async def until(self, what: Callable[[], Awaitable[bool]], *, within_s: float) -> bool:
        """Ask ``what`` again and again (about every scan/2) until it is true or the deadline passed."""
        ...

    def last(self, event: str, **fields: Any) -> int:
        """Number ``n`` of the newest event of this tag whose fields equal these; raises LookupError."""
        ...

    def expect(self, clause: str, rule: str, text: str = "", **args: Any) -> None:
        """Write an expectation for the judge. See evidence/rules for the rules and their arguments."""
        ...

    def note(self, text: str, **detail: Any) -> int: ...

    def spawn(self, coroutine: Coroutine[Any, Any, T]) -> Awaitable[T]:
        """Run beside; await the result to join. Unjoined ones are cancelled at the end."""
        ...

    async def gather(self, *coroutines: Coroutine[Any, Any, Any]) -> list[Any]: ...
