"""A worker in a container: commands and reports as every worker has them, and what only a container can suffer."""

from __future__ import annotations

import asyncio
import itertools
import os
import signal
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

from chaos.docker.streams import Streams
from chaos.processes import Process
from scenarios.targets import image_engine

__all__ = ["Contained", "Outside"]

_PERIOD_US = 100_000  # of the scheduler's quota; the kernel's own default


class Outside:
    """What is around a worker's container: the engine, the network that can be pulled, and how to reach the relay."""

    def __init__(self, engine: Any, *, run: str, network: Any, net_image: str) -> None:
        self.engine = engine
        self.run = run
        self.network = network
        self._net_image = net_image
        self._numbers = itertools.count(1)

    def within(self, container: Any, command: str) -> None:
        """Run a shell command in the container's network namespace, from a container of its own. Blocks."""
        self.engine.containers.run(
            self._net_image, ["sh", "-c", command], network_mode=f"container:{container.id}", cap_add=["NET_ADMIN"],
            remove=True, stderr=True, labels=image_engine.labels(self.run),
            name=f"relayproof-{self.run}-net-{next(self._numbers)}",
        )  # fmt: skip


class Contained(Process):
    """One worker. Faults that the engine brings about happen in the order in which they were asked for."""

    def __init__(
        self, label: str, streams: Streams, log: Path, container: Any, outside: Outside, relay: tuple[str, int]
    ) -> None:
        """``relay``: address and port where the worker dials it."""
        super().__init__(label, streams.reports, streams.commands, log)
        self.container = container
        self.relay = relay
        self._pump = streams.pump
        self.outside = outside
        self._processes = image_engine.processes(container)
        self._paused = False
        self._address = str(container.attrs["NetworkSettings"]["Networks"][outside.network.name]["IPAddress"])
        self._acts = ThreadPoolExecutor(1, thread_name_prefix=f"engine-{label}")

    def kill(self) -> None:
        """At once where its processes can be seen from here; the engine needs a third of a second (measured)."""
        if self.alive:
            self._killed = True
            if self._paused or not self._killed_directly():
                self._act(self.container.kill)  # a frozen process takes no signal until the engine lets it run
        self._commands.close()

    def pause(self) -> None:
        self._paused = True
        self._act(self.container.pause)

    def resume(self) -> None:
        self._paused = False
        self._act(self.container.unpause)

    def starve(self, share: float) -> None:
        """By the quota of its control group, a new one for each period of a tenth of a second."""
        quota = int(share * _PERIOD_US) if share < 1.0 else -1
        self._act(lambda: self.container.update(cpu_period=_PERIOD_US, cpu_quota=quota))

    async def settled(self) -> None:
        """Whatever was asked of the engine so far is done."""
        await asyncio.to_thread(lambda: self._acts.submit(lambda: None).result())

    async def ended(self) -> None:
        await super().ended()
        await self._pump
        await self.settled()

    async def unplug(self) -> None:
        """Take its network away: relay and system database are gone, and nobody is told."""
        await self._done(lambda: self.outside.network.disconnect(self.container, force=True))

    async def plug(self) -> None:
        """Give it the same address back, so that connections that nobody closed go on."""
        await self._done(lambda: self.outside.network.connect(self.container, ipv4_address=self._address))

    async def filter(self, name: str, rules: dict[str, str]) -> None:
        """Put rules of nft into its network: hook ("input", "output") -> rule, under this name."""
        chains = "".join(
            f"chain {hook} {{ type filter hook {hook} priority 0; {rule}; }}; " for hook, rule in rules.items()
        )
        await self._done(lambda: self.outside.within(self.container, f"nft 'table inet {name} {{ {chains}}}'"))

    async def unfilter(self, name: str) -> None:
        """Take them away, if they are there."""
        command = f"nft 'add table inet {name}; delete table inet {name}'"
        await self._done(lambda: self.outside.within(self.container, command))

    def _killed_directly(self) -> bool:
        # Its first process is the container's init: with that the kernel ends all the others.
        if not self._processes:
            return False
        try:
            os.kill(self._processes[0], signal.SIGKILL)
        except ProcessLookupError:
            return True
        except PermissionError:
            return False
        return True

    def _act(self, act: Callable[[], object]) -> Future[None]:
        return self._acts.submit(self._unless_gone, act)

    async def _done(self, act: Callable[[], object]) -> None:
        await image_engine.call(f"worker {self.label}", lambda: self._act(act).result())

    def _unless_gone(self, act: Callable[[], object]) -> None:
        """A worker that has ended can't be struck any more, and needs no healing."""
        from docker.errors import DockerException

        try:
            act()
        except DockerException:
            if self.alive:
                raise
