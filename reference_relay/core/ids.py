"""Executor ids in order: immutable, and a change costs a chunk, not the whole.

An application's 10,000 executors as one sorted tuple made joining the dearest event of all: each join copied it three
times (measured: two thirds of a join's time). Cut into chunks, it copies one of them and the list of chunks.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import overload

_MOST = 128  # ids in a chunk; more are cut in two

Chunks = tuple[tuple[str, ...], ...]


class Ids(Sequence[str]):
    """Sorted, each once. Equal to every sequence of the same ids."""

    __slots__ = ("_chunks", "_size")

    def __init__(self, ids: Iterable[str] = ()) -> None:
        ordered = sorted(set(ids))
        self._chunks: Chunks = tuple(tuple(ordered[at : at + _MOST]) for at in range(0, len(ordered), _MOST))
        self._size = len(ordered)

    def with_id(self, executor_id: str) -> Ids:
        """These and the id; itself where it has it."""
        chunks = self._chunks
        if not chunks:
            return _made(((executor_id,),), 1)
        place = max(0, self._place(executor_id))
        chunk = chunks[place]
        at = bisect_left(chunk, executor_id)
        if at < len(chunk) and chunk[at] == executor_id:
            return self
        longer = (*chunk[:at], executor_id, *chunk[at:])
        parts = (longer,) if len(longer) <= _MOST else (longer[: _MOST // 2], longer[_MOST // 2 :])
        return _made((*chunks[:place], *parts, *chunks[place + 1 :]), self._size + 1)

    def without(self, executor_id: str) -> Ids:
        """These less the id; itself where it has it not."""
        chunks, place = self._chunks, self._place(executor_id)
        chunk = chunks[place] if place >= 0 else ()
        at = bisect_left(chunk, executor_id)
        if at == len(chunk) or chunk[at] != executor_id:
            return self
        left, after = chunk[:at] + chunk[at + 1 :], place + 1
        if after < len(chunks) and len(left) + len(chunks[after]) <= _MOST // 2:  # else small chunks would pile up
            left, after = left + chunks[after], after + 1
        parts = (left,) if left else ()
        return _made((*chunks[:place], *parts, *chunks[after:]), self._size - 1)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[str]:
        return chain.from_iterable(self._chunks)

    def __contains__(self, executor_id: object) -> bool:
        if not isinstance(executor_id, str):
            return False
        place = self._place(executor_id)
        if place < 0:
            return False
        chunk = self._chunks[place]
        at = bisect_left(chunk, executor_id)
        return at < len(chunk) and chunk[at] == executor_id

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> Sequence[str]: ...
    def __getitem__(self, at: int | slice) -> str | Sequence[str]:
        if isinstance(at, slice):
            return tuple(self)[at]
        if at < 0:
            at += self._size
        if at >= 0:
            for chunk in self._chunks:
                if at < len(chunk):
                    return chunk[at]
                at -= len(chunk)
        raise IndexError(at)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence) or isinstance(other, str):
            return NotImplemented
        return self._size == len(other) and all(mine == its for mine, its in zip(self, other, strict=True))

    def __hash__(self) -> int:
        return hash(tuple(self))

    def __repr__(self) -> str:
        return f"Ids({tuple(self)!r})"

    def _place(self, executor_id: str) -> int:
        """Of the last chunk that begins with it or before; -1: all begin after it."""
        return bisect_left(self._chunks, (executor_id + "\0",)) - 1  # no text lies between an id and this one


def _made(chunks: Chunks, size: int) -> Ids:
    made = Ids.__new__(Ids)
    made._chunks, made._size = chunks, size
    return made


NO_IDS = Ids()
