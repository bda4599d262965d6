"""Faults that only containers have: each strikes, strikes nothing else, and heals. Needs an engine and images."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import pytest

from chaos import faults
from chaos.docker.containers import Contained
from chaos.docker.postgres import PostgresContainer
from chaos.docker.runtime import DockerRuntime
from chaos.errors import FaultRefused
from chaos.evidence import PostgresStore
from chaos.fleet import Fleet, Place
from chaos.links import Links
from chaos.site import Site
from conductor.timing import FAST
from evidence.events import Fault
from scenarios.schedule import FaultAt
from sdk_matrix.contract import Start, Step
from sdk_matrix.languages import worker
from tests.chaos.docker.support import engine, left, relay_image
from tests.chaos.fake_relay import FakeRelay
from tests.chaos.support import recorder

__all__ = ["engine", "relay_image"]
T = TypeVar("T")
_SYN_RECEIVED = "03"  # include/net/tcp_states.h


@dataclass
class Docked:
    """One worker in a container, on a relay that only listens; everything happens on an event loop of its own."""

    runtime: DockerRuntime
    fleet: Fleet
    site: Site
    ledger: PostgresContainer
    folder: Path
    loop: asyncio.AbstractEventLoop

    def do(self, what: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(what, self.loop).result(90)

    @property
    def life(self) -> Contained:
        life = self.fleet.lives["e1"]
        assert isinstance(life, Contained)
        return life

    async def under(self, name: str, check: Callable[[], Awaitable[None]], **args: float) -> None:
        """Let the fault hold until the check is over, then see it undone."""
        self.site.healing.clear()
        strike = asyncio.create_task(faults.apply(FaultAt(name, 0.0, "e1", args={**args}), self.site))
        checking = asyncio.ensure_future(check())
        await asyncio.wait({strike, checking}, return_when=asyncio.FIRST_COMPLETED)
        self.site.healing.set()
        await strike
        await checking

    async def reaches(self, host: str, port: int) -> bool:
        """Whether a connection can be made from within the worker's network."""
        command = f"timeout 1 bash -c 'exec 3<>/dev/tcp/{host}/{port}'"
        with contextlib.suppress(Exception):
            await asyncio.to_thread(self.life.outside.within, self.life.container, command)
            return True
        return False

    async def until(self, wanted: bool, host: str, port: int) -> None:
        async with asyncio.timeout(30):
            while await self.reaches(host, port) is not wanted:
                pass

    def events(self) -> list[str]:
        return [event.kind for event in self.site.recorder.events if isinstance(event, Fault)]


@contextlib.asynccontextmanager
async def one_worker(folder: Path) -> AsyncIterator[tuple[DockerRuntime, Fleet, Site, PostgresContainer]]:
    made, numbers = recorder(), itertools.count()
    async with DockerRuntime() as runtime, FakeRelay().running() as relay:
        servers = runtime.postgres("system"), runtime.postgres("ledger")
        system, ledger = await asyncio.gather(*(server.__aenter__() for server in servers))
        fleet = Fleet(
            Place(relay.url, "secret-key", "org", "docked"), worker("python"), runtime, folder, made,
            lambda: next(numbers), store=PostgresStore(system, ledger, "docked"),
            links=Links(system.port, listen=runtime.host),
        )  # fmt: skip
        await fleet.launch("e1")
        try:
            yield runtime, fleet, Site((fleet,), made, FAST, 1.0, runtime="docker", store="postgresql"), ledger
        finally:
            await fleet.close()


@pytest.fixture(scope="module")
def place(engine: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Docked]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    folder = tmp_path_factory.mktemp("docked")
    opened = one_worker(folder)
    try:
        runtime, fleet, site, ledger = asyncio.run_coroutine_threadsafe(opened.__aenter__(), loop).result(110)
        yield Docked(runtime, fleet, site, ledger, folder, loop)
        assert left(engine, runtime.run)
        asyncio.run_coroutine_threadsafe(opened.__aexit__(None, None, None), loop).result(90)
        assert not left(engine, runtime.run)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()


def half_open(port: int) -> bool:
    """Whether this host has answered a SYN to the port and hears nothing more."""
    rows = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return any(row[1].endswith(f":{port:04X}") and row[3] == _SYN_RECEIVED for row in rows)


