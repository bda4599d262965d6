"""The queue before a relay that has just restarted: who dials when, who gives up, and what is admitted for nothing."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from random import Random
from typing import Any

from simulator.clock import SECOND_NS, Clock, ns
from simulator.models.sdk import BACKOFF_CAP_S, SDKS, Sdk

__all__ = ["LONGEST_S", "Storm"]

LONGEST_S = 600.0
_LOOK_S = 10.0  # besides what a queue of everybody takes: without one useful admission in it, all has collapsed
_REFUSAL_SHARE = 0.1  # of an admission's work: a 503 needs no handshake


class _Client:
    """One executor that dials until it is in."""

    __slots__ = ("admitted", "attempt", "failed", "storm")

    def __init__(self, storm: Storm) -> None:
        self.storm = storm
        self.attempt = 0  # a dial that has timed out is an earlier attempt
        self.failed = 0
        self.admitted = False

    def dial(self) -> None:
        storm = self.storm
        self.attempt += 1
        storm.dials += 1
        if storm.clock.now_ns < storm.up_ns:
            self.again()  # nobody listens: refused by the kernel at once
            return
        if storm.limit and len(storm.queue) >= storm.limit:
            storm.work(_REFUSAL_SHARE)
            storm.refused += 1
            self.again()
            return
        storm.arrived(self)
        if storm.sdk.handshake_s is not None:
            storm.clock.call(ns(storm.sdk.handshake_s), self._timed_out, self.attempt)

    def again(self) -> None:
        sdk, storm = self.storm.sdk, self.storm
        pause_s = sdk.redial_s or 1.0
        if sdk.backs_off:
            pause_s = min(2.0**self.failed, BACKOFF_CAP_S) * storm.random.uniform(0.5, 1.5)
            self.failed += 1
        storm.clock.call(ns(pause_s), self.dial)

    def _timed_out(self, attempt: int) -> None:
        if not self.admitted and attempt == self.attempt:
            self.attempt += 1  # what waits in the relay's queue is nobody's any more
            self.again()


class Storm:
    """One restart, at a point of `simulator.studies.storm`."""

    def __init__(self, task: Mapping[str, Any]) -> None:
        point = task["point"]
        self.clock = Clock()
        self.random = Random(f"storm {task['seed']}")
        self.sdk: Sdk = SDKS[str(point["sdk"])]
        self.up_ns = ns(float(point["down"]))
        self.limit = int(point["waiting"])
        self.queue: deque[tuple[_Client, int]] = deque()
        self.dials = self.refused = self.wasted = self.healthy = 0
        self.times_s: list[float] = []
        self._cost_ns = SECOND_NS / float(point["admission"])
        self._owed_ns = 0.0  # work besides admissions that comes first
        self._busy = False
        self._over = self.clock.event()
        self.collapsed = False
        longest_pause_s = BACKOFF_CAP_S * 1.5 if self.sdk.backs_off else 1.0
        queue_s = float(point["executors"]) / float(point["admission"])
        self._look_s = _LOOK_S + queue_s + longest_pause_s + (self.sdk.handshake_s or 0.0)
        self.clients = [_Client(self) for _ in range(int(point["executors"]))]

    def run(self) -> None:
        for client in self.clients:  # the end of the old connection, and the first redial
            first_s = self.random.uniform(0, 0.05) + (self.sdk.redial_s if not self.sdk.backs_off else 0.0)
            self.clock.call(ns(first_s), client.dial)
        self.clock.call(self.up_ns + ns(LONGEST_S), self._end)
        self.clock.call(self.up_ns + ns(self._look_s), self._look, 0)
        self.clock.run(self._over)

    def arrived(self, client: _Client) -> None:
        self.queue.append((client, client.attempt))
        self._next()

    def work(self, share: float) -> None:
        self._owed_ns += share * self._cost_ns

    def _next(self) -> None:
        if self._busy or not self.queue:
            return
        self._busy = True
        cost_ns = self._cost_ns * self.random.uniform(0.8, 1.2) + self._owed_ns
        self._owed_ns = 0.0
        self.clock.call(int(cost_ns), self._admitted, *self.queue.popleft())

    def _admitted(self, client: _Client, attempt: int) -> None:
        self._busy = False
        if attempt == client.attempt:
            client.admitted = True
            self.healthy += 1
            self.times_s.append((self.clock.now_ns - self.up_ns) / SECOND_NS)
            if self.healthy == len(self.clients):
                self._end()
                return
        else:
            self.wasted += 1
        self._next()

    def _look(self, before: int) -> None:
        if self.healthy == before and self.wasted:
            self.collapsed = True
            self._end()
        else:
            self.clock.call(ns(self._look_s), self._look, self.healthy)

    def _end(self) -> None:
        if not self._over.triggered:
            self._over.succeed()
