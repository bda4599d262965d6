"""Temporary folders that are found again when nobody is left to remove them.

Whoever makes one holds a lock on a file in it for as long as it lives. The lock ends with the process, however that
ended, SIGKILL included; so a folder whose lock is free belongs to nobody, and the next one to make a folder removes it.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import tempfile
from functools import cache
from pathlib import Path
from types import TracebackType
from typing import Self

__all__ = ["Scratch", "sweep"]

PREFIX = "relayproof-"
_OWNER = ".owner"


class Scratch:
    """An empty folder of this process's own; `remove` it, or use it as a context."""

    def __init__(self, purpose: str, parent: Path | None = None) -> None:
        """``parent`` None: the usual place for temporary files."""
        place = Path(tempfile.gettempdir()) if parent is None else parent
        _swept_once(place)
        self.path = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{purpose}-", dir=place))
        # Locked before it has its name: under that name it is never seen unlocked while its owner lives.
        unnamed = self.path / f"{_OWNER}-new"
        self._owner = os.open(unnamed, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        unnamed.rename(self.path / _OWNER)

    def remove(self) -> None:
        """A second call does nothing."""
        shutil.rmtree(self.path, ignore_errors=True)
        if self._owner >= 0:
            os.close(self._owner)
            self._owner = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.remove()


@cache
def _swept_once(parent: Path) -> None:
    sweep(parent)


def sweep(parent: Path) -> list[Path]:
    """Remove the folders in ``parent`` whose owners are gone, and return them. Those of others stay untouched."""
    removed = []
    for folder in parent.glob(f"{PREFIX}*"):
        if _is_ownerless(folder):
            shutil.rmtree(folder, ignore_errors=True)
            removed.append(folder)
    return removed


def _is_ownerless(folder: Path) -> bool:
    """Also False where there is no owner's file: then somebody else made the folder, or makes it just now."""
    with contextlib.suppress(OSError):
        if folder.stat().st_uid != os.geteuid() or folder.is_symlink():
            return False
        owner = os.open(folder / _OWNER, os.O_RDWR | os.O_CLOEXEC)
        try:
            fcntl.flock(owner, fcntl.LOCK_EX | fcntl.LOCK_NB)
        finally:
            os.close(owner)
        return True
    return False
