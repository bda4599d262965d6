"""Writing a history while it happens, and reading it back as evidence.

A history is JSON lines: one event of `evidence.events` a line, header first, footer last. It holds
no verdict. A file without its footer, with a gap in its numbers or with a line that is no event is
refused: it proves nothing.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import TracebackType
from typing import Any, BinaryIO, Literal, Self
from urllib.parse import quote

import msgspec

from evidence.errors import HistoryError, MalformedHistory, RecorderMisuse, TruncatedHistory, UnknownFormat
from evidence.events import FORMAT, Base, Event, Footer, Frame, Header, Poll, Seen
from evidence.timeline import Timeline

__all__ = ["History", "Recorder", "digest", "load", "parse"]

_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Any] = msgspec.json.Decoder(Event)

LONGEST_LINE = 64 << 20
"""Bytes. Larger frames are written with their size only; an audit log of 1,000 entries is a hundredth of it."""


class Recorder:
    """Writes one history, a line at once for each event, and keeps the events in memory.

    Belongs to one event loop (or one simulation): it takes no locks. Every secret that was made known is
    replaced by ``<key:NAME>`` before anything reaches the file or the memory.
    """

    def __init__(self, path: Path | None, *, clock: Callable[[], int]) -> None:
        """``clock`` gives nanoseconds since the start of the scenario. ``path`` None: memory only."""
        self.path = path
        self.closed = False
        self._clock = clock
        self._events: list[Base] = []
        self._secrets: dict[bytes, bytes] = {}
        self._last_list: dict[tuple[str, str], tuple[Seen, ...]] = {}
        self._file: BinaryIO | None = None
        if path is not None:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("wb", buffering=0)

    @property
    def events(self) -> Sequence[Base]:
        """All events so far, in order of their number."""
        return self._events

    def secret(self, name: str, text: str) -> None:
        """From now on ``text``, plain, JSON-escaped or percent-encoded, is written as ``<key:name>``."""
        if not text:
            return
        mark = f"<key:{name}>".encode()
        once = _ENCODER.encode(text)[1:-1]
        twice = _ENCODER.encode(once.decode())[1:-1]  # JSON text within a frame's data
        for form in (twice, once, text.encode(), quote(text, safe="").encode()):
            self._secrets.setdefault(form, mark)

    def header(self, **fields: Any) -> int:
        """Write the first line. ``format``, ``tool`` and ``started`` have defaults."""
        if self._events:
            raise RecorderMisuse("the header is the first event of a history and is written once")
        started = datetime.now(UTC).isoformat(timespec="seconds")
        defaults: dict[str, Any] = {"n": 0, "t": 0, "format": FORMAT, "tool": _tool(), "started": started}
        return self._write(Header(**(defaults | fields)))

    def add(self, event: type[Base], /, **fields: Any) -> int:
        """Record one event now (or at ``t=``, if the moment was noted earlier); returns its number.

        A `Poll` whose list equals the last one of its application is written with ``same`` instead of the list.
        After `close` an event is dropped: what happens while a world is taken down is no evidence.
        """
        if not self._events:
            raise RecorderMisuse(f"{event.__name__} was recorded before the header: call Recorder.header first")
        if self.closed:
            return len(self._events) - 1
        made = event(**({"n": len(self._events), "t": self._clock()} | fields))
        return self._write(self._shortened(made) if isinstance(made, Poll) else made)

    def last(self, tag: str, **fields: Any) -> int:
        """Number of the newest event with this tag ("frame", "closed", ...) whose fields equal these.

        Raises LookupError if there is none.
        """
        for event in reversed(self._events):
            if _tag(event) == tag and all(getattr(event, name, None) == value for name, value in fields.items()):
                return event.n
        wanted = ", ".join(f"{name}={value!r}" for name, value in fields.items())
        raise LookupError(f"no event {tag!r} with {wanted or 'any fields'} in this history so far")

    def close(self, outcome: Literal["complete", "error"], error: str = "") -> None:
        """Write the footer and end the file. A second call does nothing."""
        if self.closed:
            return
        self.add(Footer, events=len(self._events), outcome=outcome, error=error)
        self.closed = True
        if self._file is not None:
            self._file.close()

    def history(self) -> History:
        """The closed history, as `load` would give it."""
        return History(self._events)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.close("complete")
        else:
            self.close("error", f"{type(error).__name__}: {error}")

    def _shortened(self, poll: Poll) -> Poll:
        if poll.error or poll.same:
            return poll
        key = (poll.org, poll.app)
        if self._last_list.get(key) == poll.executors:
            return msgspec.structs.replace(poll, executors=(), same=True)
        self._last_list[key] = poll.executors
        return poll

    def _write(self, event: Base) -> int:
        if self._secrets and isinstance(event, Frame) and event.b64:
            event = msgspec.structs.replace(event, data=self._redact_base64(event.data))
        line = _ENCODER.encode(event)
        redacted = self._redact(line)
        if redacted != line:
            line, event = redacted, _DECODER.decode(redacted)
        self._events.append(event)
        if self._file is not None:
            self._file.write(line + b"\n")
        return event.n

    def holds_secret(self, data: bytes) -> bool:
        """Whether one of the known secrets stands in the data, in any form that is redacted."""
        return self._redact(data) != data

    def _redact(self, data: bytes) -> bytes:
        for secret, mark in self._secrets.items():
            if secret in data:
                data = data.replace(secret, mark)
        return data

    def _redact_base64(self, data: str) -> str:
        try:
            raw = base64.b64decode(data, validate=True)
        except binascii.Error:
            return data
        return base64.b64encode(self._redact(raw)).decode()


class History(Timeline):
    """A complete history with the views of `Timeline`. Raises `HistoryError` where the events are none.

    `events` holds every event with header and footer, so that ``events[n].n == n``.
    """

    def __init__(self, events: Iterable[Base], name: str = "history") -> None:
        super().__init__(tuple(events))
        self.name = name
        self.header, self.footer = _checked(self.events, name)

    def __getitem__(self, n: int) -> Base:
        """The event with this number. Raises `HistoryError` for a number that the history doesn't have."""
        if not 0 <= n < len(self.events):
            raise HistoryError(f"{self.name}: there is no event {n}; the last one is {len(self.events) - 1}")
        return self.events[n]

    @property
    def end_ns(self) -> int:
        """Time of the footer."""
        return self.footer.t

    def lines(self) -> list[bytes]:
        return [_ENCODER.encode(event) for event in self.events]

    def digest(self) -> str:
        """See `digest`."""
        return digest(self.events)

    def save(self, path: Path) -> None:
        path.write_bytes(b"".join(line + b"\n" for line in self.lines()))


