"""Python: the SDK of this interpreter, or any version in an environment of its own."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import sys
from pathlib import Path

from sdk_matrix.errors import LicenceRefused
from sdk_matrix.languages.base import (
    WORKERS_FOLDER,
    Environment,
    Language,
    Worker,
    digest,
    refuse_from,
    require_mit,
    run,
)

__all__ = ["LANGUAGE", "PYTHON_SDK"]

PYTHON_SDK = "2.31.1"  # the version whose behaviour the documents of this project describe
_PROPRIETARY = (3, 3)
_PROGRAM = WORKERS_FOLDER / "python"
_DATABASES = ("sqlite", "postgresql")


def make(version: str | None = None) -> Worker:
    """None: whatever this interpreter has installed. Raises `LicenceRefused`."""
    if version is None:
        return Worker(
            language="python",
            command=(sys.executable, str(_PROGRAM / "worker.py")),
            databases=_DATABASES,
            forks=True,
            missing=_missing_here,
            version=_installed() or PYTHON_SDK,
        )
    refuse_from("dbos", version, _PROPRIETARY)
    lock = _PROGRAM / "locks" / f"{version}.txt"
    environment = Environment(f"python-{version}-{digest(sys.version, *([lock] if lock.exists() else []))}")
    interpreter = environment.folder / "bin" / "python"

    def fill(folder: Path) -> None:
        run((sys.executable, "-m", "venv", str(folder)), cwd=folder)
        wanted = ("-r", str(lock)) if lock.exists() else (f"dbos=={version}",)
        run((str(interpreter), "-m", "pip", "install", "--quiet", "--no-input", *wanted), cwd=folder)
        licences = folder.glob(f"lib/python*/site-packages/dbos-{version}.dist-info/**/LICENSE*")
        require_mit(f"dbos {version}", next(licences, None))

    return Worker(
        language="python",
        command=(str(interpreter), str(_PROGRAM / "worker.py")),
        databases=_DATABASES,
        forks=True,
        missing=lambda: None if environment.built else f"dbos {version} is not built yet: call build()",
        version=version,
        build=lambda: environment.build(fill),
    )


def _installed() -> str | None:
    return importlib.metadata.version("dbos") if importlib.util.find_spec("dbos") is not None else None


def _missing_here() -> str | None:
    found = _installed()
    if found is None:
        return f"the Python SDK is not installed: pip install 'relayproof[real]' (or dbos=={PYTHON_SDK})"
    if tuple(int(part) for part in found.split(".")[:2] if part.isdigit()) < (2, 31):
        return f"dbos {found} is older than what the worker uses: pip install dbos=={PYTHON_SDK}"
    try:
        refuse_from("dbos", found, _PROPRIETARY)
        require_mit(f"dbos {found}", _licence_here())
    except LicenceRefused as problem:
        return str(problem)
    return None


def _licence_here() -> Path | None:
    distribution = importlib.metadata.distribution("dbos")
    names = [file for file in distribution.files or () if file.name.startswith("LICENSE")]
    return Path(str(distribution.locate_file(names[0]))) if names else None


LANGUAGE = Language(name="python", versions=(PYTHON_SDK, "3.2.0"), make=make)
