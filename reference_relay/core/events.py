"""What the core is told. Every event comes with ``now_ns`` as an argument of `Core.handle`."""

from __future__ import annotations

import msgspec

from reference_relay.core.records import AppKey, Settings


class Opened(msgspec.Struct, frozen=True):
    """An upgrade was accepted. The driver numbers connections 1, 2, 3, ... and never reuses a number."""

    conn: int
    application: AppKey


class Text(msgspec.Struct, frozen=True):
    """A whole text message (fragments joined) came in."""

    conn: int
    data: bytes


class Binary(msgspec.Struct, frozen=True):
    """A binary message came in: never part of the protocol."""

    conn: int
    size: int


class Ping(msgspec.Struct, frozen=True):
    """The executor's own ping; the driver has answered it already."""

    conn: int


class Pong(msgspec.Struct, frozen=True):
    conn: int
    payload: bytes


class Progress(msgspec.Struct, frozen=True):
    """A part of a message that is not whole yet came in: a sign of life like any frame (LIV-17)."""

    conn: int


class Closed(msgspec.Struct, frozen=True):
    """The socket is gone, or its close frame came: both are a disconnection (LIV-4)."""

    conn: int
    reason: str  # "close frame 1000", "reset", "end of stream", "write failed", ...


class Tick(msgspec.Struct, frozen=True):
    """Time has come: `Core.next_due_ns` was reached."""


class Call(msgspec.Struct, frozen=True):
    """The management API wants an answer of some executor of the application.

    ``message`` is a request without its id: the core numbers it. With ``version`` only executors of
    that application version are asked; with ``failover`` the next one is asked when one fails.
    """

    call_id: int
    application: AppKey
    type: str
    fields: dict[str, object]
    version: str | None = None
    failover: bool = True


class CallAbandoned(msgspec.Struct, frozen=True):
    """The caller has gone away; its answer is not wanted any more."""

    call_id: int


class PutApplication(msgspec.Struct, frozen=True):
    """Create or change an application. Durable before its `Applied` effect leaves."""

    application: AppKey
    app_id: str
    settings: Settings


class DeleteApplication(msgspec.Struct, frozen=True):
    """Forget an application and its executors; its connections are closed."""

    application: AppKey


class LatestVersion(msgspec.Struct, frozen=True):
    """The driver (or an API answer) learnt the latest application version."""

    application: AppKey
    version: str


class CloseConnections(msgspec.Struct, frozen=True):
    """A key was revoked: close these connections."""

    conns: tuple[int, ...]
    reason: str


Event = (
    Opened
    | Text
    | Binary
    | Ping
    | Pong
    | Progress
    | Closed
    | Tick
    | Call
    | CallAbandoned
    | PutApplication
    | DeleteApplication
    | LatestVersion
    | CloseConnections
)
