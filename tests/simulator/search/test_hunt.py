"""A search from end to end: what it counts, finds, saves, shrinks, and what the judge says of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.history import load
from scenarios.errors import UsageError
from scenarios.schedule import read
from simulator.search.hunt import BATCH, batch, keep, one_of_each, relay_core, search
from simulator.search.play import play

BROKEN = "builtin:broken/half-a-grace"


def test_the_reference_relay_is_clean_and_work_is_done() -> None:
    tally = search("builtin:reference", 25, 1, 1)
    assert tally.played == 25 and tally.hits == [] and not tally.vacuous
    assert tally.work["moved"] > 0 and tally.work["calls"] > 0


def test_a_failure_is_saved_shrunk_and_judged(tmp_path: Path) -> None:
    """The canary: a search that finds nothing in this relay finds nothing at all."""
    tally = search(BROKEN, 200, 1, 1)
    assert tally.hits and tally.played < 200
    found = keep(one_of_each(tally.hits)[0], BROKEN, tmp_path)
    assert found.judged.get(found.hit.clause) == "FAILED"
    assert len(found.schedule.faults) <= 3
    again = read(found.path)
    assert again == found.schedule and again.about["relay"] == BROKEN
    assert play(again, relay_core(BROKEN)).clause == found.hit.clause
    assert play(again, relay_core("builtin:reference")).violations == ()
    assert load(found.history).header.seed == again.seed


def test_several_processes_play_the_same_schedules() -> None:
    alone = batch(BROKEN, 5, 0, BATCH + 5)
    together = search(BROKEN, BATCH + 5, 5, 2, enough=1000)
    assert together.hits == alone.hits and together.work == alone.work and together.played == alone.played


def test_ctrl_c_keeps_what_was_found() -> None:
    def interrupt(tally: object) -> None:
        raise KeyboardInterrupt

    tally = search(BROKEN, 10 * BATCH, 1, 1, enough=1000, told=interrupt)
    assert tally.played == BATCH and tally.hits


def test_a_search_without_deaths_proves_nothing() -> None:
    assert batch("builtin:reference", 1, 0, 0).vacuous


@pytest.mark.parametrize("target", ["builtin:broken/needs-no-token", "url:http://127.0.0.1:1", "builtin:broken/nobody"])
def test_relays_that_have_no_core_here(target: str) -> None:
    with pytest.raises(UsageError):
        relay_core(target)
