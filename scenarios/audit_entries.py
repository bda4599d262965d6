"""Which entries of an organisation's audit log concern one scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from evidence import events
from evidence.history import Recorder


def own_entries(recorder: Recorder, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Those that mention an application or an executor of this history, and any that shows one of its keys.

    Foreign relays name the fields as they like, so the whole text of an entry is looked at.
    """
    names = {event.app for event in recorder.events if isinstance(event, events.App)}
    names |= {event.executor for event in recorder.events if isinstance(event, events.Open)}
    marks = [msgspec.json.encode(name)[1:-1] for name in sorted(names) if name]
    texts = [(row, msgspec.json.encode(row)) for row in rows]
    return [row for row, text in texts if any(mark in text for mark in marks) or recorder.holds_secret(text)]
