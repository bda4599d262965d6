"""Skipping heartbeats that change nothing: the clock goes to the next interesting time.

A connection rests while nothing can come between a ping and its pong: then neither its pings, nor its pongs, nor its
deadline of silence are played, and its client's own pings neither. Before the schedule disturbs its executor or the
relay, and for as long as that may have an effect, a connection is awake; it wakes to exactly what it would have been.
Latencies are constant and heartbeats draw nothing at random, so that the trace is that of the unskipped run less the
heartbeats.

Only where the core handles heartbeats as the reference's own does: a broken relay that overrides one of `_HEART` is
played in full.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from reference_relay.core.core import Core
from reference_relay.core.records import Connection, Status
from reference_relay.core.timers import Entry, Key, Timer, TimerHeap
from scenarios.schedule.file import Schedule
from simulator.clock import SECOND_NS, ns
from simulator.models.client import Client

if TYPE_CHECKING:
    from simulator.models.fleet import Fleet
    from simulator.models.process import Process

_HEART = (
    "_abandon", "_alive", "_arm", "_close_all", "_closed", "_drop_connection", "_fire", "_forgive_own_pause", "_heard",
    "_lost", "_on_control", "_on_text", "_on_tick", "_opened", "_ping_due", "_put", "_register", "_shift",
    "_silence_due", "_silent_at_ns", "_supersede", "_was_its_last", "handle", "next_due_ns",
)  # fmt: skip

_SILENCING = frozenset(
    {
        "pause", "starve", "disconnect", "drop-to-relay", "drop-from-relay", "loss", "delay", "freeze", "half-open",
        "late-close", "proxy-idle", "relay-pause", "clock-drift", "suspend", "stray",
    }
)  # fmt: skip
"""Faults that come between a ping and its pong, or between the relay and its timers."""

_COUNTING = frozenset({"cut-after"})
"""Faults that count frames: nothing may be skipped from then on."""

_ONCE_S = 30.0  # how long a fault that happens once may have an effect on who is heard
_AGAIN_NS = 10 * SECOND_NS  # when who could not rest yet is looked at again
_AHEAD_NS = SECOND_NS // 2
_WHOLE = 1 << 62
_ALL = ""
"""In place of a member's label: the relay is disturbed, and so everybody is."""


class RestingTimers(TimerHeap):
    """Deadlines of the core, without those of the heartbeats of resting connections."""

    __slots__ = ("resting",)

    def __init__(self) -> None:
        super().__init__()
        self.resting: set[int] = set()

    def arm(self, kind: Timer, key: Key, due_ns: int) -> None:
        if kind > Timer.SILENCE or key[0] not in self.resting:
            super().arm(kind, key, due_ns)

    def pop_due(self, now_ns: int) -> Entry | None:
        while (entry := super().pop_due(now_ns)) is not None:
            if entry[1] > Timer.SILENCE or entry[2][0] not in self.resting:
                return entry
        return None


def skippable(core: type[Core]) -> bool:
    """Whether the core's heartbeats are the reference's own."""
    return all(getattr(core, name, None) is getattr(Core, name, None) for name in _HEART)


def disturbed(schedule: Schedule) -> dict[str, list[tuple[int, int]]]:
    """When who has to be awake, by label (`_ALL`: everybody): spans in ns, in order and without overlaps."""
    timing = schedule.timing_profile
    after_ns = ns(timing.ping_interval_s + 1.0)
    labels = {member.label for member in schedule.executors}
    spans: dict[str, list[tuple[int, int]]] = {}
    for fault in schedule.faults:
        begin_ns = max(0, ns(fault.at_s) - _AHEAD_NS)
        own = spans.setdefault(fault.on if fault.on in labels else _ALL, [])
        if fault.fault in _COUNTING:
            own.append((begin_ns, _WHOLE))
        elif fault.fault in _SILENCING:
            lasts_s = _ONCE_S
            if fault.kind.heals:
                lasts_s = fault.for_s if fault.for_s is not None else schedule.duration_s - fault.at_s
            own.append((begin_ns, ns(min(fault.at_s + lasts_s, schedule.duration_s)) + after_ns))
    return {label: _merged(own) for label, own in spans.items() if own}


def _merged(spans: list[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for begin_ns, end_ns in sorted(spans):
        if merged and begin_ns <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end_ns))
        else:
            merged.append((begin_ns, end_ns))
    return merged


