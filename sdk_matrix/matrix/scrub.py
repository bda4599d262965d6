"""Evidence says nothing of the machine that it was taken on: neither its name nor where things lie on it."""

from __future__ import annotations

import os
import re
import sys
import tempfile
from functools import cache
from pathlib import Path

import msgspec

from sdk_matrix.matrix.model import Cell

__all__ = ["scrubbed"]

_HOSTNAME = re.compile(r'("hostname":\s*")[^"]*')


def scrubbed(cell: Cell) -> Cell:
    """The cell with the host's name and the folders of this machine left out of its texts."""
    frames = tuple(msgspec.structs.replace(frame, text=_clean(frame.text)) for frame in cell.frames)
    value = cell.value if cell.measured else _clean(cell.value)
    return msgspec.structs.replace(cell, value=value, detail=_clean(cell.detail), frames=frames)


def _clean(text: str) -> str:
    for folder, name in _places():
        text = text.replace(folder, name)
    return _HOSTNAME.sub(r"\1host", text)


@cache
def _places() -> tuple[tuple[str, str], ...]:
    """Folders and what stands for them, the longest first."""
    folders = {
        str(Path(__file__).parents[2]): "relayproof",
        sys.prefix: "python",
        str(Path.home()): "~",
        tempfile.gettempdir(): "tmp",
    }
    if built := os.environ.get("RELAYPROOF_CACHE"):
        folders[built] = "cache"
    return tuple(sorted(folders.items(), key=lambda place: -len(place[0])))
