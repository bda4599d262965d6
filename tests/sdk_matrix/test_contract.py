from __future__ import annotations

import json

import pytest

from sdk_matrix import contract
from sdk_matrix.contract import (
    Alert,
    Child,
    Config,
    Done,
    Fail,
    Fork,
    GetEvent,
    Outcome,
    Ready,
    Recv,
    Refused,
    SendMessage,
    Sleep,
    Start,
    Started,
    Step,
    Stop,
    Stopped,
    Unsupported,
    expected_outcome,
)
from sdk_matrix.errors import ContractError, UnknownLanguage
from sdk_matrix.languages import WORKERS, worker

BODY = (Step("a", 0.1, 5), Sleep(1.0), Child("w-child", (Step("c"), Child("w-grandchild", (Step("g"),)))), Step("b"))


def test_commands_are_json_as_documented() -> None:
    assert json.loads(contract.encode(Start(workflow="w", instructions=BODY[:2], queue="q"))) == {
        "do": "start", "workflow": "w", "queue": "q",
        "instructions": [
            {"op": "step", "name": "a", "duration_s": 0.1, "payload_bytes": 5, "fails_times": 0},
            {"op": "sleep", "duration_s": 1.0},
        ],
    }  # fmt: skip
    assert json.loads(contract.encode(Stop())) == {"do": "stop"}
    assert json.loads(contract.encode(Fork("w", "w2", 3))) == {
        "do": "fork", "workflow": "w", "forked": "w2", "from_step": 3,
    }  # fmt: skip
    assert json.loads(contract.encode(SendMessage("w", "t", "grüß"))) == {
        "do": "send", "to": "w", "topic": "t", "message": "grüß",
    }  # fmt: skip


def test_a_configuration_carries_the_version_of_the_contract() -> None:
    config = Config(
        relay_url="ws://r", key="k", application="a", version="v", system_database_url="sqlite:///x",
        evidence_database="e", executor="e1",
    )  # fmt: skip
    assert json.loads(contract.encode(config))["contract"] == contract.CONTRACT


@pytest.mark.parametrize(
    ("line", "report"),
    [
        (b'{"event": "started", "workflow": "w", "more": 1}', Started("w")),
        (b'{"event": "refused", "workflow": "w", "error": "x"}', Refused("w", "x")),
        (b'{"event": "stopped"}', Stopped()),
        (b'{"event": "done", "do": "fork", "subject": "w2"}', Done("fork", "w2")),
        (b'{"event": "refused", "do": "cancel", "workflow": "w", "error": "x"}', Refused("w", "x", "cancel")),
        (
            b'{"event": "unsupported", "do": "start", "subject": "w", "what": "instruction recv", "reason": "no"}',
            Unsupported("start", "w", "instruction recv", "no"),
        ),
        (b'{"event": "alert", "name": "n", "message": "m", "metadata": {"a": "b"}}', Alert("n", "m", {"a": "b"})),
        (
            b'{"event":"ready","contract":2,"language":"go","sdk_version":"1","executor_id":"i","pid":5}',
            Ready(contract=2, language="go", sdk_version="1", executor_id="i", pid=5),
        ),
    ],
)
def test_reports_are_read(line: bytes, report: contract.Report) -> None:
    assert contract.read_report(line) == report


@pytest.mark.parametrize("line", [b"", b"hello", b"{}", b'{"event": "else"}', b'{"event": "started"}'])
def test_what_is_no_report_is_quoted(line: bytes) -> None:
    with pytest.raises(ContractError, match="no report of contract 2"):
        contract.read_report(line)


def test_a_worker_of_another_contract_is_refused() -> None:
    line = b'{"event":"ready","contract":1,"language":"go","sdk_version":"1","executor_id":"i","pid":5}'
    with pytest.raises(ContractError, match="speaks contract 1"):
        contract.read_report(line)


def test_the_expected_output_follows_the_instructions() -> None:
    assert contract.expected_output(BODY) == [["a", 5], None, [["c", 0], [["g", 0]]], ["b", 0]]
    assert contract.steps_of(BODY) == ("a", "b")
    workflows = contract.workflows_of(Start(workflow="w", instructions=BODY))
    found = {workflow: contract.steps_of(body) for workflow, body in workflows}
    assert found == {"w": ("a", "b"), "w-child": ("c",), "w-grandchild": ("g",)}


def test_a_failing_workflow_ends_where_it_fails() -> None:
    body = (Step("a"), Fail("no luck"), Step("never"), Child("never", ()))
    assert expected_outcome(body) == Outcome("ERROR", error="no luck")
    assert contract.steps_of(body) == ("a",)
    assert [workflow for workflow, _ in contract.workflows_of(Start(workflow="w", instructions=body))] == ["w"]
    parent = (Child("c", body), Recv("t", 1.0, "news"), Recv("t", 1.0), GetEvent("c", "k", 2.0, "é"))
    assert expected_outcome(parent) == Outcome("SUCCESS", [{"error": "no luck"}, "news", None, "é"])


def test_a_workflow_is_cancelled_by_command_or_by_its_time() -> None:
    body = (Step("a", 1.0), Sleep(1.0), Child("c", (Recv("t", 0.5),)))
    assert contract.least_duration_s(body) == 2.5
    assert expected_outcome(body, cancelled=True) == Outcome("CANCELLED")
    assert expected_outcome(body, timeout_s=2.0) == Outcome("CANCELLED")
    assert expected_outcome(body, timeout_s=3.0).status == "SUCCESS"


def test_an_unknown_language_is_named_with_the_known() -> None:
    assert worker("python") is WORKERS["python"]
    with pytest.raises(UnknownLanguage, match="python"):
        worker("cobol")
