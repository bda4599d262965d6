"""The network: what is dropped comes late, what is frozen comes at the thaw, nothing overtakes."""

from __future__ import annotations

from random import Random

import pytest

from simulator.clock import SECOND_NS, Clock, ns
from simulator.models.path import Path, Route

LATENCY_NS = 500_000


class Ends:
    """Both ends of one route: when what arrived."""

    def __init__(self) -> None:
        self.clock = Clock()
        self.path = Path(self.clock, Random(1), LATENCY_NS)
        self.told: list[str] = []
        self.route = Route(self.path, self.told.append)
        self.got: list[tuple[int, str]] = []

    def arrive(self, what: str) -> None:
        self.got.append((self.clock.now_ns, what))

    def at(self, seconds: float, function: object, *args: object) -> None:
        self.clock.call(ns(seconds), function, *args)  # type: ignore[arg-type]

    def run(self, seconds: float) -> None:
        self.clock.run(until=ns(seconds))


def test_a_frame_takes_the_latency() -> None:
    ends = Ends()
    ends.route.up(ends.arrive, "a")
    ends.run(1)
    assert ends.got == [(LATENCY_NS, "a")]


def test_dropped_frames_come_with_tcps_next_attempt_in_order() -> None:
    ends = Ends()
    ends.path.hold("up", "drop")
    ends.route.up(ends.arrive, "a")
    ends.route.down(ends.arrive, "the other way")
    ends.at(1.0, ends.route.up, ends.arrive, "b")
    ends.at(2.0, ends.path.release, "up")
    ends.run(1.9)
    assert [what for _, what in ends.got] == ["the other way"]
    ends.run(60)
    assert [what for _, what in ends.got] == ["the other way", "a", "b"]
    # attempts after 0.2, 0.6, 1.4, 3.0 s
    assert ns(3.0) <= ends.got[1][0] <= ns(3.0) + LATENCY_NS


def test_frozen_frames_come_at_the_thaw() -> None:
    ends = Ends()
    ends.path.hold("down", "freeze")
    ends.route.down(ends.arrive, "a")
    ends.at(9.0, ends.path.heal)
    ends.run(20)
    assert ends.got == [(ns(9.0) + LATENCY_NS, "a")]


def test_loss_delays_and_never_reorders() -> None:
    ends = Ends()
    ends.path.loss = 0.5
    for number in range(50):
        ends.at(number * 0.01, ends.route.up, ends.arrive, str(number))
    ends.run(300)
    assert [what for _, what in ends.got] == [str(number) for number in range(50)]
    assert ends.got[-1][0] > 50 * 10_000_000 + SECOND_NS // 5


def test_delay_and_jitter() -> None:
    ends = Ends()
    ends.path.extra_ns, ends.path.jitter_ns = ns(0.3), ns(0.1)
    ends.route.up(ends.arrive, "a")
    ends.run(1)
    assert ns(0.2) <= ends.got[0][0] <= ns(0.4) + LATENCY_NS


def test_what_the_host_forgot_passes_nothing() -> None:
    ends = Ends()
    ends.route.swallows = True
    ends.route.up(ends.arrive, "a")
    ends.route.down(ends.arrive, "b")
    ends.run(10)
    assert ends.got == []


@pytest.mark.parametrize(("frames", "size", "passes"), [(2, None, 2), (None, 7, 2)])
def test_a_cut_after_frames_or_bytes(frames: int | None, size: int | None, passes: int) -> None:
    ends = Ends()
    ends.route.cut_after, ends.route.cut_bytes = frames, size
    for _ in range(passes - 1):
        ends.route.up(lambda data: None, b"12")
        assert ends.told == []
    ends.route.up(lambda data: None, b"12")
    assert ends.told == ["reset"]


def test_a_finished_route_is_forgotten_once_nothing_waits() -> None:
    ends = Ends()
    ends.path.hold("up", "drop")
    ends.route.up(ends.arrive, "a")
    ends.route.finish()
    assert ends.path.routes == [ends.route]
    ends.path.release("up")
    ends.run(10)
    assert [what for _, what in ends.got] == ["a"]
    ends.route.finish()
    assert ends.path.routes == []
