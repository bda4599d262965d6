from __future__ import annotations

import json

import pytest

from sdk_matrix import contract
from sdk_matrix.contract import Child, Config, Ready, Refused, Sleep, Start, Started, Step, Stop, Stopped
from sdk_matrix.errors import ContractError, UnknownLanguage
from sdk_matrix.languages import WORKERS, worker

BODY = (Step("a", 0.1, 5), Sleep(1.0), Child("w-child", (Step("c"), Child("w-grandchild", (Step("g"),)))), Step("b"))


def test_commands_are_json_as_documented() -> None:
    assert json.loads(contract.encode(Start(workflow="w", instructions=BODY[:2], queue="q"))) == {
        "do": "start", "workflow": "w", "queue": "q",
        "instructions": [
            {"op": "step", "name": "a", "duration_s": 0.1, "payload_bytes": 5}, {"op": "sleep", "duration_s": 1.0},
        ],
    }  # fmt: skip
    assert json.loads(contract.encode(Stop())) == {"do": "stop"}


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
        (
            b'{"event":"ready","contract":1,"language":"go","sdk_version":"1","executor_id":"i","pid":5}',
            Ready(contract=1, language="go", sdk_version="1", executor_id="i", pid=5),
        ),
    ],
)
def test_reports_are_read(line: bytes, report: contract.Report) -> None:
    assert contract.read_report(line) == report


@pytest.mark.parametrize("line", [b"", b"hello", b"{}", b'{"event": "else"}', b'{"event": "started"}'])
def test_what_is_no_report_is_quoted(line: bytes) -> None:
    with pytest.raises(ContractError, match="no report of contract 1"):
        contract.read_report(line)


def test_a_worker_of_another_contract_is_refused() -> None:
    line = b'{"event":"ready","contract":2,"language":"go","sdk_version":"1","executor_id":"i","pid":5}'
    with pytest.raises(ContractError, match="speaks contract 2"):
        contract.read_report(line)


def test_the_expected_output_follows_the_instructions() -> None:
    assert contract.expected_output(BODY) == [["a", 5], None, [["c", 0], [["g", 0]]], ["b", 0]]
    assert contract.steps_of(BODY) == ("a", "b")
    workflows = contract.workflows_of(Start(workflow="w", instructions=BODY))
    found = {workflow: contract.steps_of(body) for workflow, body in workflows}
    assert found == {"w": ("a", "b"), "w-child": ("c",), "w-grandchild": ("g",)}


def test_an_unknown_language_is_named_with_the_known() -> None:
    assert worker("python") is WORKERS["python"]
    with pytest.raises(UnknownLanguage, match="python"):
        worker("cobol")