class Heartbeats:
    """Who rests. Without ``skipping`` nobody ever does."""

    def __init__(self, fleet: Fleet, *, skipping: bool) -> None:
        self.told: Callable[[int, int | None], object] = lambda conn, heard_ns: None
        """Heartbeats of this connection are skipped from now on; or no more, and it was last heard at ``heard_ns``."""
        self._fleet = fleet
        self._resting: dict[Client, Process] = {}
        self._skipping = skipping
        self._awake: set[str] = set()  # labels of those that are disturbed, `_ALL` among them
        self._interval_ns = ns(fleet.timing.ping_interval_s)
        if skipping:
            for label, spans in sorted(disturbed(fleet.schedule).items()):
                for begin_ns, end_ns in spans:
                    fleet.clock.call(begin_ns, self._disturb, label)
                    if end_ns < _WHOLE:
                        fleet.clock.call(end_ns, self._calm, label)

    def rests(self, client: Client) -> bool:
        return client in self._resting

    def settle(self, process: Process) -> None:
        """The process's connection is registered: from now on it may rest."""
        client = process.client
        if not self._may_rest(process) or client is None or not self._able(process, client):
            return
        assert client.remote is not None
        timers = self._fleet.relay.core._timers
        if isinstance(timers, RestingTimers):
            timers.resting.add(client.remote.conn)
            self._resting[client] = process
            self.told(client.remote.conn, None)

    def forget(self, client: Client) -> None:
        """The connection has ended, or the relay has."""
        self._resting.pop(client, None)

    # ---- within

    def _able(self, process: Process, client: Client) -> bool:
        relay, path = self._fleet.relay, process.path
        if process.sdk.deaf_while_busy or not process.working or not client.open or client.remote is None:
            return False
        if not relay.up or relay.paused or path.holds or path.delay_ns() != path.latency_ns or path.idle_ns is not None:
            return False
        connection = relay.core.connections.get(client.remote.conn)
        if connection is None or connection.executor_id != process.id or client in self._resting:
            return False
        if relay.clock_ns - connection.last_frame_ns > self._interval_ns + _AHEAD_NS or not client.route.idle:
            return False
        record = next((r for key, r in relay.core.executors.items() if key.executor_id == process.id), None)
        return record is not None and record.status is Status.HEALTHY and record.conn == connection.conn

    def _may_rest(self, process: Process) -> bool:
        if not self._skipping or _ALL in self._awake:
            return False
        return not any(self._fleet.places[label].process is process for label in self._awake)

    def _calm(self, label: str) -> None:
        self._awake.discard(label)
        self._settle_all()

    def _settle_all(self) -> None:
        """Whoever can't rest yet, for something is still on its way, is looked at again."""
        if _ALL in self._awake:
            return
        awake = False
        for label, place in self._fleet.places.items():
            process = place.process
            if label not in self._awake and process is not None and process.alive and process.client is not None:
                self.settle(process)
                awake = awake or process.client not in self._resting
        if awake:
            self._fleet.clock.call(_AGAIN_NS, self._settle_all)

    def _disturb(self, label: str) -> None:
        """Not while one of the skipped frames would be under way: then a little later."""
        place = self._fleet.places.get(label)
        woken = [
            (client, process) for client, process in self._resting.items() if place is None or process is place.process
        ]
        if any(self._in_flight(client, process) for client, process in woken):
            self._fleet.clock.call(5_000_000, self._disturb, label)
            return
        self._awake.add(label)
        for client, process in woken:
            del self._resting[client]
            self._wake(client, process)
        if woken and self._fleet.relay.up:
            self._fleet.relay.rearm()

    def _pinged_ns(self, connection: Connection) -> int:
        """When the relay would have pinged last, by its clock; may lie before the rest began."""
        now_ns = self._fleet.relay.clock_ns
        missed = (now_ns - connection.next_ping_ns) // self._interval_ns
        return connection.next_ping_ns + missed * self._interval_ns

    def _client_pinged_ns(self, client: Client, process: Process) -> int:
        """When the client would have pinged last, by true time; negative: never."""
        sdk, now_ns = process.sdk, self._fleet.clock.now_ns
        first_ns, every_ns = client.opened_ns + ns(sdk.first_ping_s), ns(sdk.ping_s)
        return first_ns + (now_ns - first_ns) // every_ns * every_ns if now_ns >= first_ns else -1

    def _in_flight(self, client: Client, process: Process) -> bool:
        relay = self._fleet.relay
        connection = relay.core.connections.get(client.remote.conn) if relay.up and client.remote else None
        if connection is None:
            return False
        round_ns = 2 * process.path.latency_ns + 1_000_000
        pinged_ns = self._client_pinged_ns(client, process)
        return relay.clock_ns - self._pinged_ns(connection) <= round_ns or (
            pinged_ns >= 0 and self._fleet.clock.now_ns - pinged_ns <= round_ns
        )

    def _wake(self, client: Client, process: Process) -> None:
        relay, clock = self._fleet.relay, self._fleet.clock
        if client.remote is None or not relay.up:
            return
        core = relay.core
        connection = core.connections.get(client.remote.conn)
        timers = core._timers
        if connection is None or not isinstance(timers, RestingTimers):
            return
        timers.resting.discard(connection.conn)
        offset_ns = relay.clock_ns - clock.now_ns
        pinged_ns, latency_ns = self._pinged_ns(connection), process.path.latency_ns
        heard_ns = connection.last_frame_ns
        if pinged_ns >= connection.next_ping_ns:
            heard_ns = max(heard_ns, pinged_ns + 2 * latency_ns)
        own_ns = self._client_pinged_ns(client, process)
        if own_ns >= 0:
            heard_ns = max(heard_ns, own_ns + offset_ns + latency_ns)
        next_ns = max(pinged_ns, connection.next_ping_ns - self._interval_ns) + self._interval_ns
        awake = replace(connection, last_frame_ns=heard_ns, next_ping_ns=next_ns)
        core._put("connections", connection.conn, awake)
        core._arm(Timer.PING, (connection.conn,), next_ns)
        core._arm(Timer.SILENCE, (connection.conn,), core._silent_at_ns(awake))
        client.route.last_ns = max(client.route.last_ns, heard_ns - offset_ns)  # for a proxy's idle clock
        self.told(connection.conn, heard_ns - offset_ns)
        client.keep_alive()
