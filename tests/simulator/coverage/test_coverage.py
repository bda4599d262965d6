"""Every reachable cell of the table is reached, no other ever is, and what is rare has happened often enough."""

from __future__ import annotations

from collections import Counter

from reference_relay.core import Core
from simulator.coverage.cells import ALL, MARKS, REACHABLE, Cell, Column, Row
from simulator.coverage.observed import observed
from simulator.coverage.report import missing, table, too_rare, unexpected
from simulator.explore.models import MODELS, find
from simulator.explore.search import breadth_first
from simulator.search.play import play
from simulator.search.swarm import draw

_STATES = {"recovery": 2000}
"""Of each model, else 500: together they reach the whole table. `relayproof explore` counts in all states."""


def test_every_reachable_cell_is_reached_and_no_other_ever_is() -> None:
    counts: Counter[Cell] = Counter()
    core = observed(Core, counts)
    for model in MODELS.values():
        assert breadth_first(model, core, most_states=_STATES.get(model.name, 500)).counterexample is None
    assert missing(counts) == []
    assert unexpected(counts) == []
    assert too_rare(counts) == []


def test_schedules_of_the_search_stay_within_the_table() -> None:
    counts: Counter[Cell] = Counter()
    core = observed(Core, counts)
    for seed in range(6):
        assert play(draw(seed), core).violations == ()
    assert unexpected(counts) == []
    assert len([cell for cell in counts if counts[cell]]) > 30


def test_an_observed_core_decides_as_the_core_itself() -> None:
    model = find("answers")
    counts: Counter[Cell] = Counter()
    assert breadth_first(model, observed(Core, counts)) == breadth_first(model)
    assert counts


def test_the_report_says_what_is_missing_and_what_must_not_be() -> None:
    counts: Counter[Cell] = Counter(dict.fromkeys(ALL, 100))
    assert (missing(counts), unexpected(counts), too_rare(counts)) == ([], [], [])
    wrong = Cell(Row.UNKNOWN, Column.SUCCESS)
    counts[wrong] += 1
    counts[ALL[3]] = 0
    assert (missing(counts), unexpected(counts)) == ([ALL[3]], [wrong])
    assert len(too_rare(Counter())) == len(MARKS)
    lines = list(table(counts))
    assert any(f"{len(ALL) - 1} of {len(ALL)} reachable cells reached" in line for line in lines)
    assert set(REACHABLE) == set(Column)
