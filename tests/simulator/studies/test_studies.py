"""Each study answers, twice the same, and what it finds agrees with what can be calculated."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import pytest

from reference_relay.core.records import Status
from simulator.studies import false_deaths
from simulator.studies.estimates import Estimate
from simulator.studies.field import SPREAD, Field, chance
from simulator.studies.grid import CALM, FIELD, GridError, points
from simulator.studies.study import STUDIES, Answer, Effort, find
from simulator.studies.windows import lawful

Axes = Mapping[str, Sequence[float | str]]
LITTLE = Effort(0.01)
SMALL: Mapping[str, Axes] = {
    "false-deaths": {"grace": (5.0,), "outages": (200.0,)},
    "detection": {"grace": (5.0, 10.0), **CALM},
    "windows": {"ping_interval": (10.0,), **CALM},
    "storm": {"executors": (200.0, 400.0), "admission": (30.0,)},
    "mass-death": {"dead": (1.0, 3.0), "peers": (2.0,), "one_peer": ("well", "refuses", "silent")},
}


@pytest.fixture(autouse=True)
def short_days(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(false_deaths, "HOURS", 1.0)


def answer(name: str, axes: Axes, effort: Effort = LITTLE) -> Answer:
    study = find(name)
    tasks = study.cut([axes], effort)
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
def test_every_table_and_picture_says_how_many_runs_are_behind_it(name: str) -> None:
    found = answer(name, SMALL[name])
    for table in found.tables:
        assert table.columns[-1] == "runs" and all(int(str(row[-1])) >= 2 for row in table.rows)
        assert any(isinstance(cell, Estimate) for row in table.rows for cell in row)
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert "95 %" in table.note or "in brackets" in table.note
    for chart in found.charts:
        assert "runs" in chart.note and chart.lines
        assert all(y.low <= y.value <= y.high for line in chart.lines for y in line.y)


@pytest.mark.parametrize("name", STUDIES)
def test_the_usual_points_can_be_cut(name: str) -> None:
    study = find(name)
    for number, axes in enumerate(study.sections):
        asked = {str(task["point"]) for task in study.tasks("", LITTLE) if task["section"] == number}
        assert asked >= {str(dict(point)) for point in points({**study.base, **axes}, study.parameters)}


@pytest.mark.parametrize(("name", "ask"), [("detection", "grace=9"), ("storm", "executors=7 sdk=go")])
def test_a_question_of_ones_own_keeps_the_rest_of_the_studys_base(name: str, ask: str) -> None:
    study = find(name)
    for task in study.tasks(ask, LITTLE):
        assert {key: task["point"][key] for key in study.base} == {key: values[0] for key, values in study.base.items()}


def test_points_that_contradict_themselves_are_refused_before_anything_runs() -> None:
    with pytest.raises(GridError, match="ping_interval=30"):
        find("detection").tasks("ping_interval=10,30 ping_wait=25", LITTLE)


def test_too_many_runs_are_refused() -> None:
    with pytest.raises(GridError, match="give fewer points or a smaller scale"):
        find("windows").tasks("ping_interval=5..10/0.01", Effort(1e9))


def test_a_longer_grace_forgives_more() -> None:
    rows = answer("false-deaths", {"grace": (5.0, 240.0), "outages": (500.0,)}).tables[0].rows
    short, long = (estimate(row[1]) for row in rows)
    assert short.low > long.high


def test_a_calm_field_kills_nobody_and_says_how_sure_that_is() -> None:
    found = answer("false-deaths", {"grace": (5.0,), **CALM})
    (row,) = found.tables[0].rows
    assert estimate(row[1]).n == estimate(row[2]).n == 0
    days = float(str(row[4]))
    assert estimate(row[1]).high == pytest.approx(3.689 / days, rel=0.01)  # two-sided; one-sided it is 3 / days
    assert "No false death at all" in found.summary[0]


def test_heartbeats_that_are_skipped_change_nothing_of_what_is_counted() -> None:
    (point,) = points({"grace": (5.0,), "outages": (20.0,), "pauses": (20.0,)}, FIELD)

    def changes(*, skipping: bool) -> list[tuple[str, Status | None]]:
        field, seen = Field(point, 1, 5, 2 * 3600.0, skipping=skipping), list[tuple[str, Status | None]]()
        field.saved = lambda executor, record: seen.append((executor, record.status if record else None))
        field.run()
        return seen

    found = changes(skipping=True)
    assert found == changes(skipping=False)
    assert len([status for _, status in found if status is Status.DISCONNECTED]) > 5


def test_a_pause_in_a_pause_is_none() -> None:
    (point,) = points({"pauses": (5000.0,), "pause": (60.0,), "outages": (0.0,), "cuts": (0.0,)}, FIELD)
    drawn = list(chance(point, 1, "e0", 3600.0))
    assert {fault.fault for fault in drawn} == {"pause"} and len(drawn) > 10
    assert all(one.at_s + (one.for_s or 0) <= after.at_s for one, after in pairwise(drawn))


def test_false_deaths_are_as_many_as_outages_are_long_enough() -> None:
    """An outage kills when it outlasts the grace period and what is left of the ping wait: 15 to 25 s at these pings.
    TCP finds the way free again after at most twice its length."""
    a_day, median_s, grace_s = 40.0, 20.0, 30.0
    axes = {"outages": (a_day,), "outage": (median_s,), "grace": (grace_s,), "pauses": (0.0,), "cuts": (0.0,)}
    (row,) = answer("false-deaths", axes, Effort(1.0)).tables[0].rows

    def longer(than_s: float) -> float:
        return a_day * (1 - NormalDist().cdf(math.log(than_s / median_s) / SPREAD))

    seen = estimate(row[1])
    assert seen.n > 20
    assert seen.high > longer(grace_s + 25) and seen.low < longer((grace_s + 15) / 2)


def test_a_kill_is_asked_about_after_the_grace_and_silence_after_the_wait_too() -> None:
    rows = answer("detection", {"grace": (10.0,), "ping_interval": (10.0,), **CALM}).tables[0].rows
    asked = {row[0]: estimate(row[3]).value for row in rows}
    assert asked["killed"] == pytest.approx(10, abs=1)
    assert 10 + 15 <= asked["silent"] <= 10 + 26.5


def test_both_readings_of_the_wait_keep_their_windows() -> None:
    (table,) = answer("windows", SMALL["windows"]).tables
    assert [(row[-3], row[-2]) for row in table.rows] == [(80, 0), (80, 0)]
    (point,) = points(SMALL["windows"], find("windows").parameters)
    assert lawful(point, "the last frame") == (15.0, 26.5)
    assert lawful(point, "the unanswered ping") == (25.0, 36.5)


def test_a_storm_collapses_where_the_calculation_says() -> None:
    """50/s, given up after 5 s and dialled again after 1 s: whoever is left after 5 s must not exceed 50 x 6."""
    limits, times = answer("storm", {"executors": (500.0, 600.0), "admission": (50.0,)}).tables
    below, above = times.rows
    assert estimate(below[2]).value >= 500 / 50
    assert above[2] == "never"
    (limit,) = limits.rows
    assert estimate(limit[2]).value == pytest.approx(50 * (2 * 5 + 1), rel=0.05) and limit[3] == 550


def test_clients_that_never_give_up_never_collapse() -> None:
    limits, times = answer("storm", {"executors": (900.0,), "admission": (10.0,), "sdk": ("java",)}).tables
    assert limits.rows[0][2] == "nowhere"
    assert estimate(times.rows[0][2]).value == pytest.approx(90, rel=0.05)


def test_a_storm_within_what_can_be_admitted_takes_as_long_as_the_admissions() -> None:
    (row,) = answer("storm", {"executors": (50.0,), "admission": (50.0,)}).tables[1].rows
    assert estimate(row[2]).value == pytest.approx(1.0, abs=1.2)


def test_a_silent_peer_costs_the_recovery_deadline() -> None:
    rows = answer("mass-death", {**SMALL["mass-death"], "dead": (3.0,)}, Effort(0.2)).tables[0].rows
    last = {str(row[0]): estimate(row[2]).value for row in rows}
    assert last["well"] <= last["refuses"] <= 30
    assert last["silent"] >= 60
