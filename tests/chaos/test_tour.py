"""The tour: every fault, for each SDK, with rests; and what a run of it must have done."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from chaos import faults, report
from chaos.campaign import FAMILIES, Campaign, chaos_timing
from chaos.report.blows import Blow, blows
from chaos.tour import EVERY, tour
from conductor.timing import FAST
from evidence.cases import Case, Change, record
from evidence.events import Expect, Fault, Note
from evidence.history import History, Recorder, load
from evidence.judge import judge
from evidence.outcomes import LAUNCHED
from evidence.run import Entry, Index, write_index
from evidence.strikes import never_struck
from evidence.verdict import Verdict, exit_code
from relayproof import cli
from scenarios.profile_loading import resolve
from scenarios.schedule import KINDS, FaultAt, Schedule, read, write
from sdk_matrix.languages import WORKERS
from spec import clauses
from tests.chaos.recorded_outcomes import FOLDER
from tests.chaos.recorded_outcomes import TIMING as RECORDED
from tests.chaos.test_report import run_of

TIMING = chaos_timing(resolve("builtin:reference"), FAST, 5.0)
ALL = tuple(faults.names("process", "postgresql"))
CAMPAIGN = Campaign(
    workers=tuple(WORKERS.values()), executors=3, duration_s=1.0, seed=7, faults=ALL, store="postgresql"
)  # fmt: skip


def scheduled(campaign: Campaign) -> Schedule:
    made = tour(campaign, TIMING)
    assert made.schedule is not None and made.duration_s == made.schedule.duration_s
    return made.schedule


def lasts_s(at: FaultAt) -> float:
    """Until it is undone, where the schedule or an argument says so."""
    return at.for_s or float(at.values.get("late_s", 0.0))


def test_the_families_together_are_all_faults_of_real_sdks() -> None:
    names = [name for family in FAMILIES.values() for name in family]
    assert sorted(names) == sorted(set(names)) == sorted(ALL)


def test_every_fault_strikes_every_sdk() -> None:
    made = scheduled(CAMPAIGN)
    for name in ALL:
        places = {at.on for at in made.faults if at.fault == name}
        struck = {language for language in CAMPAIGN.languages if any(on.startswith(language) for on in places)}
        assert places & {"relay", "database", "all"} or struck == set(CAMPAIGN.languages), name
    assert made.about[EVERY] == sorted(ALL)


@pytest.mark.parametrize("names", [*FAMILIES.values(), ("kill",), ("reset",), ("half-open",)])
def test_a_part_strikes_its_faults_and_what_provokes_them_within_minutes(
    names: tuple[str, ...], tmp_path: Path
) -> None:
    made = scheduled(replace(CAMPAIGN, faults=names))
    assert set(names) <= {at.fault for at in made.faults} <= {*names, "kill", *names}
    assert made.duration_s < 220
    write(made, tmp_path / "tour.toml")
    assert read(tmp_path / "tour.toml") == made


def test_of_three_executors_one_is_never_silenced_while_both_others_are() -> None:
    long = [at for at in scheduled(CAMPAIGN).faults if KINDS[at.fault].on == "link" and lasts_s(at) > 20]
    for language in CAMPAIGN.languages:
        own = [at for at in long if at.on.startswith(language)]
        for at in own:
            overlapping = {each.on for each in own if abs(each.at_s - at.at_s) < lasts_s(at)}
            assert len(overlapping) <= 2


def test_nobody_is_struck_while_an_earlier_fault_still_holds() -> None:
    made = scheduled(CAMPAIGN)
    for slot in {at.on for at in made.faults} - {"relay", "database", "all"}:
        until_s = 0.0
        for at in made.faults:
            if at.on == slot and at.fault != "kill":  # a kill provokes what lies in wait beside it
                assert at.at_s >= until_s, at
                until_s = at.at_s + lasts_s(at)


def test_the_same_campaign_gives_the_same_tour() -> None:
    assert tour(CAMPAIGN, TIMING) == tour(CAMPAIGN, TIMING)


def test_who_is_dead_is_replaced_also_when_the_file_is_played_again(tmp_path: Path) -> None:
    write(scheduled(CAMPAIGN), tmp_path / "tour.toml")
    assert replace(CAMPAIGN, schedule=read(tmp_path / "tour.toml")).replaces
    bare = replace(
        CAMPAIGN, schedule=Schedule(name="bare", seed=1, duration_s=1.0, executors=(scheduled(CAMPAIGN).executors))
    )
    assert not bare.replaces


class Told:
    """A history of one executor, whose workflow is in its hands from 10 s to 20 s and ends at 30 s."""

    def __init__(self, path: Path) -> None:
        self.made = Recorder(path, clock=lambda: 0)
        self.made.header(
            scenario="OUT-1/chaos", title="", clauses=("OUT-1",), world="chaos", relay="fake", profile_digest="",
            timing=RECORDED, capabilities={}, names={}, seed=1,
        )  # fmt: skip
        for executor, language in (("x", "python"), ("y", "go")):
            detail = {"label": executor, "executor": executor, "language": language, "sdk": "1", "app": language}
            self.made.add(Note, t=0, text=LAUNCHED, detail={**detail, "version": "v1", "wall_us": 1_000})

    def fault(self, kind: str, executor: str, at_s: float, **detail: object) -> None:
        self.made.add(Fault, t=int(at_s * 1e9), kind=kind, executor=executor, conn=0, detail=detail)

    def history(self) -> History:
        def change(seq: int, at_s: float, new: str, executor: str) -> Change:
            return Change(seq, 1_000 + int(at_s * 1e6), "update", "", new, "", executor)

        changes = (change(1, 10, "PENDING", "x"), change(2, 20, "ENQUEUED", "x"), change(3, 30, "SUCCESS", "x"))
        record(self.made, [Case("wf", "python", None, changes)])
        self.made.close("complete")
        return self.made.history()


def test_blows_are_counted_with_the_work_that_they_met(tmp_path: Path) -> None:
    told = Told(tmp_path / "h.jsonl")
    for at_s in (5.0, 15.0, 25.0):
        told.fault("reset", "x", at_s)
        told.fault("db-terminate", "database", at_s)
    told.fault("pause-over", "x", 15.0)
    told.fault("stand-in", "x", 15.0)
    told.fault("relay-and-executor-kill", "relay", 15.0)
    told.fault("kill", "y", 15.0, cause="relay-and-executor-kill")
    struck = blows(told.history())
    assert set(struck) == {
        Blow("reset", "python", 3, 1), Blow("db-terminate", "python", 3, 2), Blow("db-terminate", "go", 3, 0),
        Blow("relay-and-executor-kill", "go", 1, 0),
    }  # fmt: skip


def test_what_a_tour_was_for_and_never_did_is_told_and_makes_it_unknown(tmp_path: Path) -> None:
    told = Told(tmp_path / "h.jsonl")
    told.made.add(Note, t=0, text="schedule", detail={"every": ["db-cut", "reset"]})
    told.made.add(Note, t=0, text="work left out", detail={"language": "java", "what": "recv", "reason": "it errs"})
    told.fault("db-cut", "database", 12.0)
    told.fault("reset", "x", 12.0)
    told.made.add(Expect, clause="OUT-1", rule="equal", args={"name": "all", "want": 1, "got": 1})
    history = told.history()
    assert never_struck(history) == ("reset go",)
    summary = report.summarize(history)
    run = run_of(judge(history, clauses()))
    assert exit_code(run) == 2 and run.clauses == {"OUT-1": Verdict.UNKNOWN}
    assert "Never struck: reset go" in report.markdown(run, summary)
    assert "Work left out: java recv: it errs." in report.markdown(run, summary)
    text = report.page(run, history, summary)
    assert "Never struck" in text and "UNKNOWN" in text


@pytest.mark.parametrize(("every", "code"), [(["reset"], 2), (["db-cut"], 0)])
def test_a_stored_tour_is_judged_as_it_was_when_it_ran(
    every: list[str], code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    told = Told(tmp_path / "histories" / "h.jsonl")
    told.made.add(Note, t=0, text="schedule", detail={"every": every})
    told.made.add(Expect, clause="OUT-1", rule="equal", args={"name": "all", "want": 1, "got": 1})
    told.fault("db-cut", "database", 12.0)
    told.fault("reset", "x", 12.0)
    told.history()
    index = Index(
        tool="relayproof chaos", relay="fake", target="builtin:reference", started="", seed=7, pace="chaos", timing={},
        scenarios=(Entry(scenario="OUT-1/chaos", world="chaos", path="histories/h.jsonl"),),
    )  # fmt: skip
    write_index(tmp_path, index)
    assert cli.run(["recheck", str(tmp_path)]) == code
    assert ("never struck: reset go" in capsys.readouterr().out) is (code == 2)


def test_a_fault_of_relay_and_executor_has_struck_whose_executor_it_struck(tmp_path: Path) -> None:
    told = Told(tmp_path / "h.jsonl")
    told.made.add(Note, t=0, text="schedule", detail={"every": ["relay-and-executor-kill", "relay-kill"]})
    told.fault("relay-kill", "relay", 5.0)
    told.fault("relay-and-executor-kill", "relay", 15.0)
    told.fault("kill", "y", 15.0, cause="relay-and-executor-kill")
    assert never_struck(told.history()) == ("relay-and-executor-kill python",)


def test_the_kills_of_recorded_runs_are_counted() -> None:
    assert blows(load(FOLDER / "recovered.jsonl")) == (Blow("kill", "python", 1, 1),)
    assert blows(load(FOLDER / "the-blow-hit-no-work.jsonl")) == (Blow("kill", "python", 1, 0),)
    assert never_struck(load(FOLDER / "nobody-was-struck.jsonl")) == ()
