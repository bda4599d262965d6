"""The suite's own images, one recipe each. Their Dockerfiles are in `chaos.images`."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.resources import files as resources
from pathlib import Path

import broken_relays
import conductor
import reference_relay
from chaos.docker import machine
from chaos.docker.context import Files, tree
from chaos.docker.errors import UnknownImage
from sdk_matrix.languages import Worker
from sdk_matrix.languages.base import WORKERS_FOLDER

__all__ = ["NET", "OWN", "POSTGRES", "RELAY", "Recipe", "worker_recipe"]

_RELAY_SOURCE = (broken_relays, conductor, reference_relay)


@dataclass(frozen=True, slots=True)
class Recipe:
    """An image: the folder of its Dockerfile has its name. ``parent`` None: it stands on the public base."""

    name: str
    parent: Recipe | None
    purpose: str
    more: Callable[[], Files] = dict  # files beyond those beside the Dockerfile
    made: Callable[[], Files] = dict  # further ones that take a build, which those of ``more`` stand for

    def files(self) -> Files:
        """Whatever makes this image another one when it changes."""
        return {**tree(Path(str(resources("chaos.images") / self.name))), **self.more()}


def _base() -> Files:
    return {"machine.pem": machine.bundle() or b""}


def _relay() -> Files:
    # What the suite itself needs, in the versions that are installed here; not what its extras do.
    needs = [need for need in importlib.metadata.requires("relayproof") or () if "extra ==" not in need]
    names = sorted(re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in needs)
    pins = "".join(f"{name}=={importlib.metadata.version(name)}\n" for name in names)
    source: dict[str, bytes] = {}
    for package in _RELAY_SOURCE:
        assert package.__file__ is not None
        source |= tree(Path(package.__file__).parent, f"source/{package.__name__}/")
    return {"requirements.txt": pins.encode(), **source}


_BASE = Recipe("base", None, "Debian 12 with this machine's certificates", _base)
_PYTHON = Recipe("python", _BASE, "what the Python images stand on")
NET = Recipe("net", _BASE, "what faults of the network are made with")
POSTGRES = Recipe("postgres", _BASE, "PostgreSQL, for system databases and evidence")
RELAY = Recipe("relay", _PYTHON, "the reference relay and its broken relatives", _relay)
OWN: Mapping[str, Recipe] = {one.name: one for one in (NET, POSTGRES, RELAY)}
"""Those that hold no worker."""


def worker_recipe(worker: Worker) -> Recipe:
    """The image of one version of one language's worker. Raises `UnknownImage` where the language has none."""
    if worker.language not in _WORKERS:
        raise UnknownImage(f"the {worker.language} worker has no image: choose among {', '.join(_WORKERS)}")
    parent, more, made = _WORKERS[worker.language]
    purpose = f"the {worker.language} worker, SDK {worker.version}"
    return Recipe(f"worker-{worker.language}", parent, purpose, lambda: more(worker), lambda: made(worker))


def _python(worker: Worker) -> Files:
    """The lock file of the SDK, and the program in the folders that it expects."""
    lock = WORKERS_FOLDER / "python" / "locks" / f"{worker.version}.txt"
    requirements = lock.read_bytes() if lock.is_file() else f"dbos=={worker.version}\n".encode()
    program = tree(WORKERS_FOLDER / "python", "source/sdk_matrix/workers/python/")
    packages = {
        f"source/sdk_matrix/{path.relative_to(WORKERS_FOLDER.parent)}": path.read_bytes()
        for path in (WORKERS_FOLDER.parent / "__init__.py", WORKERS_FOLDER / "__init__.py")
    }
    return {"requirements.txt": requirements, **packages, **program}


def _environment(worker: Worker) -> Path:
    """Where the worker is built outside of a container; all that goes into it is in the folder's name as a digest."""
    return Path(worker.command[-1]).parent


def _named(worker: Worker) -> Files:
    return {"environment": _environment(worker).name.encode()}


def _built(name: str = "") -> Callable[[Worker], Files]:
    """The worker as it is built for the process runtime: this file of it, or everything."""

    def made(worker: Worker) -> Files:
        worker.build()
        return tree(_environment(worker) / name, "worker/")

    return made


_WORKERS: Mapping[str, tuple[Recipe, Callable[[Worker], Files], Callable[[Worker], Files]]] = {
    "python": (_PYTHON, _python, lambda worker: {}),
    "typescript": (_PYTHON, _named, _built()),  # Node.js comes from PyPI
    "go": (_BASE, _named, _built("worker")),
    "java": (_BASE, _named, _built("worker.jar")),
}
