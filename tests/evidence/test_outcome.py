"""Outcome rules: each kind of finding has a small history with a known verdict."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from evidence.events import Expect, Fault, Footer, Frame, Header, Ledger, Open
from evidence.history import History
from evidence.rules import apply, outcome
from evidence.verdict import Finding, Verdict

Rows = list[dict[str, Any]]
OUTPUT = [["a", 0], ["b", 0]]


class Play:
    """A workflow "w" of steps a and b: e1 starts it and checkpoints a, e1 is killed, e2 adopts it and ends it."""

    def __init__(self) -> None:
        self.expected: Rows = [{"workflow": "w", "outcome": "SUCCESS", "output": OUTPUT, "steps": ["a", "b"]}]
        self.trigger: Rows = []
        self.ledger: Rows = []
        self.faults: list[tuple[str, str, dict[str, Any]]] = [("kill", "e1", {})]
        self.frames: list[tuple[str, dict[str, Any]]] = []

    def change(self, new: str | None, executor: str | None, **more: Any) -> Play:
        last: dict[str, Any] = next((row for row in reversed(self.trigger) if row["kind"] != "checkpoint"), {})
        row: dict[str, Any] = {"seq": len(self.trigger) + 1, "kind": "update" if last else "insert", "workflow": "w"}
        if last:
            row |= {"old_status": last["new_status"], "old_executor": last["new_executor"]}
        if new is None:
            row["kind"] = "delete"
        else:
            row |= {"new_status": new, "new_executor": executor, "attempts": last.get("attempts", 0)}
        self.trigger.append(row | more)
        return self

    def checkpoint(self, step: str) -> Play:
        row = {"seq": len(self.trigger) + 1, "kind": "checkpoint", "workflow": "w", "step": step}
        self.trigger.append(row)
        return self

    def execute(self, step: str, executor: str, *, run: int = 1, ended: bool = True) -> Play:
        seq = 2 * len(self.ledger) + 1
        row = {"seq": seq, "workflow": "w", "run": run, "step": step, "executor_id": executor}
        self.ledger.append(row | ({"end_seq": seq + 1} if ended else {}))
        return self

    def up_to_the_kill(self) -> Play:
        self.change("PENDING", "e1", attempts=1).execute("a", "e1").checkpoint("a")
        return self.execute("b", "e1", ended=False)

    def adopted(self) -> Play:
        self.change("ENQUEUED", "e1").change("PENDING", "e2", attempts=2)
        return self.execute("b", "e2").checkpoint("b")

    def succeeded(self, **more: Any) -> Play:
        return self.change("SUCCESS", "e2", output=json.dumps(OUTPUT), outcome_changed=1, **more)

    def complete(self) -> Play:
        return self.up_to_the_kill().adopted().succeeded()

    def history(self, without: str = "") -> History:
        header = Header(
            n=0, t=0, format=1, tool="test", scenario="OUT-1/test", title="", clauses=("OUT-1",), world="real",
            relay="r", profile_digest="", timing={}, capabilities={}, names={}, seed=1, started="",
        )  # fmt: skip
        events: list[Any] = [header]

        def add(event: Callable[..., Any], /, **fields: Any) -> None:
            events.append(event(n=len(events), t=len(events) * 1000, **fields))

        add(Open, conn=2, org="o", app="a", executor="e2", version="v1")
        for by, message in self.frames:
            add(Frame, conn=2, by=by, op="text", data=json.dumps(message))
        for kind, executor, detail in self.faults:
            add(Fault, kind=kind, executor=executor, detail=detail)
        for source, rows in (("expected", self.expected), ("trigger", self.trigger), ("ledger", self.ledger)):
            add(Ledger, source=source, rows=() if source == without else tuple(rows))
        add(Footer, events=len(events), outcome="complete")
        return History(events)


def judge(rule: str, play: Play, *, without: str = "") -> Finding:
    (found,) = apply(play.history(without), Expect(n=0, t=0, clause="OUT", rule=rule))
    return found


RULES = ("ended", "ended_once", "steps_kept")


@pytest.mark.parametrize("rule", RULES)
def test_a_complete_recovery_meets_every_rule(rule: str) -> None:
    found = judge(rule, Play().complete())
    assert found.verdict is Verdict.OK, found.seen


def test_the_legal_second_execution_of_a_step_is_counted() -> None:
    assert "1 of them more than once" in judge("steps_kept", Play().complete()).seen


def test_a_lost_workflow_fails() -> None:
    found = judge("ended", Play().up_to_the_kill())
    assert found.verdict is Verdict.FAILED
    assert "PENDING under e1, which was struck" in found.seen


def test_a_workflow_that_the_database_never_had_fails() -> None:
    play = Play().complete()
    play.expected.append({"workflow": "x", "outcome": "SUCCESS", "steps": []})
    found = judge("ended", play)
    assert found.verdict is Verdict.FAILED and "x was started" in found.seen


def test_a_lost_workflow_that_nobody_expected_fails() -> None:
    play = Play().complete()
    play.trigger.append(
        {"seq": 99, "kind": "insert", "workflow": "x", "new_status": "ENQUEUED", "new_executor": "e2", "attempts": 0}
    )
    assert judge("ended", play).verdict is Verdict.FAILED


def test_an_acknowledgement_without_effect_is_named_but_stays_a_failure() -> None:
    play = Play().up_to_the_kill()
    play.frames = [
        ("relay", {"type": "recovery", "request_id": "r", "executor_ids": ["e1"]}),
        ("executor", {"type": "recovery", "request_id": "r", "success": True}),
    ]
    found = judge("ended", play)
    assert found.verdict is Verdict.FAILED and "REC-21" in found.seen


@pytest.mark.parametrize(
    "answered", [{"success": False}, {"success": True, "error_message": "the database was away"}, None]
)
def test_a_recovery_that_nobody_acknowledged_is_no_suspect(answered: dict[str, Any] | None) -> None:
    play = Play().up_to_the_kill()
    play.frames = [("relay", {"type": "recovery", "request_id": "r", "executor_ids": ["e1"]})]
    if answered is not None:
        play.frames.append(("executor", {"type": "recovery", "request_id": "r", **answered}))
    found = judge("ended", play)
    assert found.verdict is Verdict.FAILED and "REC-21" not in found.seen


def test_the_outcome_of_a_workflow_that_nobody_expected_is_its_own() -> None:
    """A child that a step starts by itself, say: it must end once, in whatever way."""
    play = Play().complete()
    play.trigger.append(
        {"seq": 99, "kind": "insert", "workflow": "x", "new_status": "ERROR", "new_executor": "e2", "attempts": 1}
    )
    assert judge("ended_once", play).verdict is Verdict.OK


def test_a_row_taken_back_by_a_checkpoint_is_named_but_stays_a_failure() -> None:
    play = Play().up_to_the_kill().adopted().change("PENDING", "e1")
    found = judge("ended", play)
    assert found.verdict is Verdict.FAILED and "REC-25" in found.seen


def test_a_second_terminal_transition_fails() -> None:
    play = Play().complete().change("PENDING", "e1").change("SUCCESS", "e1", output=json.dumps(OUTPUT))
    found = judge("ended_once", play)
    assert found.verdict is Verdict.FAILED and "2 times" in found.seen


def test_a_rewritten_output_fails() -> None:
    found = judge("ended_once", Play().complete().change("SUCCESS", "e1", output="[]", outcome_changed=1))
    assert found.verdict is Verdict.FAILED and "rewritten" in found.seen


def test_a_second_write_of_the_same_outcome_is_no_rewrite() -> None:
    again = Play().complete().change("SUCCESS", "e1", output=json.dumps(OUTPUT), outcome_changed=0)
    assert judge("ended_once", again).verdict is Verdict.OK


@pytest.mark.parametrize(("new", "words"), [("ENQUEUED", "left SUCCESS for ENQUEUED"), (None, "deleted")])
def test_a_terminal_status_that_is_left_fails(new: str | None, words: str) -> None:
    found = judge("ended_once", Play().complete().change(new, "e2"))
    assert found.verdict is Verdict.FAILED and words in found.seen


def test_an_unexpected_outcome_fails() -> None:
    play = Play().up_to_the_kill().adopted().change("ERROR", "e2", error="boom", outcome_changed=1)
    found = judge("ended_once", play)
    assert found.verdict is Verdict.FAILED and "ended in ERROR (boom), expected SUCCESS" in found.seen


@pytest.mark.parametrize("output", ["[]", "not JSON", None])
def test_a_wrong_output_fails(output: str | None) -> None:
    play = Play().up_to_the_kill().adopted()
    play.change("SUCCESS", "e2", outcome_changed=1, **({} if output is None else {"output": output}))
    assert judge("ended_once", play).verdict is Verdict.FAILED


def test_a_step_run_again_after_its_checkpoint_fails() -> None:
    found = judge("steps_kept", Play().complete().execute("a", "e2"))
    assert found.verdict is Verdict.FAILED and "step a of w was executed again by e2" in found.seen


def test_a_step_run_again_by_a_claimant_of_before_the_checkpoint_is_legal() -> None:
    play = Play().change("PENDING", "e1", attempts=1).execute("a", "e1", ended=False)
    play.change("ENQUEUED", "e1").change("PENDING", "e2", attempts=2).execute("a", "e2")
    play.change("ENQUEUED", "e2").change("PENDING", "e3", attempts=3).execute("a", "e3")
    play.checkpoint("a").execute("b", "e3").checkpoint("b").change("SUCCESS", "e3", output=json.dumps(OUTPUT))
    assert judge("steps_kept", play).verdict is Verdict.OK


def test_the_second_claim_of_one_executor_must_not_run_its_step_again() -> None:
    """e1 was falsely dead: it took its own workflow a second time, after step a's checkpoint."""
    play = Play().up_to_the_kill()
    play.change("ENQUEUED", "e1").change("PENDING", "e1", attempts=2).execute("a", "e1", run=2)
    found = judge("steps_kept", play.execute("b", "e1", run=2).succeeded())
    assert found.verdict is Verdict.FAILED and "step a" in found.seen


