"""The vocabulary of a history: one frozen value a line.

A history holds what was done and what was seen, never a verdict. Times are integer nanoseconds
since the start of the scenario, on the observer's monotonic clock (virtual in the simulated world).
Every event has a number ``n``; expectations refer to other events by it.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

FORMAT = 1


class Base(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, tag_field="ev", tag=str.lower):
    n: int  # 0, 1, 2, ... without a gap
    t: int  # ns since the start


class Header(Base, frozen=True):
    """First line. Everything that a judge needs besides the events."""

    format: int
    tool: str  # "relayproof 0.1.0"
    scenario: str
    title: str
    clauses: tuple[str, ...]  # the clauses that the scenario must show something about
    world: str  # "simulated", "wire", "real"
    relay: str  # name in the profile
    profile_digest: str
    timing: dict[str, float]  # short names of `conductor.timing.Timing.names()`, seconds
    capabilities: dict[str, bool]  # what the relay can show; see `scenarios.profile`
    names: dict[str, str]  # audit operations and the like, from the profile
    seed: int
    started: str  # RFC 3339, for people


class App(Base, frozen=True):
    """An application is there. ``grace_s`` is its executorTimeoutSecs."""

    org: str
    app: str
    grace_s: float


class Setting(Base, frozen=True):
    """A settings change was acknowledged; ``asked`` is when its request left."""

    org: str
    app: str
    asked: int
    changes: dict[str, Any]


class Open(Base, frozen=True):
    """A scripted (or real) executor dials. ``conn`` numbers dials of the whole history."""

    conn: int
    org: str
    app: str
    executor: str  # the executor_id that it will report; "" if it reports none
    version: str = ""
    language: str = ""
    note: str = ""


class Upgraded(Base, frozen=True):
    conn: int


class Refused(Base, frozen=True):
    """The upgrade was refused; ``status`` 0: the TCP connection failed or ended without an answer.

    ``utf8`` false: the body was no UTF-8 text; what could not be decoded is U+FFFD in ``body``.
    """

    conn: int
    status: int
    body: str = ""
    utf8: bool = True


class Frame(Base, frozen=True):
    """One frame on the wire. Data is text where it is valid UTF-8, else base64 with ``b64`` set."""

    conn: int
    by: Literal["relay", "executor"]
    op: Literal["text", "binary", "ping", "pong", "close"]
    data: str = ""
    b64: bool = False
    size: int | None = None  # of the whole payload, where ``data`` was cut short
    code: int | None = None  # of a close frame


class Closed(Base, frozen=True):
    """The socket ended. ``by``: whose act it was, as far as the observer knows."""

    conn: int
    by: Literal["relay", "executor", "network"]
    how: Literal["close", "fin", "rst", "kill"]
    code: int | None = None


class Fault(Base, frozen=True):
    """Something was broken on purpose. ``kind``: "freeze", "thaw", "drop", "kill", "no-pongs", ..."""

    kind: str
    conn: int | None = None
    executor: str = ""
    detail: dict[str, Any] = msgspec.field(default_factory=dict)


class Seen(msgspec.Struct, frozen=True, omit_defaults=True):
    """One executor as the relay's list shows it."""

    executor: str
    status: str
    version: str = ""
    hostname: str | None = None
    language: str | None = None
    sdk_version: str | None = None
    metadata: dict[str, Any] | None = None


class Poll(Base, frozen=True):
    """The executors list of an application, asked at ``asked``, answered at ``t``.

    ``same`` set: equal to the last poll of this application, the list is left out.
    ``error`` set: no list was had (relay away, 5xx): says nothing about any executor.
    """

    org: str
    app: str
    asked: int
    executors: tuple[Seen, ...] = ()
    same: bool = False
    error: str = ""


class Request(Base, frozen=True):
    """A management call was sent. ``op`` is the control operation, such as "cancel_workflow"."""

    call: int
    op: str
    method: str = ""
    path: str = ""
    args: dict[str, Any] = msgspec.field(default_factory=dict)


class Answer(Base, frozen=True):
    """Its answer. ``status`` 0: no answer within the client's deadline, or the connection broke."""

    call: int
    status: int
    body: Any = None  # decoded JSON, or text
    content_type: str = ""
    error: str = ""


class AuditPage(Base, frozen=True):
    """The audit log of an organisation, oldest first, as read at ``asked`` .. ``t``."""

    org: str
    asked: int
    entries: tuple[dict[str, Any], ...]


class Surfaced(Base, frozen=True):
    """The profile's query for surfaced recoveries: ids of executors that wait for a peer."""

    org: str
    app: str
    asked: int
    executors: tuple[str, ...]


class Relay(Base, frozen=True):
    """The relay process: "started" (spawned), "ready" (answers /healthz), "killing", "killed", "stopped", "exited".

    "killing": the command that kills it has begun, and the process may be gone from here on; "killed": the command
    is over.
    """

    what: str
    instance: str = ""
    detail: dict[str, Any] = msgspec.field(default_factory=dict)


class RelayLog(Base, frozen=True):
    """Lines of the relay's log, where the world can read it."""

    lines: tuple[str, ...]


class Jitter(Base, frozen=True):
    """How late the observer's own loop woke at the worst since the last Jitter event, ns."""

    worst: int


class Expect(Base, frozen=True):
    """What the clause demands here. ``rule`` names a judge's rule; ``args`` are its arguments.

    An expectation may be written before or after the events it speaks of.
    """

    clause: str
    rule: str
    args: dict[str, Any] = msgspec.field(default_factory=dict)
    text: str = ""  # in words, for the report


class Ledger(Base, frozen=True):
    """Evidence of a real workload: rows of the step ledger or of the status trigger, in order."""

    source: str  # "ledger", "trigger", "expected"
    rows: tuple[dict[str, Any], ...]


class Note(Base, frozen=True):
    """A mark of the scenario for the reader and for minimum-work rules."""

    text: str
    detail: dict[str, Any] = msgspec.field(default_factory=dict)


class Footer(Base, frozen=True):
    """Last line. A history without it is a harness error."""

    events: int
    outcome: Literal["complete", "error"]
    error: str = ""


Event = (
    Header
    | App
    | Setting
    | Open
    | Upgraded
    | Refused
    | Frame
    | Closed
    | Fault
    | Poll
    | Request
    | Answer
    | AuditPage
    | Surfaced
    | Relay
    | RelayLog
    | Jitter
    | Expect
    | Ledger
    | Note
    | Footer
)
