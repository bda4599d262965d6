"""The docker runtime: relay, PostgreSQL and workers as containers of one run, on networks of its own."""

from __future__ import annotations

import asyncio
import io
import ipaddress
import random
import tarfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Self, TypeVar
from urllib.parse import urlsplit

import msgspec

from chaos.docker import faults as faults  # importing it registers those that only containers have
from chaos.docker import streams
from chaos.docker.builds import Image, build
from chaos.docker.containers import Contained, Outside
from chaos.docker.postgres import PORT, PostgresContainer
from chaos.docker.recipes import NET, POSTGRES, RELAY, worker_recipe
from chaos.docker.relays import relay_target
from chaos.errors import LaunchFailed
from conductor.timing import Timing
from scenarios.errors import TargetError
from scenarios.profile import Profile
from scenarios.targets import Target, image_engine
from scenarios.targets.image import Placement
from scenarios.targets.image_sweep import Reaper, sweep
from sdk_matrix.contract import Config, encode
from sdk_matrix.languages import Worker

__all__ = ["DockerRuntime"]

_LOOPBACK = "127.0.0.1"
_CONFIG = "/run/worker.json"
_NETWORK_TRIES = 20
_NO_WAY_OUT = {"com.docker.network.bridge.inhibit_ipv4": "true"}
"""An internal network has a default route to this host all the same, unless its bridge has no address (measured)."""
T = TypeVar("T")


