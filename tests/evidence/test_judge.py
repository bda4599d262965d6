"""From histories to verdicts: recorded ones with known verdicts, levels, and what a history itself can't prove."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import spec
from evidence import events, rules
from evidence.errors import RuleMisuse, UnknownRule
from evidence.history import History, load
from evidence.judge import judge, judge_file
from evidence.verdict import ScenarioResult, Verdict
from tests.evidence import recorded
from tests.evidence.evidence_play import Play

EXPECTED = json.loads(recorded.EXPECTED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_recorded_histories_have_their_known_verdicts(name: str) -> None:
    result = judge(load(recorded.FOLDER / f"{name}.jsonl"), spec.clauses())
    assert result.clauses == EXPECTED[name]


def test_recorded_histories_are_what_their_builder_writes(tmp_path: Path) -> None:
    recorded.write(tmp_path)
    for path in sorted(tmp_path.iterdir()):
        assert path.read_bytes() == (recorded.FOLDER / path.name).read_bytes(), path.name
    assert {path.name for path in tmp_path.iterdir()} == {
        path.name for path in recorded.FOLDER.iterdir() if path.is_file()
    }


def test_every_verdict_of_a_history_is_recorded_once() -> None:
    seen = {verdict for clauses in EXPECTED.values() for verdict in clauses.values()}
    of_runs = {Verdict.EXPECTED, Verdict.STALE, Verdict.UNCLEAN}
    assert seen == {str(verdict) for verdict in set(Verdict) - of_runs}


def shifted(history: History, n: int, by_ns: int) -> History:
    """The history with one event at another time."""
    moved = [msgspec.structs.replace(event, t=event.t + by_ns) if event.n == n else event for event in history.events]
    return History(moved)


def test_one_frame_at_another_time_flips_one_verdict() -> None:
    play = Play("REC-1", "HSK-1", "ENV-1")
    conn, peer = play.dial("e1"), play.dial("e2")
    after = play.at(1.0).end(conn)
    for moment_s in (1.5, 2.0, 2.5, 3.0):
        play.at(moment_s).ping(peer)
    frame = play.at(3.2).recover(peer, "e1")
    play.at(4.0)
    play.expect("REC-1", "frame", conn=peer, type="recovery", after=after, earliest="g", latest="g + scan + slack")
    history = play.history()
    before = judge(history, spec.clauses()).clauses
    later = judge(shifted(history, frame, 500_000_000), spec.clauses()).clauses
    assert set(before.values()) == {Verdict.OK}
    assert {clause for clause in before if before[clause] is not later[clause]} == {"REC-1"}
    assert later["REC-1"] is Verdict.LATE


def test_a_truncated_history_is_a_harness_error() -> None:
    result = judge_file(recorded.FOLDER, "truncated.jsonl", spec.clauses(), "LIV-7/edge", "simulated")
    assert (result.verdict, result.scenario, result.world) == (Verdict.HARNESS_ERROR, "LIV-7/edge", "simulated")
    assert "no footer" in result.note
    assert judge_file(recorded.FOLDER, "nowhere.jsonl", spec.clauses()).verdict is Verdict.HARNESS_ERROR
    assert judge_file(recorded.FOLDER, "ok.jsonl", spec.clauses()).path == "ok.jsonl"


def ended(outcome: str) -> ScenarioResult:
    play = Play("LIV-4", "LIV-5")
    if outcome == "error":
        play.recorder.close("error", "ZeroDivisionError: by nought")
    return play.judge()


def test_a_scenario_that_broke_is_a_harness_error_of_all_its_clauses() -> None:
    result = ended("error")
    assert result.clauses == {"LIV-4": Verdict.HARNESS_ERROR, "LIV-5": Verdict.HARNESS_ERROR}
    assert result.note == "ZeroDivisionError: by nought"


def test_a_declared_clause_that_nothing_was_found_about_is_vacuous() -> None:
    assert ended("complete").clauses == {"LIV-4": Verdict.VACUOUS, "LIV-5": Verdict.VACUOUS}


def test_a_failure_of_an_undeclared_clause_counts_and_a_pass_does_not() -> None:
    play = Play("LIV-10")
    play.dial("e1")
    play.expect("LIV-10", "value", name="x", value=1)
    assert play.judge().clauses == {"LIV-10": Verdict.INFO}
    play = Play("LIV-10")
    conn = play.dial("e1")
    play.text(conn, "[]")
    play.expect("LIV-10", "value", name="x", value=1)
    clauses = play.judge().clauses
    assert clauses["ENV-1"] is clauses["ENV-12"] is Verdict.FAILED


@pytest.mark.parametrize(
    ("clause", "verdict"), [("LIV-5", Verdict.FAILED), ("LIV-18", Verdict.NON_STRICT), ("LIV-17", Verdict.INFO)]
)
def test_the_level_of_the_clause_decides_what_a_failure_is(clause: str, verdict: Verdict) -> None:
    play = Play(clause)
    play.expect(clause, "equal", name="x", want=1, got=2)
    assert play.judge().clauses == {clause: verdict}


def test_of_several_findings_the_heaviest_counts() -> None:
    play = Play("LIV-5")
    for got in (1, 2, 1):
        play.expect("LIV-5", "equal", name="x", want=1, got=got)
    result = play.judge()
    assert result.clauses == {"LIV-5": Verdict.FAILED}
    assert [finding.verdict for finding in result.findings] == [Verdict.OK, Verdict.FAILED, Verdict.OK]


def test_a_note_of_the_scenario_is_no_reason() -> None:
    play = Play("LIV-6")
    play.add(events.Note, text="half way")
    assert play.judge().clauses == {"LIV-6": Verdict.VACUOUS}


def test_unsupported_beside_a_finding_does_not_hide_it() -> None:
    play = Play("LIV-5", "LIV-6")
    play.expect("LIV-5", "equal", name="x", want=1, got=1)
    play.add(events.Note, text="unsupported", detail={"reason": "no restart"})
    result = play.judge()
    assert result.clauses == {"LIV-5": Verdict.OK, "LIV-6": Verdict.UNSUPPORTED}
    assert result.note == "no restart"


@pytest.mark.parametrize(
    ("rule", "args", "says"),
    [
        ("nonsense", {}, "no rule 'nonsense'"),
        ("closed", {"after": 0}, "argument: 'conn'"),
        ("closed", {"conn": 1, "after": 0, "colour": 1}, "unexpected keyword argument 'colour'"),
        ("closed", {"conn": 99, "after": 0}, "no connection 99"),
        ("closed", {"conn": 1, "after": 999}, "no event 999"),
        ("closed", {"conn": 1, "after": True}, "no event True"),
        ("closed", {"conn": 1, "after": 0, "latest": "whenever"}, "'whenever'"),
        ("frame", {"type": "x", "after": 0}, "give the rule an executor, a conn or an app"),
        ("spread", {"app": "nowhere", "dead": [], "at_least": 1}, "no application 'nowhere'"),
    ],
)
def test_an_expectation_without_sense_is_a_harness_error(rule: str, args: dict[str, Any], says: str) -> None:
    play = Play("LIV-5")
    play.dial("e1")
    n = play.expect("LIV-5", rule, **args)
    result = play.judge()
    assert result.clauses == {"LIV-5": Verdict.HARNESS_ERROR}
    [finding] = [each for each in result.findings if each.verdict is Verdict.HARNESS_ERROR]
    assert says in finding.seen
    assert finding.events == (n,)


def test_a_clause_that_the_contract_lacks_is_a_harness_error() -> None:
    play = Play("LIV-999")
    assert play.judge().clauses == {"LIV-999": Verdict.HARNESS_ERROR}


def test_an_invariant_that_can_not_judge_is_a_harness_error() -> None:
    play = Play("LIV-1", timing={"w": 1.0})
    play.dial("e1")
    result = play.judge()
    assert result.clauses["LIV-1"] is Verdict.HARNESS_ERROR


@pytest.mark.parametrize(
    ("rule", "args", "jitter_s", "verdict"),
    [
        ("stays", {"executor": "e1", "statuses": "HEALTHY"}, 0.2, Verdict.FAILED),
        ("stays", {"executor": "e1", "statuses": "HEALTHY"}, 0.4, Verdict.UNKNOWN),  # more than the slack
        ("equal", {"name": "x", "want": 1, "got": 2}, 0.35, Verdict.FAILED),
        ("equal", {"name": "x", "want": 1, "got": 2}, 0.4, Verdict.UNKNOWN),  # more than half of w - i
        ("closed", {"conn": 1, "after": 0, "latest": "scan"}, 0.36, Verdict.FAILED),
        ("closed", {"conn": 1, "after": 0, "latest": "scan"}, 0.4, Verdict.UNKNOWN),
        ("first_frame", {"conn": 1}, 9.0, Verdict.FAILED),  # no stall puts a wrong frame first
    ],
)
def test_a_host_that_stalled_accuses_nobody(rule: str, args: dict[str, Any], jitter_s: float, verdict: Verdict) -> None:
    play = Play("LIV-5")
    conn = play.dial("e1", shake=False)
    play.text(conn, {"type": "get_metrics"})
    play.at(1.0).add(events.Jitter, worst=round(jitter_s * 1e9))
    play.poll(e1="DISCONNECTED")
    play.expect("LIV-5", rule, **args)
    [finding] = [each for each in play.judge().findings if each.rule == rule]
    assert finding.verdict is verdict
    assert ("jitter" in finding.seen) is (verdict is Verdict.UNKNOWN)


def test_what_did_not_happen_on_a_host_that_stalled_is_unknown() -> None:
    play = Play("LIV-4")
    play.add(events.Jitter, worst=400_000_000)
    play.add(events.Note, text="prerequisite", detail={"reason": "not HEALTHY"})
    assert play.judge().clauses == {"LIV-4": Verdict.UNKNOWN}


def test_a_moment_that_a_slow_host_let_pass_is_unknown_and_gives_its_reason() -> None:
    play = Play("LIV-6")
    play.add(events.Note, text="slow-host", detail={"reason": "each absence was too long"})
    result = play.judge()
    assert result.clauses == {"LIV-6": Verdict.UNKNOWN}
    assert result.note == "each absence was too long"


@pytest.mark.parametrize(("gave_up", "verdict"), [(True, Verdict.NOT_TESTABLE), (False, Verdict.OK)])
def test_what_always_holds_is_no_proof_where_the_scenario_gave_up(gave_up: bool, verdict: Verdict) -> None:
    play = Play("HSK-1")
    play.dial("e1")
    if gave_up:
        play.add(events.Note, text="prerequisite", detail={"reason": "not HEALTHY"})
    assert play.judge().clauses == {"HSK-1": verdict}


def test_what_was_judged_before_a_scenario_gave_up_counts() -> None:
    play = Play("HSK-1")
    conn = play.dial("e1")
    play.expect("HSK-1", "first_frame", conn=conn)
    play.add(events.Note, text="prerequisite", detail={"reason": "not HEALTHY"})
    assert play.judge().clauses == {"HSK-1": Verdict.OK}


def test_arguments_can_be_checked_without_a_history() -> None:
    rules.check_arguments("closed", {"conn": 1, "after": 2})
    rules.check_arguments("ended_once", {"whatever": 1})
    with pytest.raises(RuleMisuse, match="closed"):
        rules.check_arguments("closed", {})
    with pytest.raises(UnknownRule):
        rules.check_arguments("close", {})


def test_an_executor_of_several_applications_is_told_by_app() -> None:
    play = Play("REC-4")
    play.dial("e1", app="a")
    play.dial("e1", app="b", org="other")
    play.at(1.0).poll(app="b", org="other", e1="DEAD")
    play.poll(app="a", e1="HEALTHY")
    play.expect("REC-4", "stays", executor="e1", statuses="HEALTHY")
    play.expect("REC-4", "stays", executor="e1", app="b", statuses="DEAD")
    play.expect("REC-4", "stays", executor="e1", org="other", statuses="DEAD")
    play.expect("REC-4", "not_listed", executor="e2", app="a", org="acme")
    assert play.judge().clauses == {"REC-4": Verdict.OK}


def test_an_unknown_executor_among_several_applications_needs_an_app() -> None:
    play = Play("REC-4")
    play.dial("e1", app="a")
    play.dial("e1", app="b")
    play.expect("REC-4", "not_listed", executor="nobody")
    [finding] = play.judge().findings
    assert "never dialled; give app=, one of ['a', 'b']" in finding.seen


@pytest.mark.parametrize(("jitter_s", "verdict"), [(0.1, Verdict.EARLY), (0.9, Verdict.UNKNOWN)])
def test_what_came_early_after_a_stall_may_have_begun_before(jitter_s: float, verdict: Verdict) -> None:
    """A stalled harness answered no ping, the relay took the executor for lost before it left: nobody's fault."""
    play = Play("LIV-7")
    play.dial("e1")
    play.at(2.0).add(events.Jitter, worst=round(jitter_s * 1e9))
    left = play.at(3.0).add(events.Note, text="e1 leaves")
    play.at(3.1).poll(e1="DEAD")
    play.expect("LIV-7", "transition", executor="e1", to="DEAD", after=left, earliest="g", latest="g + scan + slack")
    assert play.judge().clauses["LIV-7"] is verdict


@pytest.mark.parametrize(("stall_at_s", "verdict"), [(3.0, Verdict.UNKNOWN), (30.0, Verdict.FAILED)])
def test_a_stall_while_something_was_waited_for_counts(stall_at_s: float, verdict: Verdict) -> None:
    """The peer answered no ping meanwhile and was lost: whom should the relay have asked?"""
    play = Play("REC-1")
    play.dial("e1")
    peer = play.dial("e2")
    left = play.at(1.0).add(events.Note, text="e1 leaves")
    play.at(stall_at_s - 0.5).add(events.Jitter, worst=0)
    play.at(stall_at_s).add(events.Jitter, worst=900_000_000)
    play.at(40.0).poll(e1="DEAD")
    play.expect("REC-1", "frame", conn=peer, type="recovery", after=left, earliest="g", latest="g + scan + 2*slack")
    [finding] = [each for each in play.judge().findings if each.rule == "frame"]
    assert finding.verdict is verdict