@pytest.mark.parametrize("name", ["drop-to-relay", "drop-from-relay"])
def test_packets_are_dropped_one_way_to_the_relay_alone(place: Docked, name: str) -> None:
    relay = place.life.relay

    async def check() -> None:
        beside = await asyncio.start_server(lambda reader, writer: writer.close(), relay[0], 0)
        await place.until(False, *relay)
        trying = asyncio.create_task(place.reaches(*relay))
        seen = False
        while not trying.done():
            seen = seen or half_open(relay[1])
            await asyncio.sleep(0.01)
        assert seen is (name == "drop-from-relay")  # what the worker sends arrives, or does not
        assert await place.reaches(relay[0], beside.sockets[0].getsockname()[1])
        beside.close()

    place.do(place.under(name, check))
    place.do(place.until(True, *relay))
    assert place.events()[-2:] == [name, f"{name}-over"]


def test_packets_are_lost_at_the_rate(place: Docked) -> None:
    async def all_lost() -> None:
        await place.until(False, *place.life.relay)

    async def few_lost() -> None:
        assert await place.reaches(*place.life.relay)

    place.do(place.under("loss", all_lost, rate=1.0))
    place.do(place.until(True, *place.life.relay))
    place.do(place.under("loss", few_lost, rate=0.001))


def test_a_disconnected_container_keeps_its_address_and_its_way_to_the_ledger(place: Docked) -> None:
    ledger = place.ledger.address

    async def check() -> None:
        await place.until(False, *place.life.relay)
        assert await place.reaches(ledger, 5432)

    async def work(workflow: str) -> None:
        async with asyncio.timeout(60):
            await place.life.start(Start(workflow=workflow, instructions=(Step("s"),)))

    place.do(work("before"))
    place.do(place.under("disconnect", check))
    place.do(place.until(True, *place.life.relay))
    place.do(work("after"))
    assert place.life.alive


def test_nobody_is_given_the_address_of_one_that_is_unplugged(place: Docked) -> None:
    async def check() -> None:
        await place.until(False, *place.life.relay)
        await place.fleet.launch("e2")  # as a replacement would be, meanwhile
        place.fleet.kill("e2")

    place.do(place.under("disconnect", check))
    place.do(place.until(True, *place.life.relay))


def test_a_paused_container_takes_no_command_until_it_goes_on(place: Docked) -> None:
    async def main() -> None:
        place.life.pause()
        await place.life.settled()
        asked = asyncio.create_task(place.life.start(Start(workflow="paused", instructions=(Step("s"),))))
        done, _ = await asyncio.wait({asked}, timeout=0.5)
        assert not done
        place.life.resume()
        await asyncio.wait_for(asked, 30)

    place.do(main())


def test_a_starved_container_has_a_share_of_a_processor_until_it_is_healed(place: Docked) -> None:
    async def quota() -> int:
        await place.life.settled()
        await asyncio.to_thread(place.life.container.reload)
        return int(place.life.container.attrs["HostConfig"]["CpuQuota"])

    async def check() -> None:
        async with asyncio.timeout(30):
            while await quota() != 5_000:  # microseconds of each 100 ms
                pass

    place.do(place.under("starve", check, share=0.05))
    assert place.do(quota()) <= 0


@pytest.mark.parametrize("paused", [False, True])
def test_a_killed_container_is_gone_and_its_slot_can_be_filled_again(place: Docked, engine: Any, paused: bool) -> None:
    life = place.life

    async def main() -> None:
        if paused:
            life.pause()
        life.kill()
        async with asyncio.timeout(30):
            await life.ended()
        assert not life.alive
        await faults.apply(FaultAt("drop-to-relay", 0.0, "e1", for_s=0.0), place.site)  # too late to hurt, or to fail
        await place.fleet.relaunch("e1")

    place.do(main())
    assert place.life.alive and place.life.executor != life.executor


def test_what_only_containers_have_is_refused_elsewhere_under_the_same_name() -> None:
    for name in ("disconnect", "drop-to-relay", "drop-from-relay", "loss"):
        assert faults.check(name, "docker", "postgresql").act.__module__.startswith("chaos.docker.faults")
        assert faults.check(name, "process", "postgresql").act.__module__.startswith("chaos.faults")
    with pytest.raises(FaultRefused, match="on SQLite"):
        faults.check("disconnect", "docker", "sqlite")
