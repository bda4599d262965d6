"""Orders that are the same in every process."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar
from zlib import crc32

T = TypeVar("T")


def rotated(items: Sequence[T], by: str) -> Iterator[T]:
    """All items once, from a start that depends on the text alone: spreads without randomness."""
    start = crc32(by.encode("utf-8", "surrogatepass")) % len(items) if items else 0
    for index in range(len(items)):
        yield items[(start + index) % len(items)]
