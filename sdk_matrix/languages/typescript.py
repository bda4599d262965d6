"""TypeScript: each version of the SDK in an environment of its own, by npm from a lock file."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

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

__all__ = ["LANGUAGE", "TYPESCRIPT_SDK"]

TYPESCRIPT_SDK = "4.27.6"
_PACKAGE = "@dbos-inc/dbos-sdk"
_PROPRIETARY = (5, 3)
_NODE = 20  # what the SDK asks for
_PROGRAM = WORKERS_FOLDER / "typescript"


def make(version: str | None = None) -> Worker:
    """None: the pinned version. Raises `LicenceRefused`."""
    version = version or TYPESCRIPT_SDK
    refuse_from(_PACKAGE, version, _PROPRIETARY)
    lock = (_PROGRAM if version == TYPESCRIPT_SDK else _PROGRAM / "locks" / version) / "package-lock.json"
    sources = sorted(_PROGRAM.glob("*.mjs"))
    manifest = json.loads((_PROGRAM / "package.json").read_text())
    manifest["dependencies"][_PACKAGE] = version
    locks = [lock] if lock.exists() else []
    environment = Environment(f"typescript-{version}-{digest(json.dumps(manifest), *sources, *locks)}")

    def fill(folder: Path) -> None:
        for file in sources:
            shutil.copy(file, folder)
        (folder / "package.json").write_text(json.dumps(manifest, indent=2))
        locked = lock.exists()
        if locked:
            shutil.copy(lock, folder)
        quiet = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
        run(("npm", "ci" if locked else "install", *quiet), cwd=folder)
        require_mit(f"{_PACKAGE} {version}", folder / "node_modules" / _PACKAGE / "LICENSE")

    def missing() -> str | None:
        if (reason := _missing_node()) is not None:
            return reason
        return None if environment.built else f"{_PACKAGE} {version} is not built yet: call build()"

    return Worker(
        language="typescript",
        command=("node", str(environment.folder / "worker.mjs")),
        databases=("postgresql",),
        forks=False,
        missing=missing,
        version=version,
        build=lambda: environment.build(fill),
    )


def _missing_node() -> str | None:
    how = f"install Node.js {_NODE} or newer with npm (https://nodejs.org, or a package of the distribution)"
    if shutil.which("node") is None or shutil.which("npm") is None:
        return f"node or npm is not on the PATH: {how}"
    found = subprocess.run(("node", "--version"), capture_output=True, text=True, check=False).stdout.strip()
    if not found.startswith("v") or int(found[1:].split(".")[0]) < _NODE:
        return f"node {found} is older than what the SDK takes: {how}"
    return None


LANGUAGE = Language(name="typescript", versions=(TYPESCRIPT_SDK, "5.2.11"), make=make)
