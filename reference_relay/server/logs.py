"""Structured logs: one JSON object a line on stderr, without keys, and never a line a second for one cause."""

from __future__ import annotations

import logging
import re
import sys
import time
from collections import OrderedDict
from collections.abc import Callable
from typing import Any, TextIO

import structlog

__all__ = ["RateLimitedLog", "Redactor", "configure"]

# The shape of keys, the credential of a request, and whatever stands in the key's place of a WebSocket path.
_PATTERNS = (
    (re.compile(r"dbos_[A-Za-z0-9_.~-]+"), "<key>"),
    (re.compile(r"(?i)(bearer\s+)\S+"), r"\1<key>"),
    (re.compile(r"(/websocket/[^/\s]+/)[^/\s?\"']+"), r"\1<key>"),
)


# A key for sure: what relays hand out as keys, which no name of an application looks like.
_CERTAIN = re.compile(r"dbos_[a-z0-9_]{3,30}_[A-Za-z0-9.~-]{16,}")


class Redactor:
    """Replaces keys in text. Log lines are written without keys in the first place; this is the net below.

    In log lines (`text`, `value`) whatever may be a key goes; where names must stay readable, as in the audit log and
    in answers (`names`), only what is one: a key that somebody pasted where a name belongs.
    """

    def __init__(self) -> None:
        self._known: set[str] = set()

    def learn(self, secret: str) -> None:
        """A key whose text the relay knows (from its configuration, or just created)."""
        if not _PATTERNS[0][0].fullmatch(secret):
            self._known.add(secret)

    def text(self, text: str) -> str:
        for pattern, replacement in _PATTERNS:
            text = pattern.sub(replacement, text)
        return self._without_known(text)

    def value(self, value: Any) -> Any:
        return _everywhere(value, self.text)

    def name(self, text: str) -> str:
        return self._without_known(_CERTAIN.sub("<key>", text))

    def names(self, value: Any) -> Any:
        return _everywhere(value, self.name)

    def _without_known(self, text: str) -> str:
        for secret in self._known:
            text = text.replace(secret, "<key>")
        return text

    def __call__(self, logger: Any, method: str, event: Any) -> Any:
        return {key: self.value(value) for key, value in event.items()}


def _everywhere(value: Any, change: Callable[[str], str]) -> Any:
    """Change all strings of a JSON value; what is no JSON value becomes one."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {_everywhere(key, change): _everywhere(item, change) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_everywhere(item, change) for item in value]
    return value if isinstance(value, int | float | bool | None) else change(str(value))


def configure(level: str, redactor: Redactor, stream: TextIO | None = None) -> None:
    """Send structlog and the standard library's logging (uvicorn, websockets) through one renderer."""
    shared: list[Any] = [
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    render: list[Any] = [
        structlog.stdlib.ProcessorFormatter.remove_processors_meta,
        redactor,
        structlog.processors.JSONRenderer(),
    ]
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=render))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access", "websockets", "websockets.server", "asyncio"):
        logging.getLogger(name).handlers = []
        logging.getLogger(name).propagate = True
        # Whoever connects decides how often the libraries have something to say below this level.
        logging.getLogger(name).setLevel(logging.ERROR)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(logging.getLevelNamesMapping()[level.upper()]),
        cache_logger_on_first_use=False,
    )


class RateLimitedLog:
    """One line per cause and period, with the count of those that were left out before it.

    No SDK ever gives up on a bad key: each dials once a second for ever (measured). Memory is bounded: of more than
    ``causes`` causes the one that was silent longest is forgotten.
    """

    def __init__(
        self, period_s: float = 300.0, causes: int = 1024, now_s: Callable[[], float] = time.monotonic
    ) -> None:
        self._period_s = period_s
        self._causes = causes
        self._now_s = now_s
        self._seen: OrderedDict[tuple[str, ...], tuple[float, int]] = OrderedDict()
        self._log = structlog.get_logger("reference_relay")

    def warning(self, event: str, **fields: str) -> None:
        cause = (event, *(fields[name] for name in sorted(fields)))
        now_s = self._now_s()
        since_s, suppressed = self._seen.pop(cause, (None, 0))
        if since_s is not None and now_s - since_s < self._period_s:
            self._seen[cause] = (since_s, suppressed + 1)
            return
        self._seen[cause] = (now_s, 0)
        if len(self._seen) > self._causes:
            self._seen.popitem(last=False)
        if suppressed:
            self._log.warning(event, suppressed=suppressed, **fields)
        else:
            self._log.warning(event, **fields)
