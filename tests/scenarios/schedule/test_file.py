"""Schedule files: there and back, and a sentence for everything that is wrong."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from scenarios.schedule import KINDS, FaultAt, Member, Schedule, ScheduleError, read, write
from scenarios.schedule.file import dumps, loads, targets

EXAMPLE = """
format = 1
name = "pause-across-grace"
seed = 7
duration_s = 300
executors = [{label = "a"}, {label = "b", language = "go", version = "v2"}]

[timing]
grace_s = 30

[workload]
workflows = 8

[[faults]]
fault = "pause"
at_s = 12.5
on = "a"
for_s = 60

[[faults]]
fault = "relay-kill"
at_s = 20
on = "relay"
args = {down_s = 3}
"""


def test_a_file_is_read() -> None:
    schedule = loads(EXAMPLE, "example.toml")
    assert schedule.executors == (Member("a"), Member("b", "go", "v2"))
    assert schedule.timing_profile.grace_s == 30 and schedule.timing_profile.ping_wait_s == 25
    assert schedule.faults[0] == FaultAt("pause", 12.5, "a", 60)
    assert schedule.faults[1].values == {"down_s": 3.0}
    assert schedule.work()["workflows"] == 8 and schedule.work()["steps"] == 3


def test_there_and_back(tmp_path: Path) -> None:
    schedule = loads(EXAMPLE, "example.toml")
    write(schedule, tmp_path / "again.toml")
    assert read(tmp_path / "again.toml") == schedule


_MEMBERS = (Member("a"), Member("b", "java", "v2"))


@st.composite
def schedules(draw: st.DrawFn) -> Schedule:
    base = Schedule(name="drawn", seed=draw(st.integers(0, 2**40)), duration_s=100.0, executors=_MEMBERS)
    faults = []
    for name in draw(st.lists(st.sampled_from(list(KINDS)), max_size=5)):
        kind = KINDS[name]
        for_s = draw(st.none() | st.floats(0.001, 100)) if kind.heals else None
        at_s = draw(st.floats(0, 100))
        faults.append(FaultAt(name, at_s, draw(st.sampled_from(targets(kind, base))), for_s, kind.values({})))
    return Schedule(name="drawn", seed=base.seed, duration_s=100.0, executors=_MEMBERS, faults=tuple(faults))


@settings(max_examples=60, deadline=None)
@given(schedules())
def test_whatever_is_lawful_comes_back(schedule: Schedule) -> None:
    assert loads(dumps(schedule), "drawn") == schedule


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("format = 1", "format = 2", "format is 2: this version reads format 1 only"),
        ("seed = 7", "", "missing required field `seed`"),
        ("seed = 7", 'seed = "7"', "seed: Expected `int`, got `str`"),
        ("seed = 7", "seed = 7\nsed = 8", "top level: unknown key sed (did you mean seed?); allowed: name, seed"),
        ("pause-across", "Pause Across", "name is 'Pause Across-grace': give small letters"),
        ("duration_s = 300", "duration_s = 0", "duration_s is 0.0: give a number above 0"),
        ('{label = "a"}', '{label = "b"}', "two are called 'b'"),
        ('{label = "a"}', '{label = "relay"}', "label is 'relay': give a word"),
        ('language = "go"', 'language = "rust"', "b: language is 'rust': give one of python, typescript, go, java"),
        ('language = "go"', 'lang = "go"', "executors[1]: unknown key lang (did you mean language?)"),
        ("grace_s = 30", "grace = 30", "[timing] grace: unknown (did you mean grace_s?); allowed: ping_interval_s"),
        ("grace_s = 30", "grace_s = -1", "[timing] grace_s is -1"),
        ("workflows = 8", "workflow = 8", "[workload] workflow: unknown (did you mean workflows?)"),
        ("workflows = 8", "workflows = 0.5", "[workload] workflows is 0.5: give a whole number, at least 0"),
        ("workflows = 8", "queued = -1", "[workload] queued is -1: give a number, at least 0"),
        ('"pause"', '"puase"', "faults, number 1: no fault is called 'puase' (did you mean pause?)"),
        ("at_s = 12.5", "at_s = 301", "(pause): at_s is 301.0: give 0 to the schedule's duration_s, 300"),
        ('on = "a"', 'on = "c"', "number 1 (pause): on is 'c': it hits a, b"),
        ('on = "relay"', 'on = "a"', "number 2 (relay-kill): on is 'a': it hits relay"),
        ("for_s = 60", "for_s = 0", "for_s is 0.0: give a number above 0"),
        ("args = {down_s = 3}", "for_s = 3", "(relay-kill): it happens once and does not heal: leave for_s out"),
        ("args = {down_s = 3}", "args = {down = 3}", "number 2: relay-kill has no argument 'down'"),
        ("at_s = 20", "at = 20", "unknown key at (did you mean at_s?)"),
        ("[timing]", "[timing", "not TOML"),
    ],
)
def test_what_is_wrong_is_said(old: str, new: str, said: str) -> None:
    assert old in EXAMPLE
    with pytest.raises(ScheduleError) as error:
        loads(EXAMPLE.replace(old, new, 1), "example.toml")
    assert str(error.value).startswith("example.toml: ") and said in str(error.value)


def test_no_executor() -> None:
    with pytest.raises(ScheduleError, match="executors: name at least one"):
        dumps(Schedule(name="empty", seed=1, duration_s=1.0, executors=()))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ScheduleError, match=r"gone\.toml: can't be read as a schedule, TOML in UTF-8"):
        read(tmp_path / "gone.toml")
