"""``relayproof chaos images``, ``chaos engine``, ``chaos sweep``: the container engine and what is kept in it."""

from __future__ import annotations

import asyncio
import sys

import msgspec
from cyclopts import App
from rich.console import Console
from rich.table import Table

from chaos.docker import builds
from chaos.docker import engine as engines
from chaos.docker.errors import DockerError
from chaos.docker.recipes import OWN, Recipe, worker_recipe
from relayproof.errors import CommandError, WrongUsage
from scenarios.targets import image_engine, image_sweep
from sdk_matrix.errors import LicenceRefused, MatrixError, UnknownLanguage
from sdk_matrix.languages import WORKERS, parse

images = App(name="images", help="Build, list or prune the images of the docker runtime.")


@images.command
def build(*names: str, base: str | None = None) -> int:
    """Build the images that the docker runtime needs, where they are not there yet.

    Parameters
    ----------
    names
        net, postgres, relay, or languages such as python or typescript==4.27.6. All, unless some are given.
    base
        The image that all stand on, of Debian 12 or newer. Default: debian:12-slim where a registry is reachable, else
        one that debootstrap makes (as root).
    """
    recipes = [_recipe(name) for name in names or (*OWN, *WORKERS)]
    try:
        built = asyncio.run(builds.build(recipes, wanted_base=base, tell=lambda text: print(text, file=sys.stderr)))
    except (DockerError, MatrixError) as problem:
        raise CommandError(str(problem)) from problem
    for image in built.values():
        print(f"{image.tag}  {image.size_bytes / 1e6:.0f} MB  {'built' if image.built else 'there'}")
    return 0


@images.command(name="list")
def listed() -> int:
    """List the suite's images in the engine, the newest of a name first."""
    table = Table("image", "MB")
    for image in builds.images(image_engine.client()):
        table.add_row(image.tag, f"{image.size_bytes / 1e6:.0f}")
    Console().print(table)
    return 0


@images.command
def prune() -> int:
    """Remove all builds of the suite's images but the newest of each name."""
    engine = image_engine.client()
    for image in builds.prune(engine):
        print(f"removed {image.tag}")
    return 0


def probe(*, base: str | None = None) -> int:
    """Tell what the container engine can do, as JSON. Exit code 0, or 3 with DOCKER NOT PROVED and the reason.

    Parameters
    ----------
    base
        As for images build.
    """
    found = asyncio.run(engines.probe(base))
    print(msgspec.json.format(msgspec.json.encode(found)).decode())
    try:
        engines.require(found)
    except DockerError as problem:
        raise CommandError(str(problem)) from problem
    return 0


def sweep(*, run: str | None = None) -> int:
    """Remove what runs of the suite left in the engine: containers, networks, volumes. Images stay.

    Parameters
    ----------
    run
        Only this run's; the name is in the names of its containers. Default: of every run, also of one that still goes
        on.
    """
    swept = image_sweep.sweep(image_engine.client(), run)
    for kind, names in (("container", swept.containers), ("network", swept.networks), ("volume", swept.volumes)):
        for name in names:
            print(f"removed {kind} {name}")
    if not swept:
        print("nothing to remove")
    return 0


def _recipe(name: str) -> Recipe:
    """Of an image without a worker by its name, of a worker by its language. Raises `WrongUsage`."""
    try:
        return OWN[name] if name in OWN else worker_recipe(parse(name))
    except UnknownLanguage as problem:
        raise WrongUsage(f"there is no image {name!r}: choose among {', '.join((*OWN, *WORKERS))}") from problem
    except LicenceRefused as problem:
        raise WrongUsage(str(problem)) from problem
