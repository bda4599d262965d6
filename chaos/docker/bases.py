"""The image that all others stand on: a public one where a registry is reachable, else one that debootstrap makes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from chaos.docker.errors import BaseUnavailable

__all__ = ["LOCAL", "PUBLIC", "base"]

PUBLIC = "debian:12-slim"
LOCAL = "relayproof/debian:12"
_SUITE = "bookworm"
_MIRROR = "http://deb.debian.org/debian"
_MIRROR_VARIABLE = "RELAYPROOF_DEBIAN_MIRROR"
_DEBOOTSTRAP_S = 900
_LOG_LINES = 10


def base(engine: Any, wanted: str | None, tell: Callable[[str], None]) -> str:
    """Name of a base image that the engine has. Blocks, up to minutes; raises `BaseUnavailable`.

    ``wanted`` None: one that is there already, else the public one, else a local one made with debootstrap (root only).
    """
    if wanted is not None:
        if not _has(engine, wanted) and (refused := _pulled(engine, wanted)):
            raise BaseUnavailable(f"the base image {wanted} is not here and can't be pulled: {refused}")
        return wanted
    for name in (LOCAL, PUBLIC):
        if _has(engine, name):
            return name
    tell(f"pulling {PUBLIC}")
    if not (refused := _pulled(engine, PUBLIC)):
        return PUBLIC
    if lacking := _lacking():
        raise BaseUnavailable(
            f"{PUBLIC} can't be pulled ({refused}); a local base needs {lacking}, or give --base IMAGE"
        )
    tell(f"no registry ({refused}): making {LOCAL} with debootstrap")
    _bootstrap(engine)
    return LOCAL


def _has(engine: Any, name: str) -> bool:
    from docker.errors import ImageNotFound

    try:
        engine.images.get(name)
    except ImageNotFound:
        return False
    return True


def _pulled(engine: Any, name: str) -> str | None:
    """Why not; None: it was."""
    from docker.errors import DockerException
    from requests.exceptions import RequestException

    try:
        engine.images.pull(name)
    except (DockerException, RequestException) as problem:
        return str(problem)
    return None


def _lacking() -> str | None:
    if shutil.which("debootstrap") is None:
        return "debootstrap (apt-get install debootstrap)"
    return None if os.geteuid() == 0 else "root, because debootstrap makes device files"


def _bootstrap(engine: Any) -> None:
    """Debian's smallest variant, imported as one layer."""
    mirror = os.environ.get(_MIRROR_VARIABLE, _MIRROR)
    with tempfile.TemporaryDirectory(prefix="relayproof-base-") as made:
        root, packed = Path(made) / "root", Path(made) / "root.tar"
        _run(["debootstrap", "--variant=minbase", _SUITE, str(root), mirror])
        excluded = [f"--exclude=./{path}" for path in ("var/cache/apt/*", "var/lib/apt/lists/*", "usr/share/doc/*")]
        _run(["tar", "--numeric-owner", *excluded, "-C", str(root), "-cf", str(packed), "."])
        repository, _, tag = LOCAL.partition(":")
        engine.api.import_image_from_file(str(packed), repository=repository, tag=tag)


def _run(command: list[str]) -> None:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_DEBOOTSTRAP_S, check=False)
    except subprocess.TimeoutExpired:
        raise BaseUnavailable(f"{command[0]} did not end within {_DEBOOTSTRAP_S} s") from None
    if ran.returncode:
        end = "\n".join((ran.stdout + ran.stderr).splitlines()[-_LOG_LINES:])
        raise BaseUnavailable(f"{command[0]} ended with status {ran.returncode}:\n{end}")
