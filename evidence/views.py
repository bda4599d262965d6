"""Typed views of a history's events: what `evidence.timeline` puts together for rules and reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from evidence.events import Closed, Frame, Open, Poll, Refused, Seen

__all__ = ["GONE", "Ask", "Connection", "Message", "Sight", "Tenant", "Who"]

GONE = "GONE"
"""Stands for a status where the list has no record of an executor."""


class Tenant(NamedTuple):
    """One application of one organisation."""

    org: str
    app: str


class Who(NamedTuple):
    """One executor: its id means nothing outside its application."""

    org: str
    app: str
    executor: str

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.org, self.app)


@dataclass(frozen=True, slots=True)
class Message:
    """A text frame that holds one JSON object."""

    frame: Frame
    fields: dict[str, Any]

    @property
    def type(self) -> str:
        return self._text("type")

    @property
    def request_id(self) -> str:
        return self._text("request_id")

    def _text(self, name: str) -> str:
        value = self.fields.get(name)
        return value if isinstance(value, str) else ""


@dataclass(frozen=True, slots=True)
class Ask:
    """A request of the relay, with the first response under its id on the same connection, if one came."""

    request: Message
    answer: Message | None

    @property
    def sent_ns(self) -> int:
        return self.request.frame.t

    @property
    def answered_ns(self) -> int | None:
        return None if self.answer is None else self.answer.frame.t

    @property
    def names(self) -> tuple[str, ...]:
        """The executor ids that a recovery request names."""
        ids = self.request.fields.get("executor_ids")
        return tuple(each for each in ids if isinstance(each, str)) if isinstance(ids, list) else ()

    @property
    def succeeded(self) -> bool:
        """Whether the answer is of the request's type, says ``success: true`` and has no error_message."""
        if self.answer is None or self.answer.type != self.request.type:
            return False
        return self.answer.fields.get("success") is True and not self.answer.fields.get("error_message")


@dataclass(slots=True)
class Connection:
    """One dial with all that went over it. Times in ns; None: did not happen, as far as anybody saw."""

    opened: Open
    executor: str  # the id that it reported, else the one that the dial announced
    upgraded_ns: int | None = None
    refused: Refused | None = None
    handshake_ns: int | None = None  # its answer to executor_info left, usable
    closed: Closed | None = None
    relay_end: Frame | Closed | None = None  # the first act by which the relay ended it
    end_ns: int | None = None  # closed by anybody, or lost with the relay's process
    end_n: int | None = None  # the event that shows it
    fault_ns: int | None = None  # from here on something was broken on purpose: what it shows is delayed
    frames: list[Frame] = field(default_factory=list)

    @property
    def number(self) -> int:
        return self.opened.conn

    @property
    def tenant(self) -> Tenant:
        return Tenant(self.opened.org, self.opened.app)

    @property
    def who(self) -> Who:
        return Who(self.opened.org, self.opened.app, self.executor)

    def up(self, start_ns: int, end_ns: int) -> bool:
        """Whether it was handshaken before, open to the end, and nothing was broken on it in between."""
        return (
            self.handshake_ns is not None
            and self.handshake_ns <= start_ns
            and (self.end_ns is None or self.end_ns > end_ns)
            and (self.fault_ns is None or self.fault_ns > end_ns)
        )


@dataclass(frozen=True, slots=True)
class Sight:
    """One list of executors that was really had. A relay may show one id twice: `statuses` gives all."""

    poll: Poll
    executors: tuple[Seen, ...]
    shown: Mapping[str, tuple[str, ...]]  # by id; made once for all lists that are the same

    @property
    def asked_ns(self) -> int:
        return self.poll.asked

    @property
    def at_ns(self) -> int:
        return self.poll.t

    def records(self, executor: str) -> tuple[Seen, ...]:
        return tuple(seen for seen in self.executors if seen.executor == executor)

    def statuses(self, executor: str) -> tuple[str, ...]:
        """Every status that the list shows for the id; ``("GONE",)`` where it has none."""
        return self.shown.get(executor, (GONE,))
