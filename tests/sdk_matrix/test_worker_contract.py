"""The worker contract, tried line by line on the worker of every language (docs/real-executors.md).

A language that is in `sdk_matrix.languages.LANGUAGES` is tried without a word here.
"""

from __future__ import annotations

import json
import time

import pytest

from sdk_matrix.contract import (
    CONTRACT,
    Cancel,
    Child,
    Command,
    Done,
    Fail,
    Fork,
    GetEvent,
    Instruction,
    Outcome,
    Ready,
    Recv,
    Refused,
    Resume,
    Schedule,
    Send,
    SendMessage,
    SetEvent,
    Sleep,
    Start,
    Started,
    Step,
    Stop,
    Stopped,
    Unschedule,
    Unsupported,
    WriteStream,
    expected_outcome,
    steps_of,
    workflows_of,
)
from tests.sdk_matrix.rig import Driver, Rig, until

pytestmark = [pytest.mark.real, pytest.mark.slow]  # builds four SDKs, launches each eight times
MIB = 1 << 20
HOLD = Recv("release", 60.0, "go")
"""Keeps a workflow running until a test sends it on: no test guesses how long a machine takes."""

ODD = "wörk/fläw?#'\"\\ 日本 🦀"


@pytest.fixture(scope="module")
def launched(rig: Rig) -> tuple[Driver, Ready]:
    """The one worker that most tests share."""
    return rig.launch(executor="e-1", alert_handler="record")


@pytest.fixture
def driver(launched: tuple[Driver, Ready]) -> Driver:
    return launched[0]


def ask(launched: tuple[Driver, Ready], command: Command) -> None:
    """Have it done. An SDK that lacks it must have said so when it was launched: then there is nothing to try."""
    driver, ready = launched
    report = driver.ask(command)
    if isinstance(report, Unsupported):
        assert report.reason and ready.unsupported.get(report.what) == report.reason
        pytest.xfail(f"{ready.language} lacks {report.what}: {report.reason}")
    assert isinstance(report, Started | Done | Stopped), report


def start(launched: tuple[Driver, Ready], workflow: str, *instructions: Instruction, queue: str | None = None) -> Start:
    command = Start(workflow=workflow, instructions=instructions, queue=queue)
    ask(launched, command)
    return command


def judge(rig: Rig, command: Start) -> None:
    """Every workflow of the command ends as the contract computes, with evidence of each of its steps."""
    for workflow, instructions in workflows_of(command):
        assert rig.outcome(workflow) == expected_outcome(instructions)
        ended = [step for step, _, phase, detail in rig.steps(workflow) if phase == "end" and not detail.get("failed")]
        assert ended == list(steps_of(instructions))


