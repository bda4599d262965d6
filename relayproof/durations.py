"""Times as people write them on a command line."""

from __future__ import annotations

import re

from relayproof.errors import WrongUsage

__all__ = ["seconds"]

_WRITTEN = re.compile(r"(\d+(?:\.\d+)?)(s|m|h)?")
_UNITS = {"s": 1, "m": 60, "h": 3600, None: 1}


def seconds(option: str, text: str) -> float:
    """45s, 5m, 1h, or plain seconds. Raises `WrongUsage` naming the option."""
    found = _WRITTEN.fullmatch(text.strip())
    if found is None or float(found[1]) <= 0:
        raise WrongUsage(f"{option} {text!r}: give a time above 0 such as 45s, 5m or 1h")
    return float(found[1]) * _UNITS[found[2]]
