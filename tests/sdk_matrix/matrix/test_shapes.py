"""What is said of an answer beside the catalogue."""

from __future__ import annotations

from typing import Any

import pytest

from sdk_matrix.matrix.shapes import compare

VERSION = {"version_id": "1", "version_name": "v1", "version_timestamp": 1, "created_at": 2}


def versions(*records: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"type": "list_application_versions", "request_id": "r", "output": list(records), **more}


def test_an_answer_as_the_catalogue_has_it_is_not_remarked() -> None:
    assert compare("list_application_versions", versions(VERSION)) == []
    assert compare("list_application_versions", versions(VERSION, error_message=None)) == []


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (versions({k: v for k, v in VERSION.items() if k != "version_name"}), "absent: output[].version_name"),
        (versions(VERSION | {"version_name": None}), "null: output[].version_name"),
        (versions(VERSION | {"brand_new": 1}), "extra: output[].brand_new"),
        (versions(VERSION | {"version_timestamp": "1"}), "type: output[].version_timestamp is string, not integer"),
        (versions(VERSION, more=1), "extra: more"),
        (versions(), "empty: output"),
        ({"type": "list_application_versions", "request_id": "r"}, "absent: output"),
    ],
)
def test_each_way_to_differ(answer: dict[str, Any], said: str) -> None:
    assert compare("list_application_versions", answer) == [said]


def test_a_field_that_one_record_has_is_not_absent() -> None:
    bare = {k: v for k, v in VERSION.items() if k != "version_name"}
    assert compare("list_application_versions", versions(VERSION, bare)) == []
    assert compare("list_application_versions", versions(VERSION, VERSION | {"version_name": None})) == []


def test_an_integer_is_a_number_and_a_boolean_is_no_integer() -> None:
    info = {"type": "executor_info", "request_id": "r", "executor_id": True}
    assert any(note.startswith("type: executor_id is boolean, not string") for note in compare("executor_info", info))
