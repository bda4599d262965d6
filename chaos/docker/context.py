"""Build contexts: which files a Dockerfile gets, as a value with a digest, and as the tar that an engine takes."""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterable, Mapping
from pathlib import Path

__all__ = ["Files", "digest", "tar", "tree"]

Files = Mapping[str, bytes]
"""Path in the context -> content. All are readable by everybody; programs, by their first bytes, are executable."""

_SKIPPED = frozenset({"__pycache__", ".venv", ".built"})
_PROGRAMS = (b"\x7fELF", b"#!")


def tree(folder: Path, prefix: str = "") -> dict[str, bytes]:
    """All files below a folder, but for what a tool leaves there. A path that is a file gives that file alone."""
    if folder.is_file():
        return {prefix + folder.name: folder.read_bytes()}
    return {
        prefix + path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not _SKIPPED.intersection(path.relative_to(folder).parts)
    }


def digest(parts: Iterable[str], files: Files) -> str:
    """Twelve hexadecimal digits that change when any part, path or content does."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.encode()).digest())
    for path, content in sorted(files.items()):
        total.update(hashlib.sha256(path.encode()).digest() + hashlib.sha256(content).digest())
    return total.hexdigest()[:12]


def tar(files: Files) -> bytes:
    """Owners and times are always the same, so that the engine finds its layers again."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for path, content in sorted(files.items()):
            entry = tarfile.TarInfo(path)
            entry.size, entry.mode = len(content), 0o755 if content.startswith(_PROGRAMS) else 0o644
            archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
