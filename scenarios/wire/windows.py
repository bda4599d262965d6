"""When something is due for one executor, so that the poller looks closely then and seldom otherwise."""

from __future__ import annotations

from conductor.timing import Timing

NS = 1_000_000_000


class Windows:
    """Remembers the last sign of life and the end of the last socket, in ns of the world's clock."""

    def __init__(self) -> None:
        self._alive_ns: int | None = None
        self._ended_ns: int | None = None
        self._disconnected_ns: int | None = None
        self._dead_ns: int | None = None

    def alive(self, at_ns: int) -> None:
        """A frame left for the relay."""
        self._alive_ns = at_ns
        self._ended_ns = self._disconnected_ns = self._dead_ns = None

    def ended(self, at_ns: int) -> None:
        """Its last socket ended."""
        self._ended_ns = at_ns
        if self._disconnected_ns is None:
            self._disconnected_ns = at_ns

    def seen(self, status: str, at_ns: int) -> None:
        """The list showed it like this."""
        if status == "DISCONNECTED" and self._disconnected_ns is None:
            self._disconnected_ns = at_ns
        elif status == "DEAD" and self._dead_ns is None:
            self._dead_ns = at_ns
        elif status == "HEALTHY":
            self._disconnected_ns = self._dead_ns = None

    def boundary_near(self, now_ns: int, timing: Timing, grace_s: float) -> bool:
        """Whether an edge of a lawful window of one of its transitions is near."""
        margin_s = max(0.1, timing.slack_s / 2)
        return any(abs(now_ns / NS - edge_s) <= margin_s for edge_s in self._edges_s(timing, grace_s))

    def next_edge_s(self, now_ns: int, timing: Timing, grace_s: float) -> float | None:
        """How long until the next edge comes near; None: nothing is due."""
        margin_s = max(0.1, timing.slack_s / 2)
        coming = [edge_s - margin_s - now_ns / NS for edge_s in self._edges_s(timing, grace_s)]
        return min((wait_s for wait_s in coming if wait_s > 0), default=None)

    def _edges_s(self, timing: Timing, grace_s: float) -> list[float]:
        edges: list[float] = []
        late_s = timing.scan_s + timing.slack_s
        if self._ended_ns is not None:
            edges += [self._ended_ns / NS, self._ended_ns / NS + timing.slack_s]
        elif self._alive_ns is not None:
            silent_s = self._alive_ns / NS
            latest_s = silent_s + timing.ping_wait_s + timing.ping_interval_s
            edges += [silent_s, silent_s + timing.ping_wait_s, latest_s, latest_s + late_s + timing.slack_s]
        if self._disconnected_ns is not None:
            dead_s = self._disconnected_ns / NS + grace_s
            edges += [dead_s, dead_s + late_s]
        if self._dead_ns is not None:  # its record goes as soon as a peer has answered
            edges += [self._dead_ns / NS, self._dead_ns / NS + timing.slack_s]
        return edges
