"""Which entries of an organisation's audit log concern one scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from evidence import events
from evidence.history import Recorder

Entry = dict[str, Any]


class Log(msgspec.Struct, frozen=True):
    """Entries, newest first as the API gives them, each with its whole text."""

    entries: Sequence[Entry]
    texts: Sequence[bytes]


def log(entries: Sequence[Entry]) -> Log:
    return Log(entries, [msgspec.json.encode(entry) for entry in entries])


def own_entries(recorder: Recorder, log: Log) -> list[Entry]:
    """Those that mention an application, an executor or a key's name of this history, and any that shows a key itself.

    Foreign relays name the fields as they like, so the whole text of an entry is looked at.
    """
    names = {event.app for event in recorder.events if isinstance(event, events.App)}
    names |= {event.executor for event in recorder.events if isinstance(event, events.Open)}
    names |= {
        event.path.rpartition("/")[2]
        for event in recorder.events
        if isinstance(event, events.Request) and event.op == "create_key"
    }
    marks = [msgspec.json.encode(name)[1:-1] for name in sorted(names) if name]
    leaks = recorder.holds_secret(b"\n".join(log.texts))
    return [
        entry
        for entry, text in zip(log.entries, log.texts, strict=True)
        if any(mark in text for mark in marks) or (leaks and recorder.holds_secret(text))
    ]
