"""The relay in the search: `simulator.relay.Relay`, the driver of the real core, with a host that can be paused and a
store that can fail. One instance; several would be several of these on one `FleetStore`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol

from reference_relay.core import events
from reference_relay.core.config import CoreConfig
from reference_relay.core.core import Core
from reference_relay.core.effects import Effect
from reference_relay.core.records import AppKey
from reference_relay.core.timers import TimerHeap
from reference_relay.store import Write
from reference_relay.store.memory import MemoryStore
from simulator.clock import Clock
from simulator.link import Link
from simulator.models.calls import CallRecord
from simulator.models.client import Client
from simulator.models.host import HostClock
from simulator.relay import Relay
from simulator.socket import Peer


class Watch(Protocol):
    """Who looks at what the core is told and what it does."""

    def started(self, relay: FleetRelay) -> None: ...
    def killed(self) -> None: ...
    def told(self, event: events.Event) -> None:
        """Before the core is."""
        ...

    def decided(self, effects: Sequence[Effect]) -> None:
        """What the core wants done about it, durable or not."""
        ...

    def handled(self, core: Core) -> None: ...
    def does(self, effect: Effect) -> None:
        """An effect leaves, durable where it must be."""
        ...

    def wrote(self, writes: Sequence[Write]) -> None:
        """These are durable now."""
        ...

    def dialled(self, conn: int, client: Client, app: AppKey) -> None: ...
    def paused(self, paused: bool) -> None: ...
    def slow(self, until_ns: int) -> None:
        """A commit takes until then."""
        ...

    def crashed(self, failure: Exception) -> None:
        """The core raised."""
        ...

    def called(self, record: CallRecord) -> None: ...
    def answered(self, record: CallRecord) -> None: ...


class FleetStore(MemoryStore):
    """Outlives the relay's processes. ``crash``: at which commit from now on to kill the relay, and when."""

    def __init__(self, wrote: Callable[[Sequence[Write]], None]) -> None:
        super().__init__()
        self.crash: tuple[int, str] | None = None
        self.kill: Callable[[], None] = lambda: None
        self._wrote = wrote

    def commit(self, writes: Sequence[Write]) -> None:
        crash = self.crash
        if crash is not None and crash[0] > 1:
            self.crash = (crash[0] - 1, crash[1])
        elif crash is not None:
            self.crash = None
            if crash[1] == "after":
                super().commit(writes)
                self._wrote(writes)
            self.kill()
            return
        super().commit(writes)
        self._wrote(writes)


class FleetRelay(Relay):
    """Pauses, clocks and store faults around the same driver; ``watch`` sees everything."""

    def __init__(self, clock: Clock, random: Random, core: type[Core], config: CoreConfig, watch: Watch) -> None:
        self.host = HostClock(clock)
        self.paused = False
        self._holds = 0  # pauses that have not ended: several may overlap
        self.slow_ns = 0  # added to every commit
        self.failing_until_ns = 0  # commits are tried again until then
        self._waiting: list[tuple[Callable[..., object], tuple[Any, ...]]] = []
        self._starting = False
        super().__init__(clock, random, core, config)
        self.timers: type[TimerHeap] = TimerHeap
        self._core_class = self._made  # type: ignore[assignment]  # called like the class that it stands for
        self._made_of = core
        self.watch = watch
        self.fleet_store = FleetStore(watch.wrote)
        self.store = self.fleet_store
        self._reset()

    # ---- the process

    def start(self) -> None:
        self._waiting.clear()
        self._starting = True
        super().start()

    def kill(self) -> None:
        self.fleet_store.crash = None
        self._waiting.clear()
        super().kill()  # paused still: its clock was last written down before the pause
        self.host.wake()
        self._holds = 0
        if self.paused:
            self.paused = False
            self.watch.paused(False)
        self.watch.killed()

    def pause(self) -> None:
        if not self.up:
            return
        self._holds += 1
        if not self.paused:
            self._beat()  # nothing is written down from now on
            self.paused = True
            self.watch.paused(True)

    def resume(self) -> None:
        """Its timer fires first, then what has arrived is handled."""
        if not self.paused:
            return
        self._holds -= 1
        if self._holds:
            return
        self.paused = False
        self.watch.paused(False)
        waiting, self._waiting = self._waiting, []
        if self.up:
            self._armed_ns = None
            if self.core.next_due_ns is not None and self.core.next_due_ns <= self._now_ns:
                self.handle(events.Tick())
        for function, args in waiting:
            function(*args)
        self._arm()

    @property
    def clock_ns(self) -> int:
        """The reading of the core's clock."""
        return self._now_ns

    def rearm(self) -> None:
        """A deadline of the core was changed from outside."""
        self._armed_ns = None
        self._arm()

    def _made(self, config: CoreConfig) -> Core:
        core = self._made_of(config)
        if self.timers is not TimerHeap:
            core._timers = self.timers()
        return core

    # ---- simulator.relay.Relay

    def dialled(self, application: AppKey, link: Link, peer: Peer) -> None:
        if self.paused:
            self._waiting.append((self.dialled, (application, link, peer)))
            return
        if self.up and application in self.core.applications and isinstance(peer, Client):
            self.watch.dialled(self._next_conn, peer, application)
            conn = self._next_conn
            super().dialled(application, link, peer)
            peer.remote = self._sockets.get(conn)
        else:
            super().dialled(application, link, peer)

    def handle(self, event: events.Event, writes: Sequence[Write] = ()) -> None:
        if self.paused:
            if not isinstance(event, events.Tick):
                self._waiting.append((self.handle, (event, writes)))
            return
        if not self.up:
            return
        self.watch.told(event)
        super().handle(event, writes)

    def _execute(self, effects: Sequence[Effect], writes: Sequence[Write] = ()) -> None:
        assert self._core is not None, "effects come from a core"
        if self._starting:
            self._starting = False
            self.watch.started(self)
        else:
            self.watch.handled(self._core)
        self.watch.decided(effects)
        super()._execute(effects, writes)

    def _beat(self) -> None:
        if not self.paused:
            super()._beat()

    def _do(self, effect: Effect) -> None:
        self.watch.does(effect)
        super()._do(effect)

    def _release(self, effects: Sequence[Effect]) -> None:
        if self.paused:
            self._waiting.append((self._release, (effects,)))
        else:
            super()._release(effects)

    def _commit_ns(self) -> int:
        now_ns = self._clock.now_ns
        more_ns = self.slow_ns + max(0, self.failing_until_ns - now_ns)
        if more_ns:
            self.watch.slow(now_ns + more_ns)
        return super()._commit_ns() + more_ns

    @property
    def _now_ns(self) -> int:
        return self.host.now_ns + self._offset_ns

    @property
    def now_ms(self) -> int:
        return super().now_ms + self.host.wall_ms
