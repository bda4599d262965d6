"""Does the search find what was planted, and how small does it shrink it? One broken relay of the core each.

The smallest known schedules are in `SMALLEST`, as numbers of events. Slow by its nature: the canaries are for every
run, a sample for CI; `tests.simulator.search.quality` measures all of them from many seeds.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from simulator.search.shrink import size
from tests.simulator.search.quality import FIRST_SEED, Row, core_defects, first_hit, read, run, shrunk, summary

MOST = 200
"""Schedules in which the sample is found; the goal is 20,000 from 95 of 100 seeds."""

SMALLEST: dict[str, int] = json.loads((Path(__file__).parent / "smallest.json").read_text(encoding="utf-8"))
"""Faults and calls of the smallest schedule known to show the defect."""

CANARIES = ("half-a-grace", "never-pings", "never-recovers", "deleted-in-any-case")

HARD = frozenset({"deletes-what-came-back", "first-grace-for-ever", "forgets-the-recovered", "no-failover-on-timeout"})
"""Found, but not within so few schedules; docs/simulator.md has the figures."""

SAMPLE = [name for name in sorted(SMALLEST) if name not in HARD][5::12]
"""What CI looks for: all of them take a quarter of an hour. docs/simulator.md has the figures of all."""


def _found_and_shrunk(defect: str, most: int) -> int:
    hit = first_hit(defect, FIRST_SEED, most)
    assert hit is not None, f"{defect} was not found in {most} schedules"
    _, schedule, played = hit
    return size(shrunk(defect, schedule, played.clause))


@pytest.mark.parametrize("defect", CANARIES)
def test_canaries_are_found_at_once_and_shrunk(defect: str) -> None:
    assert _found_and_shrunk(defect, 40) <= SMALLEST[defect] + 2


def test_every_core_defect_was_found() -> None:
    """Whoever plants a new one measures it, and enters the size of the smallest schedule."""
    assert set(core_defects()) == set(SMALLEST)


@pytest.mark.slow  # some seconds a defect
@pytest.mark.parametrize("defect", SAMPLE)
def test_core_defects_are_found_and_shrunk(defect: str) -> None:
    assert _found_and_shrunk(defect, MOST) <= SMALLEST[defect] + 2


def test_a_measurement_goes_on_where_it_was(tmp_path: Path) -> None:
    path = tmp_path / "quality.jsonl"
    path.write_text('{"defect": "never-pings", "seed": 100, "most": 30, "schedules": 29}\n{"defect": "half-a', "utf-8")
    run(path, ["never-pings"], [FIRST_SEED, 100], 30, 1)
    rows = read(path)
    assert [(row.defect, row.seed) for row in rows] == [("never-pings", 100), ("never-pings", FIRST_SEED)]
    assert rows[1].schedules is not None and rows[1].events is not None and rows[1].clause
    run(path, ["never-pings"], [FIRST_SEED, 100], 30, 1)
    assert read(path) == rows


def test_the_summary_names_what_was_missed() -> None:
    rows = [Row("a", 1, 9, 3, "LIV-1", 0), Row("a", 2, 9, 5, "LIV-1"), Row("b", 1, 9), Row("b", 2, 9, 8, "REC-1")]
    said = summary(rows).splitlines()
    assert [line.split()[0] for line in said] == ["a", "b", "2", "half"]
    assert "missed  1" in said[1] and "3 found theirs (75.00%)" in said[2]
