"""What an SDK's own package declares, read off its files: which message types its Conductor client names."""

from __future__ import annotations

import re
import struct
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from conductor.catalogue import CATALOGUE
from sdk_matrix.languages import Worker

__all__ = ["declared_types"]

_UTF8_CONSTANT = 1  # class file format, section 4.4.7


def declared_types(worker: Worker) -> tuple[str, ...] | None:
    """In the catalogue's order. None: the client's files are not where its package has them, so nothing is declared."""
    read = _READERS.get(worker.language)
    says = None if read is None else read(worker)
    return None if says is None else tuple(kind for kind in CATALOGUE if says(kind))


def _texts(*places: Path) -> Callable[[str], bool] | None:
    """Whether the type stands in quotes in one of the files."""
    text = "\n".join(place.read_text(errors="replace") for place in places if place.is_file())
    return (lambda kind: re.search(rf"""["']{kind}["']""", text) is not None) if text else None


def _python(worker: Worker) -> Callable[[str], bool] | None:
    find = "import importlib.util as u; print(u.find_spec('dbos').submodule_search_locations[0])"
    asked = subprocess.run((worker.command[0], "-c", find), capture_output=True, text=True, check=False)
    return None if asked.returncode else _texts(Path(asked.stdout.strip()) / "_conductor" / "protocol.py")


def _typescript(worker: Worker) -> Callable[[str], bool] | None:
    package = Path(worker.command[-1]).parent / "node_modules" / "@dbos-inc" / "dbos-sdk"
    return _texts(package / "dist" / "src" / "conductor" / "protocol.js")


def _go(worker: Worker) -> Callable[[str], bool] | None:
    """From the module's source, which the build left in Go's cache: the program has its texts run together."""
    try:
        asked = subprocess.run(("go", "env", "GOMODCACHE"), capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    module = f"dbos-transact-golang@v{worker.version.removeprefix('v')}"
    return _texts(Path(asked.stdout.strip()) / "github.com" / "dbos-inc" / module / "dbos" / "conductor_protocol.go")


def _java(worker: Worker) -> Callable[[str], bool] | None:
    """Among the constants of the client's classes."""
    with zipfile.ZipFile(worker.command[-1]) as jar:
        names = [name for name in jar.namelist() if name.startswith("dev/dbos/transact/conductor/protocol/")]
        classes = b"".join(jar.read(name) for name in names)

    def says(kind: str) -> bool:
        return struct.pack(">BH", _UTF8_CONSTANT, len(kind)) + kind.encode() in classes

    return says if classes else None


_READERS: Mapping[str, Callable[[Worker], Callable[[str], bool] | None]] = {
    "python": _python,
    "typescript": _typescript,
    "go": _go,
    "java": _java,
}
