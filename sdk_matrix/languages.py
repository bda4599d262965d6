"""Which worker programs exist and how each is launched. A language is one `Worker` more in `WORKERS`."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from sdk_matrix.errors import MissingSdk, UnknownLanguage

__all__ = ["PYTHON_SDK", "WORKERS", "Worker", "worker"]

PYTHON_SDK = "2.31.1"  # the version whose behaviour the documents of this project describe
_HERE = Path(__file__).parent / "workers"


@dataclass(frozen=True, slots=True)
class Worker:
    """How to launch one language's worker; the path of its configuration is appended to ``command``."""

    language: str
    command: tuple[str, ...]
    databases: tuple[str, ...]  # URL schemes of the system databases that its SDK opens
    forks: bool  # it knows --template: the SDK is loaded once for many workers
    missing: Callable[[], str | None]  # what is not there and how to get it; None: all is

    def check(self) -> None:
        """Raises `MissingSdk` where it can't be launched here."""
        if (reason := self.missing()) is not None:
            raise MissingSdk(reason)


def _python_missing() -> str | None:
    if importlib.util.find_spec("dbos") is None:
        return f"the Python SDK is not installed: pip install 'relayproof[real]' (or dbos=={PYTHON_SDK})"
    found = importlib.metadata.version("dbos")
    if tuple(int(part) for part in found.split(".")[:2] if part.isdigit()) < (2, 31):
        return f"dbos {found} is older than what the worker uses: pip install dbos=={PYTHON_SDK}"
    return None


WORKERS = {
    "python": Worker(
        language="python",
        command=(sys.executable, str(_HERE / "python" / "worker.py")),
        databases=("sqlite", "postgresql"),
        forks=True,
        missing=_python_missing,
    ),
}


def worker(language: str) -> Worker:
    """The worker of a language. Raises `UnknownLanguage`."""
    try:
        return WORKERS[language]
    except KeyError:
        known = ", ".join(sorted(WORKERS))
        raise UnknownLanguage(f"there is no worker for {language!r}: choose among {known}") from None
