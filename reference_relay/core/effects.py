"""What the core wants done, in order.

`Save` and `Audit` effects of one `handle` call are one transaction. Every effect that follows one
of them in the same list leaves only after that transaction is durable (AUD-5): the driver holds
them back, in order; effects before the first of them leave at once. What was held leaves only if
`Core.wants` it by then.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Any

import msgspec

from reference_relay.core.records import AppKey, Application, Executor, ExecutorKey, Remembered


class Send(msgspec.Struct, frozen=True):
    """Send a request frame, encoded, as one text message."""

    conn: int
    type: str
    request_id: str
    data: bytes


class SendPing(msgspec.Struct, frozen=True):
    conn: int
    payload: bytes


class Close(msgspec.Struct, frozen=True):
    """End the connection now: try a close frame, do not wait for the peer's, drop the socket."""

    conn: int
    code: int
    reason: str


class Save(msgspec.Struct, frozen=True):
    """Store a record (``None``: delete it). ``ages`` as in `reference_relay.store.Stored`."""

    key: ExecutorKey | AppKey
    record: Executor | Application | Remembered | None
    table: str  # "executors", "applications", "remembered"


class Audit(msgspec.Struct, frozen=True):
    """Append to the audit log. The driver adds id, time and source address."""

    org: str
    operation: str  # "executor.recover", "executor.delete", ...
    success: bool
    application: str
    details: dict[str, Any]


class Outcome(StrEnum):
    ANSWERED = "answered"  # a response of the right type, with no error_message
    REFUSED = "refused"  # a response with error_message
    NO_EXECUTOR = "no executor"  # none was healthy: 503
    FAILED = "failed"  # every healthy one failed to answer: 502
    ABANDONED = "abandoned"


class CallDone(msgspec.Struct, frozen=True):
    """The end of a `Call`. ``data`` is the response frame as it came, for ANSWERED and REFUSED."""

    call_id: int
    outcome: Outcome
    data: bytes | None = None
    error: str | None = None
    asked: int = 0  # how many executors were asked


class Applied(msgspec.Struct, frozen=True):
    """A `PutApplication` or `DeleteApplication` is durable."""

    application: AppKey


class Log(msgspec.Struct, frozen=True):
    """For the relay's own log. Never holds a key."""

    level: str  # "info", "warning"
    event: str
    fields: dict[str, Any]


Effect = Send | SendPing | Close | Save | Audit | CallDone | Applied | Log
