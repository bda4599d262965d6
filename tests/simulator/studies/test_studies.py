"""Each study answers, twice the same, and what it finds agrees with what can be calculated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from simulator.studies.estimates import Estimate
from simulator.studies.grid import CALM, points
from simulator.studies.study import STUDIES, Answer, Effort, find
from simulator.studies.windows import lawful

Axes = Mapping[str, Sequence[float | str]]
LITTLE = Effort(0.01)
SMALL: Mapping[str, Axes] = {
    "false-deaths": {"grace": (5.0,), "outages": (200.0,)},
    "detection": {"grace": (5.0, 10.0), **CALM},
    "windows": {"ping_interval": (10.0,), **CALM},
    "storm": {"executors": (200.0, 400.0)},
    "mass-death": {"dead": (1.0, 3.0), "peers": (2.0,), "one_peer": ("well", "refuses", "silent")},
}


def answer(name: str, axes: Axes, effort: Effort = LITTLE) -> Answer:
    study = find(name)
    tasks = study.cut(axes, effort)
    return study.answer(tasks, [study.run(task) for task in tasks])


def estimate(cell: Any) -> Estimate:
    assert isinstance(cell, Estimate), cell
    return cell


@pytest.mark.parametrize("name", STUDIES)
def test_the_same_seed_gives_the_same_answer(name: str) -> None:
    first = answer(name, SMALL[name])
    assert answer(name, SMALL[name]) == first
    assert first.runs > 0 and first.summary and first.charts and first.assumed


@pytest.mark.parametrize("name", STUDIES)
def test_the_usual_points_can_be_cut(name: str) -> None:
    study = find(name)
    assert {str(task["point"]) for task in study.cut(study.axes, LITTLE)} == {
        str(dict(point)) for point in points(study.axes, study.parameters)
    }


def test_a_longer_grace_forgives_more() -> None:
    rows = answer("false-deaths", {"grace": (5.0, 240.0), "outages": (500.0,)}).tables[0].rows
    short, long = (estimate(row[1]) for row in rows)
    assert short.low > long.high


def test_a_calm_field_kills_nobody() -> None:
    (row,) = answer("false-deaths", {"grace": (5.0,), **CALM}).tables[0].rows
    assert estimate(row[1]).n == estimate(row[2]).n == 0


def test_a_kill_is_asked_about_after_the_grace_and_silence_after_the_wait_too() -> None:
    rows = answer("detection", {"grace": (10.0,), "ping_interval": (10.0,), **CALM}).tables[0].rows
    asked = {row[0]: estimate(row[3]).value for row in rows}
    assert asked["killed"] == pytest.approx(10, abs=1)
    assert 10 + 15 <= asked["silent"] <= 10 + 26.5


def test_both_readings_of_the_wait_keep_their_windows() -> None:
    (table,) = answer("windows", SMALL["windows"]).tables
    assert [row[-1] for row in table.rows] == ["yes", "yes"]
    (point,) = points(SMALL["windows"], find("windows").parameters)
    assert lawful(point, "the last frame") == (15.0, 26.5)
    assert lawful(point, "the unanswered ping") == (25.0, 36.5)


def test_a_storm_collapses_where_the_calculation_says() -> None:
    """50/s, given up after 5 s and dialled again after 1 s: whoever is left after 5 s must not exceed 50 x 6."""
    below, above = answer("storm", {"executors": (500.0, 600.0), "admission": (50.0,)}).tables[0].rows
    assert estimate(below[2]).value >= 500 / 50
    assert above[2] == "never"


def test_a_storm_within_what_can_be_admitted_takes_as_long_as_the_admissions() -> None:
    (row,) = answer("storm", {"executors": (500.0,), "admission": (500.0,)}).tables[0].rows
    assert estimate(row[2]).value == pytest.approx(1.0, abs=1.2)


def test_a_silent_peer_costs_the_recovery_deadline() -> None:
    rows = answer("mass-death", {**SMALL["mass-death"], "dead": (3.0,)}, Effort(0.5)).tables[0].rows
    last = {str(row[0]): estimate(row[2]).value for row in rows}
    assert last["well"] <= last["refuses"] <= 30
    assert last["silent"] >= 60
