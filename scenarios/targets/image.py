"""A relay as a container, through the docker SDK and whatever engine answers it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from scenarios.errors import TargetError
from scenarios.profile import Organisation, Profile
from scenarios.targets.process import free_port
from scenarios.targets.ready import wait_until_ready

RELAY_PORT = "8090/tcp"
T = TypeVar("T")


class ImageTarget:
    """See `scenarios.targets.Target`. Its data live in the container, which is kept over kill and start."""

    def __init__(self, profile: Profile, image: str, instance: str) -> None:
        self.instance = instance
        self.tenants: Sequence[Organisation] = profile.tenancy.organisations
        self._image = image
        self._profile = profile
        self._container: Any = None
        self._port = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}{self._profile.relay.base}"

    async def start(self) -> None:
        if self._container is None:
            self._container = await self._docker(self._create)
        await self._docker(self._container.start)
        await self._docker(self._container.reload)
        self._port = int(self._container.ports[RELAY_PORT][0]["HostPort"])
        ready_s = self._profile.control.ready_s
        try:
            async with asyncio.timeout(ready_s):
                await wait_until_ready(self.url)
        except TimeoutError:
            raise TargetError(
                f"container of {self._image} was not ready within {ready_s:g} s", await self.log()
            ) from None

    async def stop(self) -> None:
        await self._docker(self._container.stop)

    async def kill(self) -> None:
        await self._docker(self._container.kill)

    async def pause(self) -> None:
        await self._docker(self._container.pause)

    async def resume(self) -> None:
        await self._docker(self._container.unpause)

    def waited_ns(self) -> int:
        return 0

    async def log(self) -> str:
        logged: bytes = await self._docker(self._container.logs)
        return logged.decode("utf-8", "replace")

    async def close(self) -> None:
        if self._container is not None:
            await self._docker(lambda: self._container.remove(force=True, v=True))
            self._container = None

    def _create(self) -> Any:
        import docker

        # A fixed host port: a container that is started again must be found where it was.
        client = docker.from_env()
        return client.containers.create(
            self._image,
            environment=dict(self._profile.relay.environment),
            ports={RELAY_PORT: ("127.0.0.1", free_port())},
        )

    async def _docker(self, call: Callable[[], T]) -> T:
        try:
            return await asyncio.to_thread(call)
        except ImportError as problem:
            raise TargetError("an image: target needs the docker SDK: pip install 'relayproof[chaos]'") from problem
        except Exception as problem:  # the SDK's own tree can't be named before it is imported
            raise TargetError(f"container of {self._image}: {problem}; is a container engine running?") from problem