def test_a_row_taken_over_at_once_counts_as_a_claim() -> None:
    """Java starts plain workflows at once: PENDING stays PENDING, the attempts grow."""
    play = Play().up_to_the_kill().change("PENDING", "e2", attempts=2).execute("b", "e2").checkpoint("b").succeeded()
    for rule in RULES:
        assert judge(rule, play).verdict is Verdict.OK
    assert judge("steps_kept", play.execute("a", "e2")).verdict is Verdict.FAILED


def test_a_step_of_an_executor_that_never_took_the_workflow_fails() -> None:
    found = judge("steps_kept", Play().complete().execute("b", "e9"))
    assert found.verdict is Verdict.FAILED and "never took" in found.seen


def test_winning_a_checkpoint_is_no_claim() -> None:
    play = Play().up_to_the_kill().adopted().change("PENDING", "e9").execute("b", "e9").succeeded()
    found = judge("steps_kept", play)
    assert found.verdict is Verdict.FAILED and "e9, which never took" in found.seen


def test_a_step_that_never_ran_to_its_end_fails() -> None:
    play = Play().up_to_the_kill().change("ENQUEUED", "e1").change("PENDING", "e2", attempts=2).checkpoint("b")
    found = judge("steps_kept", play.succeeded())
    assert found.verdict is Verdict.FAILED and "step b of w was never executed" in found.seen


