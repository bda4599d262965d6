"""What a language is to a launcher, and the environments that versions of its SDK are built in."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from sdk_matrix.errors import BuildFailed, LicenceRefused, MissingSdk

__all__ = ["WORKERS_FOLDER", "Environment", "Language", "Worker", "digest", "refuse_from", "require_mit", "run"]

WORKERS_FOLDER = Path(__file__).parents[1] / "workers"
_BUILD_S = 900.0  # a first build downloads; one that needs longer hangs
_MIT = (
    "permission is hereby granted, free of charge, to any person obtaining a copy",
    'the software is provided "as is", without warranty of any kind',
)


@dataclass(frozen=True, slots=True)
class Worker:
    """One version of one language's SDK, and how to launch its worker; its configuration's path is appended."""

    language: str
    command: tuple[str, ...]
    databases: tuple[str, ...]  # URL schemes of the system databases that its SDK opens
    forks: bool  # it knows --template: the SDK is loaded once for many workers
    missing: Callable[[], str | None]  # what is not there and how to get it; None: all is
    version: str = ""
    build: Callable[[], None] = lambda: None  # makes what ``command`` needs, once; raises MatrixError

    def check(self) -> None:
        """Raises `MissingSdk` where it can't be launched here, or is not built yet."""
        if (reason := self.missing()) is not None:
            raise MissingSdk(reason)


@dataclass(frozen=True, slots=True)
class Language:
    """A worker program and the SDK versions that it is tried with, the pinned one first."""

    name: str
    versions: tuple[str, ...]
    make: Callable[[str | None], Worker]  # None: the version that is launched unless told otherwise


@dataclass(frozen=True, slots=True)
class Environment:
    """A folder in the cache that is built once; whatever goes into it is in its name as a digest."""

    name: str  # such as typescript-4.27.6-0123456789ab

    @property
    def folder(self) -> Path:
        """In $RELAYPROOF_CACHE, or ~/.cache/relayproof."""
        root = os.environ.get("RELAYPROOF_CACHE") or Path.home() / ".cache" / "relayproof"
        return Path(root) / "sdks" / self.name

    @property
    def built(self) -> bool:
        return self._mark.exists()

    def build(self, make: Callable[[Path], None]) -> None:
        """Have ``make`` fill the folder unless that is done; builders of other processes are waited for.

        An interrupted or failed build is begun anew.
        """
        self.folder.parent.mkdir(parents=True, exist_ok=True)
        with self.folder.with_name(f"{self.name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if self.built:
                return
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir()
            try:
                make(self.folder)
            except BaseException:
                shutil.rmtree(self.folder, ignore_errors=True)
                raise
            self._mark.touch()

    @property
    def _mark(self) -> Path:
        return self.folder / ".built"


def digest(*parts: str | bytes | Path) -> str:
    """Twelve hex digits over texts and the contents of files, and of all files of folders, each with its name."""
    total = hashlib.sha256()
    for part in parts:
        if isinstance(part, Path):
            files = sorted(path for path in part.rglob("*") if path.is_file()) if part.is_dir() else [part]
            for file in files:
                if "__pycache__" not in file.parts:
                    total.update(f"{file.relative_to(part.parent)}\0".encode() + file.read_bytes() + b"\0")
        else:
            total.update((part.encode() if isinstance(part, str) else part) + b"\0")
    return total.hexdigest()[:12]


def run(command: Sequence[str], *, cwd: Path, env: Mapping[str, str] | None = None) -> str:
    """Run one step of a build to its end; its output. Raises `BuildFailed`, and `MissingSdk` without the program."""
    asked = " ".join(command)
    try:
        done = subprocess.run(
            command, cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True, errors="replace", timeout=_BUILD_S, check=False,
        )  # fmt: skip
    except FileNotFoundError:
        raise MissingSdk(f"{command[0]} is not installed: it is needed for {asked}") from None
    except subprocess.TimeoutExpired:
        raise BuildFailed(f"no end after {_BUILD_S:g} s: {asked}") from None
    if done.returncode != 0:
        raise BuildFailed(f"exit code {done.returncode}: {asked}\n{done.stdout[-2000:]}")
    return done.stdout


def refuse_from(package: str, version: str, first_refused: tuple[int, int]) -> None:
    """Refuse versions whose Conductor client is in a proprietary package, before anything is fetched.

    Raises `LicenceRefused`, also for what is no version.
    """
    found = re.fullmatch(r"v?(\d+)\.(\d+)(?:\..*)?", version)
    if found is None:
        raise LicenceRefused(f"{package}: {version!r} is no version: write it as in {package}==1.2.3")
    if (int(found[1]), int(found[2])) >= first_refused:
        bound = ".".join(str(part) for part in first_refused)
        raise LicenceRefused(
            f"{package} {version}: from {bound} on its Conductor client is a package under a proprietary licence, which"
            f" is never installed or run; choose a version before {bound}"
        )


def require_mit(package: str, licence: Path | None) -> None:
    """Read the licence file of an installed package. Raises `LicenceRefused` where it is not the MIT licence."""
    text = ""
    if licence is not None:
        with suppress(OSError):
            text = " ".join(licence.read_text(errors="replace").split()).lower().replace("“", '"').replace("”", '"')
    if not text:
        raise LicenceRefused(f"{package} has no licence file that can be read: only MIT releases are run")
    if not all(sentence in text for sentence in _MIT):
        raise LicenceRefused(f"{package} is not under the MIT licence ({licence}): only MIT releases are run")
