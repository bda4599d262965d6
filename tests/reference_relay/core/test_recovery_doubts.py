"""Recoveries whose answers can't be taken at their word, found by searching schedules."""

from __future__ import annotations

from typing import Any

from reference_relay.core import Core, CoreConfig
from reference_relay.core.config import NS
from reference_relay.core.core import Stored
from reference_relay.core.records import ExecutorKey, Phase
from tests.reference_relay.core.driving import APP, Driver


def test_a_peer_that_lies_does_not_hide_the_others(drive: Driver) -> None:
    """It reports success and does nothing: those not yet asked come before it is asked again."""
    recovered: list[str] = []
    for peer in ("e2", "e3", "e4"):
        drive.join(peer)
        drive.answers[peer] = {"exist_pending_workflows": lambda _: {"exist": not recovered}}
    for peer in ("e2", "e3"):  # whoever of the two comes first, the third is the only one that does its work
        drive.answers[peer]["recovery"] = lambda _: {"success": True}

    def recover(_: dict[str, Any]) -> dict[str, Any]:
        recovered.append("e4")
        return {"success": True}

    drive.answers["e4"]["recovery"] = recover
    drive.lose(drive.join("e1"))
    drive.run(600)
    asked = [peer for _, peer, _ in drive.recoveries()]
    assert len(asked) == len(set(asked)) <= 3
    assert drive.status("e1") == "GONE"


def test_a_late_success_while_another_is_verified_asks_no_second_time(drive: Driver) -> None:
    """The question that is out may be answered yes: another one in its place would lose that."""
    drive.join("e2")
    drive.answers["e2"] = {"recovery": lambda _: None, "exist_pending_workflows": lambda _: None}
    drive.lose(drive.join("e1"))
    drive.run(200)
    first, second, *_ = (frame for _, frame in drive.sent("recovery"))
    drive.reply(second, success=True)
    ((_, question),) = drive.sent("exist_pending_workflows")
    drive.reply(first, success=True)
    assert len(drive.sent("exist_pending_workflows")) == 1
    drive.reply(question, exist=True)
    drive.run(5)
    assert drive.status("e1") == "DEAD"
    assert [entry["result"] for entry in drive.audits("executor.recover")].count("late success") >= 1


def test_a_sweep_that_finds_work_answers_a_verification_too(drive: Driver) -> None:
    drive.app(executor_timeout_s=5)  # a sweep is due each grace period, a verification takes up to 10 s
    drive.join("e2")
    key = ExecutorKey(*APP, "e1")
    drive.lose(drive.join("e1"))
    drive.run(6)
    assert drive.status("e1") == "GONE"
    rows = [{"group": {"executor_id": "e1", "application_version": "v1"}, "count": 1}]
    drive.answers["e2"] = {
        "get_workflow_aggregates": lambda _: {"output": rows},
        "exist_pending_workflows": lambda _: None,
    }
    drive.run(14)  # found again, asked for again, and being verified when the next sweep comes
    recovery = drive.core.executors[key].recovery
    assert recovery is not None
    assert drive.status("e1") == "DEAD"
    assert recovery.surfaced is not None


def test_a_yes_counts_whichever_question_it_answers(drive: Driver) -> None:
    """A sweep's question and a verification's are out together, and the yes to either keeps the record."""
    drive.app(executor_timeout_s=2)
    drive.join("e2")
    drive.lose(drive.join("e1"))
    drive.run(3)
    assert drive.status("e1") == "GONE"
    drive.answers["e2"] = {
        "get_workflow_aggregates": lambda _: {"error_message": "no such request"},
        "exist_pending_workflows": lambda _: None,
    }
    drive.run(2)  # the sweep asks for e1 itself, which comes back, goes, and is DEAD once more
    (*_, (_, swept)) = drive.sent("exist_pending_workflows")
    drive.lose(drive.join("e1"))
    drive.run(2.5)
    (*_, (_, verified)) = drive.sent("exist_pending_workflows")
    assert verified.request_id != swept.request_id
    drive.reply(swept, exist=True)
    drive.run(1.5)  # asked for again, and being verified again
    assert len(drive.recoveries()) == 3
    drive.reply(verified, exist=True)
    drive.run(0.1)
    recovery = drive.core.executors[ExecutorKey(*APP, "e1")].recovery
    assert recovery is not None
    assert recovery.phase is Phase.BACKOFF


def test_the_dead_of_before_a_restart_are_surfaced(drive: Driver) -> None:
    drive.lose(drive.join("e1"))
    drive.run(100)
    stored = Stored(
        applications=list(drive.core.applications.values()),
        executors=list(drive.core.executors.values()),
        clock_ns=drive.now_ns,
    )
    again = Core(CoreConfig())
    again.load(stored, 5 * NS)
    (waiting,) = again.surfaced(APP)
    assert waiting.key.executor_id == "e1"
