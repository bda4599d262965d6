"""A relay as a container, through the docker SDK and whatever engine answers it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from scenarios.errors import TargetError
from scenarios.profile import Organisation, Profile
from scenarios.targets import image_engine
from scenarios.targets.image_sweep import Reaper
from scenarios.targets.process import STOP_WAIT_S, free_port
from scenarios.targets.ready import wait_until_ready

__all__ = ["RELAY_PORT", "ImageTarget", "Placement"]

RELAY_PORT = 8090
"""Where a relay in a container listens, on all of the container's addresses."""
_PORT_TRIES = 3
_LOOK_S = 0.5


@dataclass(frozen=True, slots=True)
class Placement:
    """Where and how the container runs, beyond what the image and the profile say."""

    run: str = field(default_factory=image_engine.new_run)
    network: str | None = None  # None: the engine's default; others reach it on a network by its name
    environment: Mapping[str, str] = field(default_factory=dict)
    command: Sequence[str] | None = None  # None: the image's own


class ImageTarget:
    """See `scenarios.targets.Target`. Its data live in the container and its volumes, kept over kill and start."""

    def __init__(
        self,
        profile: Profile,
        image: str,
        instance: str,
        placement: Placement | None = None,
        tenants: Sequence[Organisation] | None = None,
    ) -> None:
        self.instance = instance
        self.tenants: Sequence[Organisation] = profile.tenancy.organisations if tenants is None else tenants
        self.placement = placement or Placement()
        self.name = f"relayproof-{self.placement.run}-{instance}"
        self._image = image
        self._profile = profile
        self._engine: Any = None
        self._container: Any = None
        self._reaper: Reaper | None = None
        self._port = 0
        self._processes: Sequence[int] = ()

    @property
    def url(self) -> str:
        """As this host reaches it: through a port of 127.0.0.1."""
        return f"http://127.0.0.1:{self._port}{self._profile.relay.base}"

    @property
    def inner_url(self) -> str:
        """As containers on the same network reach it."""
        return f"http://{self.name}:{RELAY_PORT}{self._profile.relay.base}"

    async def start(self) -> None:
        if self._container is None:
            self._engine = await asyncio.to_thread(image_engine.client)
            self._reaper = Reaper(self.placement.run)
            await self._call(self._first_start)
        else:
            await self._call(self._container.start)
        ready_s = self._profile.control.ready_s
        try:
            async with asyncio.timeout(ready_s):
                await self._until_ready()
        except TimeoutError:
            raise TargetError(
                f"container of {self._image} did not answer at its port {RELAY_PORT} within {ready_s:g} s of its start",
                await self.log(),
            ) from None
        self._processes = await self._call(lambda: image_engine.processes(self._container))

    async def stop(self) -> None:
        await self._call(lambda: self._container.stop(timeout=int(STOP_WAIT_S)))

    async def kill(self) -> None:
        """Also where it is paused: the engine lets it run into the signal."""
        await self._call(self._kill)

    async def pause(self) -> None:
        await self._call(self._container.pause)

    async def resume(self) -> None:
        await self._call(self._container.unpause)

    def waited_ns(self) -> int:
        """0 where the engine runs on another host, whose processes this one can't see."""
        return sum(map(_waited_ns, self._processes))

    async def log(self) -> str:
        logged: bytes = await self._call(self._container.logs)
        return logged.decode("utf-8", "replace")

    async def close(self) -> None:
        if self._engine is not None and self._reaper is not None:
            await self._call(self._remove)
            await asyncio.to_thread(self._reaper.dismiss)
            self._engine = self._container = None

    async def _until_ready(self) -> None:
        ready = asyncio.create_task(wait_until_ready(self.url))
        try:
            while not ready.done():
                await asyncio.wait({ready}, timeout=_LOOK_S)
                await self._call(self._container.reload)
                if self._container.status == "exited" and not ready.done():
                    ended = self._container.attrs["State"]["ExitCode"]
                    raise TargetError(
                        f"container of {self._image} ended with status {ended} before it was ready", await self.log()
                    )
            await ready
        finally:
            ready.cancel()

    def _first_start(self) -> None:
        from docker.errors import APIError

        for left in reversed(range(_PORT_TRIES)):
            self._container = self._create()
            try:
                self._container.start()
                return
            except APIError as problem:
                if not left or "port is already allocated" not in str(problem):
                    raise
                self._container.remove(force=True, v=True)  # somebody took the port since it was found free

    def _create(self) -> Any:
        # A fixed host port: a container that is started again must be found where it was.
        self._port = free_port()
        place = self.placement
        return self._engine.containers.create(
            self._image,
            command=list(place.command) if place.command is not None else None,
            name=self.name,
            labels=image_engine.labels(place.run),
            environment={**self._profile.relay.environment, **place.environment},
            ports={f"{RELAY_PORT}/tcp": ("127.0.0.1", self._port)},
            network=place.network,
            init=True,  # the relay need not know how to be process 1, which ignores SIGTERM unless it handles it
        )

    def _remove(self) -> None:
        from docker.errors import NotFound

        with contextlib.suppress(NotFound):  # swept already, with the rest of a run
            if self._container is not None:
                self._container.remove(force=True, v=True)

    def _kill(self) -> None:
        from docker.errors import APIError

        try:
            self._container.kill()
        except APIError as problem:
            if problem.status_code != 409:  # it had ended by itself: just as well
                raise
        self._processes = ()

    async def _call(self, act: Any) -> Any:
        return await image_engine.call(f"container of {self._image}", act)


def _waited_ns(pid: int) -> int:
    waited = 0
    with contextlib.suppress(OSError, ValueError, IndexError):  # a thread may have ended meanwhile
        for thread in Path(f"/proc/{pid}/task").iterdir():
            waited += int((thread / "schedstat").read_text().split()[1])
    return waited