def test_the_worker_says_who_it_is(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    driver, ready = launched
    info = rig.relay.infos[ready.executor_id]
    assert (ready.contract, ready.language, ready.pid) == (CONTRACT, rig.worker.language, driver.process.pid)
    assert ready.sdk_version.removeprefix("v") == rig.worker.version.removeprefix("v")
    assert (info["language"], info["application_version"]) == (rig.worker.language, "v1")
    assert info["executor_metadata"] == {"name": "e-1"}
    assert "/websocket/contract-app/secret-key" in rig.relay.paths


INSTRUCTIONS: dict[str, tuple[Instruction, ...]] = {
    "nothing": (),
    "steps": (Step("one", 0.01, 5), Step("two")),
    "large-payload": (Step("large", 0.0, MIB),),
    "retries": (Step("shy", 0.01, 3, fails_times=2),),
    "sleep": (Sleep(0.3), Step("rested")),
    "child": (Child("child-of-child", (Step("in-child"), Child("grandchild", (Sleep(0.1),))), None), Step("after")),
    "queued-child": (Child("child-on-queue", (Step("in-child"),), "wide"),),
    "failing-child": (Child("child-fails", (Step("before"), Fail(f"no {ODD}"))), Step("after")),
    "recv-nothing": (Recv("silence", 0.3),),
    "event": (SetEvent("key", "value"), SetEvent(ODD, ODD), SetEvent("key", "newer")),
    "no-event": (GetEvent("steps", "nothing", 0.3),),
    "stream": (WriteStream("stream", ("one", ODD, "three")),),
    "fail": (Step("before"), Fail(f"it can't be: {ODD}"), Step("never")),
    ODD: (Step(ODD, 0.01, 1), Step("plain")),
}


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_instructions(name: str, rig: Rig, launched: tuple[Driver, Ready]) -> None:
    judge(rig, start(launched, name, *INSTRUCTIONS[name]))


def test_the_same_instructions_on_a_queue(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    child = Child("child-of-queued", (Step("two"),), "wide")
    judge(rig, start(launched, "queued", Step("one"), child, Fail("from a queue"), queue="wide"))
    statement = "SELECT workflow_uuid FROM dbos.workflow_status WHERE queue_name = 'wide'"
    assert {("queued",), ("child-of-queued",)} <= set(rig.query(statement))


def test_what_is_written_can_be_read_in_the_database(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    judge(
        rig,
        start(launched, "writer", SetEvent("key", ODD), WriteStream("stream", ("one", ODD)), Send("writer", "t", ODD)),
    )
    events = rig.query("SELECT value, serialization FROM dbos.workflow_events WHERE workflow_uuid = 'writer'")
    values = rig.query(
        'SELECT value, serialization FROM dbos.streams WHERE workflow_uuid = %s ORDER BY "offset"', "writer"
    )
    sent = rig.query("SELECT message, serialization FROM dbos.notifications WHERE destination_uuid = 'writer'")
    portable = [(json.dumps(text, ensure_ascii=False), "portable_json") for text in ("one", ODD)]
    assert events == sent == portable[1:]
    assert values[:2] == portable  # an end mark may follow


@pytest.mark.parametrize("message", ["hello", ODD, "x" * MIB], ids=["short", "odd", "large"])
def test_workflows_talk(message: str, rig: Rig, launched: tuple[Driver, Ready]) -> None:
    name = f"talk-{len(message)}"
    receiver = start(launched, f"{name}-receiver", Recv("topic", 60.0, message), SetEvent("got", message), Sleep(0.1))
    sender = start(
        launched, f"{name}-sender", Send(f"{name}-receiver", "topic", message),
        GetEvent(f"{name}-receiver", "got", 60.0, message),
    )  # fmt: skip
    judge(rig, receiver)
    judge(rig, sender)


def test_a_message_comes_from_outside(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    receiver = start(launched, "outside", Recv("topic", 60.0, ODD))
    ask(launched, SendMessage("outside", "topic", ODD))
    judge(rig, receiver)
    sent = rig.query("SELECT serialization FROM dbos.notifications WHERE destination_uuid = 'outside'")
    assert sent == [("portable_json",)]


def test_attempts_are_counted(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    ready = launched[1]
    judge(rig, start(launched, "counted", Step("shy", fails_times=1), Step("plain")))
    rows = rig.steps("counted")
    assert [(step, attempt, phase) for step, attempt, phase, _ in rows] == [
        ("shy", 1, "begin"), ("shy", 1, "end"), ("shy", 2, "begin"), ("shy", 2, "end"), ("plain", 1, "begin"),
        ("plain", 1, "end"),
    ]  # fmt: skip
    assert [detail["retry"] for *_, detail in rows] == [1, 1, 2, 2, 1, 1]
    assert all((detail["run"], detail["executor_id"]) == (1, ready.executor_id) for *_, detail in rows)
    moments = [detail["at_ns"] for *_, detail in rows]
    assert moments == sorted(moments) and 0 <= time.monotonic_ns() - moments[-1] < 600e9
    assert rows[1][3].get("failed") is True


def test_a_deduplicated_start_is_refused(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    first = Start(workflow="dedup-1", instructions=(HOLD,), queue="wide", deduplication_id="same")
    ask(launched, first)
    second = Start(workflow="dedup-2", instructions=(Step("never"),), queue="wide", deduplication_id="same")
    report = launched[0].ask(second)
    assert isinstance(report, Refused) and (report.do, report.workflow) == ("start", "dedup-2") and report.error
    ask(launched, SendMessage("dedup-1", "release", "go"))
    judge(rig, first)


def test_priority_decides_who_is_next(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    blocker = Start(workflow="first", instructions=(Step("blocks"), HOLD), queue="single", priority=1)
    ask(launched, blocker)
    until(lambda: rig.steps("first"), "the queue is taken")
    commands = [
        Start(workflow=f"priority-{priority}", instructions=(Step("runs"),), queue="single", priority=priority)
        for priority in (3, 1, 2)
    ]
    for command in commands:
        ask(launched, command)
    ask(launched, SendMessage("first", "release", "go"))
    for command in commands:
        judge(rig, command)
    began = {priority: rig.steps(f"priority-{priority}")[0][3]["at_ns"] for priority in (1, 2, 3)}
    assert sorted(began, key=began.__getitem__) == [1, 2, 3]


def test_a_timeout_cancels(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    instructions = (Step("in-time"), Sleep(30.0), Step("never"))
    ask(launched, Start(workflow="timed", instructions=instructions, timeout_s=1.0))
    assert rig.outcome("timed") == expected_outcome(instructions, timeout_s=1.0) == Outcome("CANCELLED")


def test_cancel_and_resume(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    instructions = (Step("done"), Step("interrupted", 3.0), Step("later"))
    ask(launched, Start(workflow="stopped", instructions=instructions))
    until(lambda: len(rig.steps("stopped")) == 3, "the second step has begun")
    ask(launched, Cancel("stopped"))
    assert rig.outcome("stopped") == expected_outcome(instructions, cancelled=True)
    ask(launched, Resume("stopped"))
    until(lambda: rig.outcome("stopped").status == "SUCCESS", "the resumed workflow ends")
    assert rig.outcome("stopped") == expected_outcome(instructions)
    assert [step for step, _, phase, _ in rig.steps("stopped") if phase == "begin"].count("done") == 1


def test_fork(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    instructions = (Step("one"), Step("two", 0.0, 7), Step("three"))
    judge(rig, start(launched, "forked", *instructions))
    ask(launched, Fork("forked", "the-fork", 2))
    assert rig.outcome("the-fork") == expected_outcome(instructions)
    assert [step for step, _, phase, _ in rig.steps("the-fork") if phase == "end"] == ["two", "three"]


def test_schedule(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    ask(launched, Schedule("ticking", "* * * * * *", (Step("tick"),)))

    def ticks() -> list[str]:
        found = rig.query("SELECT workflow_uuid FROM dbos.workflow_status WHERE name = 'scheduled' ORDER BY created_at")
        return [str(workflow) for (workflow,) in found]

    until(lambda: len(ticks()) >= 2, "the schedule fires")
    ask(launched, Unschedule("ticking"))
    assert rig.query("SELECT * FROM dbos.workflow_schedules") == []
    for workflow in ticks():
        assert rig.ended(workflow)[0] == "SUCCESS"
        assert {step for step, *_ in rig.steps(workflow)} == {"tick"}


def test_what_the_sdk_raises_is_a_refusal(driver: Driver) -> None:
    report = driver.ask(Fork("there-is-no-such", "its-fork"))
    assert isinstance(report, Refused) and (report.do, report.workflow) == ("fork", "its-fork") and report.error


def test_an_unknown_command_is_unsupported(driver: Driver) -> None:
    assert driver.process.stdin is not None
    driver.process.stdin.write(b'{"do": "dance", "workflow": "w"}\n')
    driver.process.stdin.flush()
    report = driver.answer()
    assert isinstance(report, Unsupported) and report.do == "dance"


def test_an_alert_is_reported(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    driver, ready = launched
    answer = rig.relay.request(ready.executor_id, type="alert", name="a", message=ODD, metadata={"key": "value"})
    assert answer["success"] is True
    alert = until(lambda: driver.alerts, "the alert is reported")[0]
    assert (alert.name, alert.message, alert.metadata) == ("a", ODD, {"key": "value"})


def test_a_lost_evidence_connection_loses_no_row(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    ask(launched, Start(workflow="cut", instructions=tuple(Step(f"s{number}", 0.2) for number in range(6))))
    until(lambda: rig.steps("cut"), "work has begun")
    rig.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s AND pid <> pg_backend_pid()",
        rig.evidence.rpartition("/")[2],
    )
    assert rig.outcome("cut").status == "SUCCESS"
    assert {(step, phase) for step, _, phase, _ in rig.steps("cut")} == {
        (f"s{number}", phase) for number in range(6) for phase in ("begin", "end")
    }


def test_a_failing_alert_handler_a_silent_mode_and_a_polite_stop(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    driver, ready = rig.launch(executor="e-2", alert_handler="fails", metadata_only=True, version="v2")
    answer = rig.relay.request(ready.executor_id, type="alert", name="a", message="m", metadata={})
    assert answer["success"] is False
    assert len(until(lambda: driver.alerts, "the alert is reported")) == 1
    ask((driver, ready), Start(workflow="left-behind", instructions=(Step("long", 60.0),)))
    until(lambda: rig.steps("left-behind"), "work has begun")
    asked = {"workflow_id": "left-behind", "load_input": True, "load_output": True}
    seen = rig.relay.request(ready.executor_id, type="get_workflow", **asked)["output"]
    assert seen["WorkflowUUID"] == "left-behind"
    assert (seen.get("Input") is None) == ("config metadata_only" not in ready.unsupported)
    assert isinstance(driver.ask(Stop()), Stopped)
    assert driver.process.wait(timeout=30) == 0
    assert [phase for *_, phase, _ in rig.steps("left-behind")] == ["begin"]
    until(lambda: not rig.relay.connected(ready.executor_id), "the socket ends")


def test_a_stop_waits_for_work_where_the_sdk_can(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    driver, ready = rig.launch(executor="e-7", version="v7")
    command = start((driver, ready), "drained", Step("long", 1.5))
    until(lambda: rig.steps("drained"), "work has begun")
    ask((driver, ready), Stop(drain_s=60.0))
    assert driver.process.wait(timeout=30) == 0
    judge(rig, command)


def test_a_worker_ends_with_its_launcher_and_refuses_another_contract(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    driver, _ = rig.launch(executor="e-3", version="v3")
    assert driver.process.stdin is not None
    driver.process.stdin.close()
    assert driver.process.wait(timeout=30) == 0
    other = rig.driver(executor="e-4", contract=CONTRACT + 1)
    assert other.process.wait(timeout=60) == 78
    assert "contract" in other.log.read_text()


def test_a_peer_recovers_what_a_killed_worker_left(rig: Rig, launched: tuple[Driver, Ready]) -> None:
    victim, dead = rig.launch(executor="e-5", version="v5")
    instructions = (
        Step("before"), Step("hit", 4.0, 100), Child("orphan", (Step("c1", 0.3), Step("c2"))), Sleep(0.2), Step("after")
    )  # fmt: skip
    commands = [
        Start(workflow="killed", instructions=instructions),
        Start(workflow="killed-queued", instructions=(Step("before"), Step("hit", 4.0), Step("after")), queue="wide"),
    ]
    for command in commands:
        ask((victim, dead), command)
    for command in commands:
        until(lambda c=command: len(rig.steps(c.workflow)) == 3, f"{command.workflow} is in its second step")  # type: ignore[misc]
    victim.kill()
    interrupted = [command for command in commands if rig.steps(command.workflow)[-1][2] == "begin"]
    assert interrupted, "the kill hit no running step"
    _, peer = rig.launch(executor="e-6", version="v5")
    answer = rig.relay.request(peer.executor_id, type="recovery", executor_ids=[dead.executor_id])
    assert answer["success"] is True
    for command in commands:
        for workflow, body in workflows_of(command):
            assert rig.outcome(workflow) == expected_outcome(body)
        begun = [
            (step, detail["executor_id"]) for step, _, phase, detail in rig.steps(command.workflow) if phase == "begin"
        ]
        assert [step for step, _ in begun].count("before") == 1
        if command in interrupted:
            assert [executor for step, executor in begun if step == "hit"] == [dead.executor_id, peer.executor_id]
