"""Keys out of what workers wrote: an SDK may log the address that it dials, and the key is part of that."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from urllib.parse import quote

__all__ = ["scrub"]


def scrub(folder: Path, keys: Mapping[str, str]) -> int:
    """Replace each key, plain or percent-encoded, by ``<key:NAME>`` in every log below; how many files had one."""
    hit = 0
    for log in folder.rglob("*.log"):
        text = bare = log.read_bytes()
        for name, key in keys.items():
            for form in {key, quote(key, safe="")} - {""}:
                text = text.replace(form.encode(), f"<key:{name}>".encode())
        if text != bare:
            log.write_bytes(text)
            hit += 1
    return hit