def load(path: Path) -> History:
    """Read a history from its file. Raises `TruncatedHistory`, `MalformedHistory` or `UnknownFormat`.

    Reads a line at a time: what is no history is refused by its first line, however large it is.
    """
    if path.exists() and not path.is_file():
        raise MalformedHistory(f"{path.name}: no regular file: give the history that a run wrote")
    with path.open("rb") as file:
        return History(_events(iter(lambda: file.readline(LONGEST_LINE + 1), b""), path.name), path.name)


def parse(data: bytes, name: str = "history") -> History:
    """Read a history from the bytes of its file. Raises as `load`."""
    return History(_events(io.BytesIO(data), name), name)


def _events(lines: Iterable[bytes], name: str) -> Iterator[Base]:
    for number, line in enumerate(lines, start=1):
        if len(line) > LONGEST_LINE:
            raise MalformedHistory(f"{name}: line {number} is longer than {LONGEST_LINE >> 20} MiB: no event is")
        if not line.endswith(b"\n"):
            raise TruncatedHistory(f"{name}: line {number} is cut off: run the scenario again")
        if number == 1:
            _check_format(line, name)
        try:
            yield _DECODER.decode(line)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as problem:
            raise MalformedHistory(f"{name}: line {number} is no event: {problem}") from problem


def digest(events: Iterable[Base]) -> str:
    """SHA-256 over the lines, without the header's ``started``: equal runs have equal digests."""
    total = hashlib.sha256()
    for event in events:
        if isinstance(event, Header):
            event = msgspec.structs.replace(event, started="")
        total.update(_ENCODER.encode(event) + b"\n")
    return total.hexdigest()


def _checked(events: Sequence[Base], name: str) -> tuple[Header, Footer]:
    if not events:
        raise TruncatedHistory(f"{name}: empty: run the scenario again")
    header, footer = events[0], events[-1]
    if not isinstance(header, Header):
        raise MalformedHistory(f"{name}: line 1 is no header but {_tag(header)!r}")
    if header.format != FORMAT:
        raise UnknownFormat(f"{name}: written in format {header.format}, this version reads format {FORMAT}")
    if not isinstance(footer, Footer):
        raise TruncatedHistory(f"{name}: no footer after {len(events)} events: run the scenario again")
    for n, event in enumerate(events):
        if event.n != n:
            raise MalformedHistory(f"{name}: line {n + 1} has number {event.n}, expected {n}")
        if isinstance(event, Header | Footer) and event is not header and event is not footer:
            raise MalformedHistory(f"{name}: line {n + 1}: a second {_tag(event)}")
    if footer.events != footer.n:
        raise TruncatedHistory(f"{name}: the footer counts {footer.events} events before it, the file has {footer.n}")
    return header, footer


class _FormatOnly(msgspec.Struct):
    format: int = FORMAT


def _check_format(line: bytes, name: str) -> None:
    """A later format may have other fields: look at its number before reading the header as ours."""
    try:
        found = msgspec.json.decode(line, type=_FormatOnly).format
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return  # the decoder of events will say what is wrong
    if found != FORMAT:
        raise UnknownFormat(f"{name}: written in format {found}, this version reads format {FORMAT}")


def _tag(event: Base) -> str:
    return str(event.__struct_config__.tag)


@cache
def _tool() -> str:
    try:
        return f"relayproof {version('relayproof')}"
    except PackageNotFoundError:  # a source tree on the path, not installed
        return "relayproof"
