"""Builds the suite's images. A tag is made of all that goes in, so what is unchanged is never built again."""

from __future__ import annotations

import asyncio
import contextlib
import io
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from chaos.docker import machine
from chaos.docker.bases import base
from chaos.docker.context import digest, tar
from chaos.docker.errors import BuildFailed, DockerError
from chaos.docker.recipes import Recipe
from scenarios.errors import TargetError
from scenarios.targets import image_engine
from sdk_matrix.errors import MatrixError

__all__ = ["IMAGE_LABEL", "REPOSITORY", "Image", "build", "images", "prune"]

REPOSITORY = "relayproof"
IMAGE_LABEL = "relayproof.image"
"""In each Dockerfile, with the name. Not the label of containers: those have their image's, and may be run by hand."""
_AT_ONCE = 2  # builds are bound by the processor: dpkg and pip unpack
_LOG_LINES = 25


@dataclass(frozen=True, slots=True)
class Image:
    """One of the suite's images in the engine."""

    name: str
    tag: str  # relayproof/<name>:<digest>
    size_bytes: int
    built: bool  # just now; False: it was there


async def build(
    recipes: Sequence[Recipe], *, wanted_base: str | None = None, tell: Callable[[str], None] = lambda text: None
) -> dict[str, Image]:
    """Build these and what they stand on, where they are not there yet; all of them, by name.

    ``tell`` gets a line for whatever takes long. Raises `DockerError`, `TargetError`, and `MatrixError` for a worker
    that is built outside of its image.
    """
    engine = await asyncio.to_thread(image_engine.client)
    try:
        return await _Builder(engine, wanted_base, tell).all(recipes)
    finally:
        engine.close()


def images(engine: Any) -> list[Image]:
    """All builds of the suite's images that the engine has, by name, the newest of a name first. Blocks."""
    found = [
        (one.attrs["Created"], Image(one.labels[IMAGE_LABEL], tag, int(one.attrs["Size"]), built=False))
        for one in engine.images.list(filters={"label": IMAGE_LABEL})
        for tag in one.tags
    ]
    found.sort(key=lambda item: item[0], reverse=True)
    return sorted((image for _, image in found), key=lambda image: image.name)


def prune(engine: Any, name: str | None = None) -> list[Image]:
    """Remove the builds that a newer one replaces, of this name or of every one, but for those in use. Blocks."""
    from docker.errors import APIError

    removed = []
    for older, newer in pairwise(reversed(images(engine))):
        if older.name == newer.name and name in (None, older.name):
            with contextlib.suppress(APIError):  # a container or another image stands on it
                engine.images.remove(older.tag)
                removed.append(older)
    return removed


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """One failure is enough for a sentence; the others are of the same build."""
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error


class _Builder:
    """One call of `build`: each recipe once, a parent before its children. None stands for the public base."""

    def __init__(self, engine: Any, wanted_base: str | None, tell: Callable[[str], None]) -> None:
        self._engine = engine
        self._wanted_base = wanted_base
        self._tell = tell
        self._tasks: dict[str | None, asyncio.Task[Image]] = {}
        self._slots = asyncio.Semaphore(_AT_ONCE)

    async def all(self, recipes: Sequence[Recipe]) -> dict[str, Image]:
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                for recipe in recipes:
                    self._task(recipe)
        except* (DockerError, TargetError, MatrixError) as failed:
            raise _first(failed) from None
        return {image.name: image for image in (task.result() for task in self._tasks.values()) if image.name}

    def _task(self, recipe: Recipe | None) -> asyncio.Task[Image]:
        name = None if recipe is None else recipe.name
        if name not in self._tasks:
            self._tasks[name] = self._group.create_task(self._public() if recipe is None else self._image(recipe))
        return self._tasks[name]

    async def _public(self) -> Image:
        name = await asyncio.to_thread(base, self._engine, self._wanted_base, self._tell)
        found = await asyncio.to_thread(self._engine.images.get, name)
        return Image("", found.id, int(found.attrs["Size"]), built=False)

    async def _image(self, recipe: Recipe) -> Image:
        parent = await self._task(recipe.parent)
        files = await asyncio.to_thread(recipe.files)
        tag = f"{REPOSITORY}/{recipe.name}:{digest([recipe.name, parent.tag], files)}"
        async with self._slots:
            return await image_engine.call(f"image {recipe.name}", lambda: self._built(recipe, tag, parent.tag))

    def _built(self, recipe: Recipe, tag: str, parent: str) -> Image:
        from docker.errors import ImageNotFound

        try:
            there = self._engine.images.get(tag)
        except ImageNotFound:
            self._tell(f"building {tag}")
            self._run(recipe.name, tag, parent, tar({**recipe.files(), **recipe.made()}))
            made = self._engine.images.get(tag)
            return Image(recipe.name, tag, int(made.attrs["Size"]), built=True)
        return Image(recipe.name, tag, int(there.attrs["Size"]), built=False)

    def _run(self, name: str, tag: str, parent: str, context: bytes) -> None:
        # The host's network: what a build downloads comes through whatever this machine reaches its registries by.
        said: Iterator[dict[str, Any]] = self._engine.api.build(
            fileobj=io.BytesIO(context), custom_context=True, tag=tag, network_mode="host", rm=True, forcerm=True,
            buildargs={**machine.arguments(), "BASE": parent}, decode=True,
        )  # fmt: skip
        log: list[str] = []
        for line in said:
            log.append(line.get("stream", ""))
            if "error" in line:
                end = "\n".join("".join(log).splitlines()[-_LOG_LINES:])
                raise BuildFailed(f"image {name} did not build: {line['error']}\n{end}")