class DockerRuntime:
    """See `chaos.runtime.Runtime`. ``async with DockerRuntime() as runtime``: all of it is gone at the end.

    Two networks: faults pull the first, on which workers reach the relay and the system databases through the
    harness; what they write into the ledger goes over the second, which is never touched.
    """

    name = "docker"

    def __init__(self, base: str | None = None, tell: Callable[[str], None] = lambda text: None) -> None:
        """``base`` as for `chaos.docker.builds.build`; ``tell`` gets a line for whatever takes long."""
        self.run = image_engine.new_run()
        self.host = _LOOPBACK
        """The harness as its workers reach it; valid after `open`."""
        self._base = base
        self._tell = tell
        self._engine: Any = None
        self._reaper: Reaper | None = None
        self._networks: list[Any] = []
        self._free: dict[str, Iterator[str]] = {}  # network: addresses that no worker had yet
        self._outside: Outside | None = None
        self._builds: dict[tuple[str, str], asyncio.Task[dict[str, Image]]] = {}
        self._workers: list[Contained] = []
        self._servers: list[PostgresContainer] = []

    async def __aenter__(self) -> Self:
        try:
            await self.open()
        except BaseException:
            await self.sweep()
            raise
        return self

    async def __aexit__(self, *exc: object) -> None:
        await self.sweep()

    async def open(self) -> None:
        """Build what is missing and make the networks. Raises `DockerError` or `TargetError`."""
        self._engine = await asyncio.to_thread(image_engine.client)
        images = await build([NET, POSTGRES, RELAY], wanted_base=self._base, tell=self._tell)
        self._tags = {name: image.tag for name, image in images.items()}
        self._reaper = Reaper(self.run)
        self._tell(f"containers of this run: relayproof-{self.run}-*")
        for purpose in ("work", "ledger"):
            self._networks.append(await self._call(f"network {purpose}", lambda: self._network(purpose)))  # noqa: B023
        self.host = str(self._networks[0].attrs["IPAM"]["Config"][0]["Gateway"])
        self._outside = Outside(self._engine, run=self.run, network=self._networks[0], net_image=self._tags[NET.name])

    def prepare(self, worker: Worker) -> None:
        """Begin to build this worker's image; `launch` waits for it."""
        key = (worker.language, worker.version)
        if key not in self._builds:
            recipe = worker_recipe(worker)
            self._builds[key] = asyncio.create_task(build([recipe], wanted_base=self._base, tell=self._tell))

    def postgres(self, name: str) -> PostgresContainer:
        """A server that runs once it is entered. The one called "ledger" is on the network that no fault touches."""
        work, ledger = self._networks
        server = PostgresContainer(
            self._engine,
            self._tags[POSTGRES.name],
            run=self.run,
            name=f"postgres-{name}",
            network=work.name,
            inner=ledger if name == "ledger" else None,
        )
        self._servers.append(server)
        return server

    def relay_target(self, profile: Profile, timing: Timing, folder: Path, instance: str = "relay") -> Target:
        """The relay under test: a builtin one as a container of the suite's own image, an image as it is."""
        placement = Placement(run=self.run, network=self._networks[0].name)
        return relay_target(profile, timing, folder, instance, self._tags[RELAY.name], placement)

    async def launch(self, worker: Worker, config: Config, folder: Path) -> Contained:
        """Launch one and wait until its SDK is up. Raises `LaunchFailed` with the end of its log."""
        outside = self._outside
        assert outside is not None, "open the runtime first"
        self.prepare(worker)
        images = await asyncio.shield(self._builds[worker.language, worker.version])
        tag = images[worker_recipe(worker).name].tag
        inner, label, log = self._inner(config), config.executor, folder / f"{config.executor}.log"
        relay = urlsplit(inner.relay_url)
        assert relay.hostname is not None and relay.port is not None, inner.relay_url
        place = (relay.hostname, relay.port)
        try:
            container = await self._call(f"worker {label}", lambda: self._create(label, tag, inner))
            raw = await self._call(f"worker {label}", lambda: streams.raw_socket(container))
            attached = await streams.attach(raw, log, config.key)
            await self._call(f"worker {label}", container.start)
            contained = await self._call(
                f"worker {label}", lambda: Contained(label, attached, log, container, outside, place)
            )
        except TargetError as problem:
            raise LaunchFailed(str(problem)) from problem
        self._workers.append(contained)
        await contained.ready()
        return contained

    async def sweep(self) -> None:
        """Remove everything of this run from the engine. The images stay."""
        for task in self._builds.values():
            task.cancel()
        for worker in self._workers:
            worker.kill()
        if self._engine is not None:
            await self._call("the end of the run", lambda: sweep(self._engine, self.run))
        for worker in self._workers:
            await worker.ended()
        for server in self._servers:
            server.forget()
        self._networks.clear()
        if self._reaper is not None:
            await asyncio.to_thread(self._reaper.dismiss)
        if self._engine is not None:
            self._engine.close()
            self._engine = None

    def _network(self, purpose: str) -> Any:
        """A small one with a subnet that is named, so that a container gets its address back when it is plugged in."""
        from docker.errors import APIError
        from docker.types import IPAMConfig, IPAMPool

        drawn = random.Random(f"{self.run} {purpose}")
        for left in reversed(range(_NETWORK_TRIES)):
            subnet = ipaddress.IPv4Network((f"10.{drawn.randrange(100, 250)}.{drawn.randrange(0, 256, 16)}.0", 20))
            given = next(subnet.subnets(new_prefix=24))  # by the engine, to relay and servers; the rest is for workers
            pool = IPAMPool(subnet=str(subnet), iprange=str(given), gateway=str(next(subnet.hosts())))
            try:
                made = self._engine.networks.create(
                    f"relayproof-{self.run}-{purpose}", driver="bridge", labels=image_engine.labels(self.run),
                    ipam=IPAMConfig(pool_configs=[pool]),
                    internal=purpose == "ledger",
                    options=_NO_WAY_OUT if purpose == "ledger" else {},
                )  # fmt: skip
            except APIError as problem:
                if not left or "overlaps" not in str(problem):
                    raise
                continue
            made.reload()
            self._free[made.name] = iter([str(host) for host in subnet.hosts() if host not in given])
            return made
        raise AssertionError("the last try raises")

    def _inner(self, config: Config) -> Config:
        """The configuration with addresses as a container sees them. Raises `LaunchFailed` for files of this host."""
        for url in (config.system_database_url, config.evidence_database):
            if not url.startswith("postgres"):
                raise LaunchFailed(f"worker {config.executor} in a container can't open {url}: give it PostgreSQL")
        return msgspec.structs.replace(
            config,
            relay_url=self._from_inside(config.relay_url),
            system_database_url=self._from_inside(config.system_database_url),
            evidence_database=self._from_inside(config.evidence_database),
        )

    def _from_inside(self, url: str) -> str:
        """A server's published port is its own port at its own address; every other one is a proxy of the harness's."""
        for server in self._servers:
            if server.running and (outer := f"{_LOOPBACK}:{server.port}") in url:
                return url.replace(outer, f"{server.address}:{PORT}")
        return url.replace(f"{_LOOPBACK}:", f"{self.host}:")

    def _create(self, label: str, tag: str, config: Config) -> Any:
        work, ledger = self._networks
        # An address that nobody gets again: who is unplugged loses it, and whoever starts meanwhile would be given it.
        place = self._engine.api.create_endpoint_config(ipv4_address=next(self._free[work.name]))
        container = self._engine.containers.create(
            tag, [_CONFIG], name=f"relayproof-{self.run}-{label}", labels=image_engine.labels(self.run),
            network=work.name, networking_config={work.name: place}, stdin_open=True, init=True,
            auto_remove=True, log_config={"Type": "none", "Config": {}},
        )  # fmt: skip
        ledger.connect(container)
        container.put_archive("/", _tar(_CONFIG, encode(config)))
        return container

    async def _call(self, what: str, act: Callable[[], T]) -> T:
        return await image_engine.call(what, act)


def _tar(path: str, content: bytes) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        entry = tarfile.TarInfo(path.lstrip("/"))
        entry.size, entry.mode = len(content), 0o600
        archive.addfile(entry, io.BytesIO(content))
    return packed.getvalue()
