"""Figures from observations: on a relay in miniature, and on histories written by hand for each reading of the wait."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from evidence.events import Closed, Fault, Frame
from evidence.history import History, Recorder
from scenarios import claims, probing
from scenarios.probing import Measured
from scenarios.wire.session import WireSession
from scenarios.worlds import header_fields
from tests.scenarios.conftest import a_scenario, mini_options

MS = 1_000_000


def silence(tmp_path: Path, *, sign_ms: int | None, closed_ms: int) -> History:
    """Pings at 0, 500, 1000 ms; pongs at once; perhaps a sign of life later; frozen; closed by the relay."""
    options = mini_options(tmp_path)
    recorder = Recorder(None, clock=lambda: 0)
    recorder.header(**header_fields(a_scenario(probing.pings), "wire", options))

    def frame(by: str, op: str, at_ms: int, data: str = "") -> None:
        recorder.add(Frame, conn=0, by=by, op=op, data=data, t=at_ms * MS)

    for at_ms in (0, 500):
        frame("relay", "ping", at_ms)
        frame("executor", "pong", at_ms)
    if sign_ms is not None:
        frame("executor", "pong", sign_ms, "sign of life")
    recorder.add(Fault, kind="freeze", conn=0, t=(sign_ms or 500) * MS)
    frame("relay", "ping", 1000)
    recorder.add(Closed, conn=0, by="relay", how="close", t=closed_ms * MS)
    recorder.close("complete")
    return recorder.history()


@pytest.mark.parametrize(
    ("reading", "closed_ms"),
    [
        ("from the last sign of life", (500 + 1250, 750 + 1250)),
        ("from the last answer to a ping", (500 + 1250, 500 + 1250)),
        ("from the unanswered ping", (1000 + 1250, 1000 + 1250)),
    ],
)
def test_the_reading_of_the_wait_is_told_apart(tmp_path: Path, reading: str, closed_ms: tuple[int, int]) -> None:
    # The unanswered ping comes later than usual in the second history: else the last two readings agree alike.
    after_pong = silence(tmp_path, sign_ms=None, closed_ms=closed_ms[0])
    between = silence(tmp_path, sign_ms=750, closed_ms=closed_ms[1])
    figure = probing.ping_wait([after_pong, between], 1.25)
    if reading == "from the last sign of life":
        assert (figure.low_s, figure.high_s, figure.note) == (1.25, 1.25, reading)
    else:
        assert figure.note != "from the last sign of life"


def test_a_figure_fits_within_its_interval_and_slack() -> None:
    assert Measured(name="x", documented_s=10, low_s=9.0, high_s=9.8).fits(0.5) is True
    assert Measured(name="x", documented_s=10, low_s=8.0, high_s=8.1).fits(0.5) is False
    assert Measured(name="x", documented_s=10).fits(0.5) is None


def test_the_miniature_relay_is_measured_as_it_is(tmp_path: Path) -> None:
    async def main() -> list[Measured]:
        options = mini_options(tmp_path)
        async with WireSession(options) as session:
            return await probing.probe(session, options.timing.names())

    interval, wait, grace, backoff = asyncio.run(main())
    slack_s = 0.25  # this host's own
    assert interval.fits(slack_s) and wait.fits(slack_s) and grace.fits(slack_s)
    assert grace.low_s is not None and grace.high_s is not None
    assert grace.high_s - grace.low_s < 0.4, "the list is looked at closely"
    assert wait.note == "from the last sign of life"
    assert backoff.low_s is None, "it never tries again"


def test_a_silent_socket_that_stays_open_is_not_measured(tmp_path: Path) -> None:
    async def main() -> History:
        async with WireSession(mini_options(tmp_path, "keeps-socket")) as session:
            return (await session.play(a_scenario(probing.silent_after_pong), None, 30)).history()

    figure = probing.ping_wait([asyncio.run(main())], 0.6)
    assert figure.low_s is None and "was not closed" in figure.note


def test_claims_that_an_observation_contradicts_are_named(tmp_path: Path) -> None:
    async def main(extra: str) -> list[str]:
        options = mini_options(tmp_path, extra=extra)
        async with WireSession(options) as session:
            return await claims.contradicted(session, options.profile, 20)

    (sentence,) = asyncio.run(main("list = false\nmetrics = false"))
    assert sentence.startswith("list = false, but it was observed that the API lists executors")
    assert asyncio.run(main("")) == [], "audit, keys and workflows are absent indeed"
