"""Asks the relay's executors list again and again, seldom in general and right at the edges of the lawful windows.

Virtual time gives what a real poller can't have: a look a moment before and one a moment after each edge, so that a
transition that is early or late by milliseconds is seen as such, at few polls a second.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any

from conductor.timing import Timing
from evidence.events import Poll, Seen
from evidence.history import Recorder
from reference_relay.core.records import AppKey, Executor
from scenarios.world import App
from simulator.clock import Clock, ns
from simulator.relay import Relay

_EDGE_NS = 3_000_000  # how near an edge is looked at: more than the two latencies that a poll takes


class Poller:
    """One application's list. ``marks`` gives the moments (ns) from which windows of its executors may run."""

    def __init__(
        self,
        app: App,
        clock: Clock,
        recorder: Recorder,
        relay: Relay,
        latency_ns: Callable[[], int],
        timing: Timing,
        marks: Callable[[], Iterable[int]],
        changed: Callable[[], None],
    ) -> None:
        self.list: tuple[Seen, ...] = ()
        self.shown_ns = -1  # when the question behind `list` was asked; -1: nothing was shown yet
        self.answered_ns = -1  # when the last question that is over was asked, whatever came of it
        self.error = ""  # why the last question got no list
        self._app = app
        self._key = AppKey(app.org, app.name)
        self._clock = clock
        self._recorder = recorder
        self._relay = relay
        self._latency_ns = latency_ns
        self._step_ns = ns(timing.scan_s / 2)
        self._timing = timing
        self._marks = marks
        self._changed = changed
        self._handled = -1  # `Relay.handled` of the last look at its records
        self._records: list[Executor] = []  # what `_shown` was made of
        self._shown: tuple[Seen, ...] = ()
        self._looks_ns: tuple[int, ...] = ()
        self._looks_grace_s = -1.0  # what `_looks_ns` was made for
        self._started = self._asking = self._again = False
        self._next_ns = 0
        self._moves: list[int] = []  # the last two moments between which the list changed

    def start(self) -> None:
        """From now on look by itself."""
        self._started = True
        self.ask()

    def ask(self) -> None:
        """One look that begins now or, while one is under way, right after it."""
        if self._asking:
            self._again = True
        else:
            self._asking, self._again = True, False
            self._clock.call(self._latency_ns(), self._serve, self._clock.now_ns)

    def status_of(self, executor_id: str) -> str:
        """As the last list showed it; "GONE" where it has no record."""
        return next((seen.status for seen in self.list if seen.executor == executor_id), "GONE")

    def _until_next_ns(self) -> int:
        now_ns = self._clock.now_ns
        if self._looks_grace_s != self._app.grace_s:
            self._looks_grace_s = self._app.grace_s
            self._looks_ns = _looks_ns(self._timing, self._looks_grace_s)
        looks_ns, last_ns = self._looks_ns, self._looks_ns[-1]
        wait_ns = self._step_ns
        for mark_ns in (*self._marks(), *self._moves):
            since_ns = now_ns - mark_ns
            if since_ns < last_ns:
                coming_ns = looks_ns[bisect_right(looks_ns, since_ns)] - since_ns
                if coming_ns < wait_ns:
                    wait_ns = coming_ns
        return wait_ns

    def _serve(self, asked_ns: int) -> None:
        """The question arrives at the relay."""
        if not self._relay.up:
            self._reply(asked_ns, "connection refused")
        elif self._key not in self._relay.core.applications:
            self._reply(asked_ns, "404 Not Found")
        else:
            shown = self._list()
            self._relay.settled(lambda settled: self._reply(asked_ns, shown if settled else "connection reset"))

    def _list(self) -> tuple[Seen, ...]:
        """The same object as long as the same records are there: most looks find nothing new."""
        if self._handled != self._relay.handled:
            self._handled = self._relay.handled
            records = self._relay.core.executors_of(self._key)
            if records != self._records:
                self._records, self._shown = records, tuple(map(_seen, records))
        return self._shown

    def _reply(self, asked_ns: int, shown: tuple[Seen, ...] | str) -> None:
        self._clock.call(self._latency_ns(), self._answer, asked_ns, shown)

    def _answer(self, asked_ns: int, shown: tuple[Seen, ...] | str) -> None:
        self.answered_ns = asked_ns
        if isinstance(shown, str):
            self.error = shown
            self._record(asked_ns, error=shown)
        else:
            self.error = ""
            self._record(asked_ns, executors=shown)
            if shown != self.list:
                self._moves = [max(self.shown_ns, 0), self._clock.now_ns]
            self.list, self.shown_ns = shown, asked_ns
        self._asking = False
        self._changed()
        if self._again:
            self.ask()
        elif self._started:
            self._next_ns = self._clock.now_ns + self._until_next_ns()
            self._clock.call(self._next_ns - self._clock.now_ns, self._due, self._next_ns)

    def _due(self, next_ns: int) -> None:
        if next_ns == self._next_ns:  # else somebody has asked meanwhile
            self.ask()

    def _record(self, asked_ns: int, **what: Any) -> None:
        self._recorder.add(Poll, org=self._app.org, app=self._app.name, asked=asked_ns, **what)


@lru_cache
def _looks_ns(timing: Timing, grace_s: float) -> tuple[int, ...]:
    """How long after a mark to look: around each length after which something may be due, or overdue.

    The lengths are those of the windows of LIV-3, LIV-4, LIV-7, REC-6, REC-8 and REC-11.
    """
    silent_s = timing.ping_wait_s + timing.ping_interval_s + timing.scan_s + 2 * timing.slack_s
    dead_s = grace_s + timing.scan_s + timing.slack_s
    lengths_s = (
        timing.slack_s,
        timing.slack_s + timing.scan_s,
        2 * timing.slack_s + timing.scan_s,
        timing.slack_s + timing.scan_s + timing.backoff_first_s,
        timing.slack_s + timing.request_deadline_s,
        timing.ping_wait_s,
        silent_s,
        grace_s,
        dead_s,
        dead_s + timing.slack_s,
        timing.ping_wait_s + grace_s,
        silent_s + dead_s,
    )
    return tuple(sorted({ns(length_s) + side_ns for length_s in lengths_s for side_ns in (-_EDGE_NS, _EDGE_NS)}))


def _seen(record: Executor) -> Seen:
    info = record.info
    return Seen(
        executor=info.executor_id,
        status=record.status.value,
        version=info.application_version,
        hostname=info.hostname,
        language=info.language,
        sdk_version=info.dbos_version,
        metadata=info.metadata,
    )
