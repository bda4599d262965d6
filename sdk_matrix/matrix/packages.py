"""What an SDK's own package declares, read off its files: message types and durations of its Conductor client."""

from __future__ import annotations

import re
import struct
import subprocess
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from conductor.catalogue import CATALOGUE
from sdk_matrix.languages import Worker

__all__ = ["CONSTANTS", "declared_constants_s", "declared_types"]

CONSTANTS = (
    "ping_interval_s",
    "pong_deadline_s",
    "handshake_s",
    "write_deadline_s",
    "reconnect_1_s",
    "reconnect_cap_s",
)
"""Names of durations; with a cap, also reconnect_2_s to reconnect_8_s, each twice the one before, up to it."""
_UTF8_CONSTANT = 1  # class file format, section 4.4.7
_IN_A_ROW = 8
_JAVA_CLIENT = "dev/dbos/transact/conductor/"
_PROTOCOL = {"python": "protocol.py", "typescript": "protocol.js", "go": "conductor_protocol.go"}
_CLIENT = {"python": "conductor.py", "typescript": "conductor.js", "go": "conductor.go"}
_DURATIONS: Mapping[str, Mapping[str, tuple[str, float]]] = {
    "python": {
        "ping_interval_s": (r"self\.ping_interval = (\d+)", 1.0),
        "pong_deadline_s": (r"self\.ping_timeout = (\d+)", 1.0),
        "handshake_s": (r"open_timeout=(\d+)", 1.0),
        "reconnect_1_s": (r"time\.sleep\((\d+)\)", 1.0),
    },
    "typescript": {
        "ping_interval_s": (r"pingPeriodMs = (\d+)", 1e-3),
        "pong_deadline_s": (r"pingTimeoutMs = (\d+)", 1e-3),
        "handshake_s": (r"handshakeTimeout: (\d+)", 1e-3),
        "reconnect_1_s": (r"reconnectDelayMs = (\d+)", 1e-3),
    },
    "go": {
        "ping_interval_s": (r"_PING_INTERVAL\s*= (\d+) \* time\.Second", 1.0),
        "pong_deadline_s": (r"_PING_TIMEOUT\s*= (\d+) \* time\.Second", 1.0),
        "handshake_s": (r"_HANDSHAKE_TIMEOUT\s*= (\d+) \* time\.Second", 1.0),
        "write_deadline_s": (r"_WRITE_DEADLINE\s*= (\d+) \* time\.Second", 1.0),
        "reconnect_1_s": (r"_INITIAL_RECONNECT_WAIT\s*= (\d+) \* time\.Second", 1.0),
        "reconnect_cap_s": (r"_MAX_RECONNECT_WAIT\s*= (\d+) \* time\.Second", 1.0),
    },
    "java": {  # as javap prints the builder's constructor
        "ping_interval_s": (r"ipush\s+(\d+)\s.*\s+putfield .*Field pingPeriodMs", 1e-3),
        "pong_deadline_s": (r"ipush\s+(\d+)\s.*\s+putfield .*Field pingTimeoutMs", 1e-3),
        "reconnect_1_s": (r"ipush\s+(\d+)\s.*\s+putfield .*Field reconnectDelayMs", 1e-3),
    },
}


def declared_types(worker: Worker) -> tuple[str, ...] | None:
    """In the catalogue's order. None: the client's files are not where its package has them, so nothing is declared."""
    says = _java_types(worker) if worker.language == "java" else _types(_read(worker, _PROTOCOL))
    return None if says is None else tuple(kind for kind in CATALOGUE if says(kind))


def declared_constants_s(worker: Worker) -> dict[str, float]:
    """By name, what is written in the client; empty where its files are not where its package has them."""
    text = _disassembled(worker) if worker.language == "java" else _read(worker, _CLIENT)
    found = {
        name: float(match[1]) * unit_s
        for name, (pattern, unit_s) in _DURATIONS.get(worker.language, {}).items()
        if (match := re.search(pattern, text)) is not None
    }
    if worker.language == "go" and {"pong_deadline_s", "ping_interval_s"} <= found.keys():
        found["pong_deadline_s"] -= found["ping_interval_s"]  # it counts from the last pong, one interval before
    if (first_s := found.get("reconnect_1_s")) is not None:
        cap_s = found.get("reconnect_cap_s", first_s)
        found |= {f"reconnect_{n}_s": min(cap_s, first_s * 2 ** (n - 1)) for n in range(2, _IN_A_ROW + 1)}
    return found


def _read(worker: Worker, names: Mapping[str, str]) -> str:
    """Text of the client's file that is called so in its language; empty where it is not there."""
    folder = _FOLDERS[worker.language](worker) if worker.language in _FOLDERS else None
    place = folder / names[worker.language] if folder is not None else None
    return place.read_text(errors="replace") if place is not None and place.is_file() else ""


def _types(text: str) -> Callable[[str], bool] | None:
    """Whether the type stands in quotes in the text."""
    return (lambda kind: re.search(rf"""["']{kind}["']""", text) is not None) if text else None


def _python(worker: Worker) -> Path | None:
    find = "import importlib.util as u; print(u.find_spec('dbos').submodule_search_locations[0])"
    asked = subprocess.run((worker.command[0], "-c", find), capture_output=True, text=True, check=False)
    return None if asked.returncode else Path(asked.stdout.strip()) / "_conductor"


def _typescript(worker: Worker) -> Path:
    return Path(worker.command[-1]).parent / "node_modules" / "@dbos-inc" / "dbos-sdk" / "dist" / "src" / "conductor"


def _go(worker: Worker) -> Path | None:
    """The module's source, which the build left in Go's cache: the program has its texts run together."""
    try:
        asked = subprocess.run(("go", "env", "GOMODCACHE"), capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    module = f"dbos-transact-golang@v{worker.version.removeprefix('v')}"
    return Path(asked.stdout.strip()) / "github.com" / "dbos-inc" / module / "dbos"


_FOLDERS: Mapping[str, Callable[[Worker], Path | None]] = {"python": _python, "typescript": _typescript, "go": _go}


def _java_types(worker: Worker) -> Callable[[str], bool] | None:
    """Among the constants of the client's classes."""
    with zipfile.ZipFile(worker.command[-1]) as jar:
        names = [name for name in jar.namelist() if name.startswith(f"{_JAVA_CLIENT}protocol/")]
        classes = b"".join(jar.read(name) for name in names)

    def says(kind: str) -> bool:
        return struct.pack(">BH", _UTF8_CONSTANT, len(kind)) + kind.encode() in classes

    return says if classes else None


def _disassembled(worker: Worker) -> str:
    """The client's builder, which holds the durations; empty without a JDK or that class."""
    builder = f"{_JAVA_CLIENT.replace('/', '.')}Conductor$Builder"
    try:
        asked = subprocess.run(
            ("javap", "-p", "-c", "-cp", worker.command[-1], builder), capture_output=True, text=True, check=False
        )
    except FileNotFoundError:
        return ""
    return asked.stdout
