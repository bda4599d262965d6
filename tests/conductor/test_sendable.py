"""The rules for senders (ENV-12), one by one: what breaks each, and whom it hurts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from conductor.sendable import Harm, Violation, violations
from tests.conductor.protocol_facts import MESSAGES, detail, nullable, request_frame, wrong_values

EXAMPLES = {kind: facts["example"] for kind, facts in MESSAGES.items()}
FLAT_FIELDS = [(kind, field, fact) for kind, facts in MESSAGES.items() for field, fact in facts["request"].items()]
ALWAYS = [(kind, field) for kind, field, fact in FLAT_FIELDS if detail(fact) == "always"]
FLAGS = [(kind, field) for kind, field, fact in FLAT_FIELDS if fact.split()[0] == "boolean"]
FILTERS = [
    (kind, field) for kind, field, fact in FLAT_FIELDS if "array" in fact.split()[0] and detail(fact) != "always"
]
TIMES = [(kind, field) for kind, field, fact in FLAT_FIELDS if fact.startswith("timestamp")]
BODIES = [kind for kind, facts in MESSAGES.items() if facts["nesting"] == "body"]


def judge(frame: Any) -> dict[str, Violation]:
    found = violations("text", json.dumps(frame).encode())
    return {violation.rule: violation for violation in found}


def with_field(kind: str, field: str, value: Any) -> dict[str, Any]:
    """The portable example of a type with one more field."""
    example: dict[str, Any] = EXAMPLES[kind]
    if MESSAGES[kind]["nesting"] == "body":
        return {**example, "body": {**example["body"], field: value}}
    return {**example, field: value}


def without_field(kind: str, field: str) -> dict[str, Any]:
    frame = with_field(kind, field, None)
    del (frame["body"] if MESSAGES[kind]["nesting"] == "body" else frame)[field]
    return frame


@pytest.mark.parametrize("kind", MESSAGES)
def test_a_portable_example_breaks_no_rule(kind: str) -> None:
    assert judge(EXAMPLES[kind]) == {}


def test_text_only() -> None:
    [violation] = violations("binary", json.dumps(EXAMPLES["recovery"]).encode())
    assert violation.rule == "text-only" and violation.kills["go"] is Harm.DISCONNECT and violation.fatal
    assert "typescript" not in violation.kills
    [worse] = violations("binary", b"\x01\x02\xff")
    assert worse.rule == "text-only" and worse.kills["typescript"] is Harm.PROCESS_EXIT


@pytest.mark.parametrize("payload", [b"", b"{", b"\xff", b'{"type":"cancel"} x', b'{"a":NaN}', b"[" * 100_000])
def test_valid_json(payload: bytes) -> None:
    [violation] = violations("text", payload)
    assert violation.rule == "valid-json" and violation.kills["typescript"] is Harm.PROCESS_EXIT and violation.fatal


@pytest.mark.parametrize("frame", [[EXAMPLES["recovery"]], None, "text", 7])
def test_one_object(frame: Any) -> None:
    found = judge(frame)
    assert list(found) == ["one-object"] and found["one-object"].kills["python"] is Harm.DISCONNECT


@pytest.mark.parametrize(
    ("frame", "typescript", "go", "java"),
    [
        (["executor_info"], Harm.ERROR_REPLY, Harm.NO_REPLY, Harm.DISCONNECT),
        (7, Harm.ERROR_REPLY, Harm.NO_REPLY, Harm.NO_REPLY),
        (None, Harm.PROCESS_EXIT, Harm.ERROR_REPLY, Harm.DISCONNECT),
    ],
)
def test_what_is_no_object_hurts_as_measured(frame: Any, typescript: Harm, go: Harm, java: Harm) -> None:
    kills = judge(frame)["one-object"].kills
    assert kills == {"python": Harm.DISCONNECT, "typescript": typescript, "go": go, "java": java}


@pytest.mark.parametrize(("value", "go"), [(7, Harm.NO_REPLY), (None, Harm.ERROR_REPLY)])
def test_type_string(value: Any, go: Harm) -> None:
    found = judge({"type": value, "request_id": "r"})
    assert list(found) == ["type-string"] and found["type-string"].kills["go"] is go
    assert list(judge({"request_id": "r"})) == ["type-string"]


def test_known_type() -> None:
    found = judge({"type": "frobnicate", "request_id": "r"})
    assert list(found) == ["known-type"] and not found["known-type"].fatal


@pytest.mark.parametrize(("value", "go"), [(7, Harm.NO_REPLY), (None, Harm.MISREAD)])
def test_request_id_string(value: Any, go: Harm) -> None:
    found = judge({"type": "executor_info", "request_id": value})
    assert list(found) == ["request-id-string"] and found["request-id-string"].kills["go"] is go
    assert list(judge({"type": "executor_info"})) == ["request-id-string"]


@pytest.mark.parametrize("kind", BODIES)
def test_body_present(kind: str) -> None:
    head = {"type": kind, "request_id": "r"}
    absent, null = judge(head), judge({**head, "body": None})
    if kind == "list_queues":  # the one body that all four SDKs can do without, though not as null
        assert absent == {}
    else:
        assert absent["body-present"].kills["python"] is Harm.DISCONNECT
    assert null["body-present"].kills["python"] is Harm.ERROR_REPLY
    assert list(judge({**head, "body": ["x"]})) == ["wrong-type:body"]


def test_a_missing_body_ends_a_typescript_process_where_that_was_seen() -> None:
    fatal = {
        kind
        for kind in BODIES
        if (found := judge({"type": kind, "request_id": "r"}))
        and found["body-present"].kills.get("typescript") is Harm.PROCESS_EXIT
    }
    assert fatal == {
        "list_workflows",
        "list_queued_workflows",
        "fork_workflow",
        "list_schedules",
        "get_workflow_aggregates",
        "get_step_aggregates",
    }


@pytest.mark.parametrize(("kind", "field"), ALWAYS)
def test_always_field(kind: str, field: str) -> None:
    found = judge(without_field(kind, field))
    assert list(found) == [f"always-field:{field}"]
    assert found[f"always-field:{field}"].kills and field in found[f"always-field:{field}"].message


@pytest.mark.parametrize(("kind", "field"), [("delete", "delete_children"), ("fork_workflow", "new_workflow_id")])
def test_always_fields_that_cost_python_its_socket(kind: str, field: str) -> None:
    assert judge(without_field(kind, field))[f"always-field:{field}"].kills["python"] is Harm.DISCONNECT


@pytest.mark.parametrize(("kind", "field"), FILTERS)
def test_no_empty_filter_array(kind: str, field: str) -> None:
    found = judge(with_field(kind, field, []))
    assert set(found) - {"paired-filters"} == {"no-empty-filter-array"}
    assert "typescript" in found["no-empty-filter-array"].kills


def test_an_empty_array_is_no_filter_inside_of_attributes() -> None:
    assert judge(with_field("list_workflows", "attributes", {"tags": []})) == {}


def test_a_recovery_names_somebody() -> None:
    found = judge({**EXAMPLES["recovery"], "executor_ids": []})
    assert list(found) == ["recovery-of-somebody"]
    assert found["recovery-of-somebody"].kills == {"java": Harm.MISREAD}
    assert judge({**EXAMPLES["recovery"], "executor_ids": ["e1"]}) == {}


@pytest.mark.parametrize(("kind", "field"), FLAGS)
def test_no_null_flag(kind: str, field: str) -> None:
    found = judge(with_field(kind, field, None))
    assert "no-null-flag" in found
    expected = "typescript" if field in ("was_forked_from", "has_parent") else "java"
    assert expected in found["no-null-flag"].kills


@pytest.mark.parametrize(("kind", "field", "fact"), FLAT_FIELDS)
def test_wrong_type(kind: str, field: str, fact: str) -> None:
    for value in wrong_values(fact):
        found = judge(with_field(kind, field, value))
        assert found[f"wrong-type:{field}"].kills["java"] is Harm.ERROR_REPLY
    if not nullable(fact) and fact.split()[0] != "boolean":
        assert f"wrong-type:{field}" in judge(with_field(kind, field, None))


def test_a_bare_string_for_an_array_of_an_aggregate_hurts_java_alone() -> None:
    aggregates = judge(with_field("get_step_aggregates", "status", "SUCCESS"))
    cancel = judge(with_field("cancel", "workflow_ids", "w"))
    assert not aggregates["wrong-type:status"].fatal
    assert cancel["wrong-type:workflow_ids"].kills["go"] is Harm.NO_REPLY


def test_an_alert_value_that_is_no_text_is_never_answered_by_go() -> None:
    found = judge(with_field("alert", "metadata", {"key": 1}))
    assert found["wrong-type:metadata"].kills["go"] is Harm.NO_REPLY


@pytest.mark.parametrize(("kind", "field"), TIMES)
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("2026-01-01T00:00:00.000+00:00", None),
        ("2026-01-01T00:00:00+02:00", None),
        ("2026-01-01T00:00:00.123456-05:30", None),
        ("2026-01-01T00:00:00.000Z", "timestamp-python-3.10"),
        ("2026-01-01T00:00:00.12+00:00", "timestamp-python-3.10"),
        ("2026-01-01T00:00:00", "timestamp-form"),
        ("2026-01-01 00:00:00+00:00", "timestamp-form"),
        ("2026-01-01", "timestamp-form"),
        ("2026-13-01T00:00:00+00:00", "timestamp-form"),
        ("2026-01-01T00:00+00:00", "timestamp-form"),
        ("yesterday", "timestamp-form"),
        ("", "timestamp-form"),
    ],
)
def test_timestamp_form(kind: str, field: str, text: str, rule: str | None) -> None:
    found = judge(with_field(kind, field, text))
    assert list(found) == ([rule] if rule else [])
    assert not any(violation.fatal for violation in found.values())


@pytest.mark.parametrize(("step", "bad"), [(0, False), (1_073_741_823, False), (-1, True), (1_073_741_824, True)])
def test_start_step_range(step: int, bad: bool) -> None:
    found = judge(with_field("fork_workflow", "start_step", step))
    assert list(found) == (["start-step-range"] if bad else [])
    if bad:
        assert found["start-step-range"].kills == {"go": Harm.NO_REPLY}


@pytest.mark.parametrize("kind", ["get_workflow_aggregates", "get_step_aggregates"])
def test_bucket_above_zero(kind: str) -> None:
    assert judge(with_field(kind, "time_bucket_size_ms", 1)) == {}
    assert list(judge(with_field(kind, "time_bucket_size_ms", 0))) == ["bucket-above-zero"]


@pytest.mark.parametrize("pair", [("workflow_ids", "workflow_uuids"), ("user", "authenticated_user")])
def test_paired_filters(pair: tuple[str, str]) -> None:
    one, other = pair
    example = EXAMPLES["get_workflow_aggregates"]
    alone = with_field("get_workflow_aggregates", one, ["x"])
    unlike = {**example, "body": {**example["body"], one: ["x"], other: ["y"]}}
    alike = {**example, "body": {**example["body"], one: ["x"], other: ["x"]}}
    assert list(judge(alone)) == list(judge(unlike)) == ["paired-filters"]
    assert judge(alike) == {}


@pytest.mark.parametrize(
    ("selectors", "bad"),
    [
        ({}, True),
        ({"from_last_failure": False}, True),
        ({"from_step": None}, True),
        ({"from_last_failure": True, "from_step": 1}, True),
        ({"from_step": 0}, False),
        ({"from_step_name": "s"}, False),
        ({"from_last_step": True, "from_step": None, "from_last_failure": False}, False),
    ],
)
def test_one_fork_selector(selectors: dict[str, Any], bad: bool) -> None:
    found = judge(request_frame("fork_from_failure", {"workflow_ids": ["w"], **selectors}))
    assert list(found) == (["one-fork-selector"] if bad else [])


def test_java_import_sniff() -> None:
    early = {**EXAMPLES["cancel"], "workflow_id": "import_workflow"}
    late = {**EXAMPLES["cancel"], "request_id": "r" * 200, "workflow_id": "import_workflow"}
    assert list(judge(early)) == ["java-import-sniff"] and judge(early)["java-import-sniff"].fatal
    assert judge(late) == {}
    assert judge(EXAMPLES["import_workflow"]) == {}
