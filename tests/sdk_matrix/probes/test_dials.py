"""How often a delay is repeated, on workers that dial again after the same time or after one that they draw."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import pytest

from sdk_matrix.matrix.timings import JITTERED, PILOT, STEADY
from sdk_matrix.probes import dials
from sdk_matrix.probes.bench import Bench
from sdk_matrix.probes.registry import Findings
from tests.sdk_matrix.probes.test_bench import FAKE, on_a_bench

JITTERING = (sys.executable, str(FAKE), "--jitter")


def test_a_steady_delay_is_repeated_as_often_as_it_takes_to_know(tmp_path: Path) -> None:
    found = Findings()

    async def story(bench: Bench) -> None:
        await dials.refusal_with_another_body(bench, found)

    on_a_bench(tmp_path, story)
    taken = found.cells["misbehaviour/http_body_not_utf8"].timing
    assert taken is not None and taken.samples == PILOT and 0.15 < taken.median_s < 0.5


def test_a_jittered_delay_is_repeated_until_its_median_is_known(tmp_path: Path) -> None:
    found = Findings()

    async def story(bench: Bench) -> None:
        await dials.refusal_with_another_body(bench, found)

    on_a_bench(tmp_path, story, *JITTERING)
    taken = found.cells["misbehaviour/http_body_not_utf8"].timing
    assert taken is not None and taken.samples == JITTERED and taken.high_s - taken.low_s > 0.3


def test_refusals_are_shared_by_several_processes_where_delays_are_jittered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Findings()
    monkeypatch.setattr(dials, "STATUSES", (403, 429, 503))

    async def story(bench: Bench) -> None:
        await dials.refusals(bench, found)

    on_a_bench(tmp_path, story, *JITTERING)
    for status in (403, 429, 503):
        cell = found.cells[f"misbehaviour/http_{status}"]
        assert cell.value == "dials again" and cell.timing is not None and cell.timing.samples >= JITTERED
    assert any("HTTP 429" in frame.text for frame in found.cells["misbehaviour/http_429"].frames)


def test_a_relay_that_stays_silent_is_measured_from_dial_to_dial(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = Findings()
    monkeypatch.setattr(dials, "_SILENT_S", 0.5)  # the fake waits for 10 s

    async def story(bench: Bench) -> None:
        await dials.accepted_and_silent(bench, found)

    on_a_bench(tmp_path, story)
    assert found.cells["misbehaviour/accepted_and_silent"].value == "hangs for more than 0.5 s"


def test_closes_are_repeated_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    found = Findings()
    monkeypatch.setattr(dials, "CLOSE_CODES", (1001,))

    async def story(bench: Bench) -> None:
        await asyncio.wait_for(dials.closes(bench, found), 60.0)

    on_a_bench(tmp_path, story)
    for row in ("close_1001", "tcp_reset", "tcp_end"):
        timing = found.cells[f"misbehaviour/{row}"].timing
        assert timing is not None and timing.samples == STEADY and timing.median_s < 1.0
    assert found.cells["misbehaviour/close_1001"].value == "echoes the code"