@pytest.mark.parametrize("rule", RULES)
def test_without_trigger_rows_nothing_is_proved(rule: str) -> None:
    assert judge(rule, Play().complete(), without="trigger").verdict is Verdict.VACUOUS


def test_without_ledger_rows_the_steps_are_not_proved() -> None:
    assert judge("steps_kept", Play().complete(), without="ledger").verdict is Verdict.VACUOUS
    assert judge("ended", Play().complete(), without="ledger").verdict is Verdict.OK


@pytest.mark.parametrize("rule", RULES)
def test_without_a_strike_nothing_is_proved(rule: str) -> None:
    play = Play().complete()
    play.faults = []
    found = judge(rule, play)
    assert found.verdict is Verdict.VACUOUS and "no executor was killed or stopped" in found.seen


@pytest.mark.parametrize("rule", RULES)
def test_a_strike_without_running_work_proves_nothing(rule: str) -> None:
    play = Play().change("PENDING", "e2", attempts=1).execute("a", "e2").checkpoint("a").execute("b", "e2")
    assert "was recovered" in judge(rule, play.checkpoint("b").succeeded()).seen
    assert judge(rule, play).verdict is Verdict.VACUOUS


def test_work_that_a_struck_executor_ended_itself_proves_nothing() -> None:
    play = Play().up_to_the_kill().change("ENQUEUED", "e1").change("PENDING", "e1", attempts=2)
    play.execute("b", "e1", run=2).checkpoint("b").change("SUCCESS", "e1", output=json.dumps(OUTPUT))
    found = judge("ended", play)
    assert found.verdict is Verdict.VACUOUS and "no living executor" in found.seen


def test_a_duplicate_recovery_without_effect_meets_its_rule() -> None:
    play = Play().complete()
    assert judge("duplicate_recovery", play).verdict is Verdict.VACUOUS
    play.faults.append(("duplicate-recovery", "e2", {"dead": ["e1"], "answer": {"success": True}}))
    assert judge("duplicate_recovery", play).verdict is Verdict.OK


def test_a_duplicate_recovery_that_changes_an_outcome_fails() -> None:
    play = Play().complete().change("PENDING", "e3").change("SUCCESS", "e3", output=json.dumps(OUTPUT))
    play.faults.append(("duplicate-recovery", "e2", {"dead": ["e1"], "answer": {"success": True}}))
    assert judge("duplicate_recovery", play).verdict is Verdict.FAILED


def test_a_duplicate_recovery_that_was_refused_proves_nothing() -> None:
    play = Play().complete()
    play.faults.append(("duplicate-recovery", "e2", {"dead": ["e1"], "answer": {"success": False}}))
    assert judge("duplicate_recovery", play).verdict is Verdict.VACUOUS


def test_the_terminal_statuses_are_those_of_the_sdk() -> None:
    assert {"SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"} == outcome.TERMINAL
