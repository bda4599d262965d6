"""HSK clauses at the core's own seam."""

from __future__ import annotations

import json
from typing import Any

import pytest

from reference_relay.core import effects as fx
from reference_relay.core import events as ev
from reference_relay.core.records import AppKey
from tests.reference_relay.core.driving import APP, Driver

INFO: dict[str, Any] = {
    "executor_id": "e1",
    "application_version": "v1",
    "hostname": "box",
    "language": "go",
    "dbos_version": "0.9",
    "executor_metadata": {"rack": 7},
}


def test_the_first_frame_asks_who_is_there(drive: Driver) -> None:
    frame = drive.open()
    assert json.loads(frame.data) == {"type": "executor_info", "request_id": frame.request_id}
    assert frame.request_id


def test_what_the_executor_reported_is_listed(drive: Driver) -> None:
    drive.reply(drive.open(), **INFO, unknown_field={"x": 1})
    record = drive.record("e1")
    assert record is not None and record.status == "HEALTHY"
    assert (record.info.application_version, record.info.hostname, record.info.language) == ("v1", "box", "go")
    assert (record.info.dbos_version, record.info.metadata) == ("0.9", {"rack": 7})


@pytest.mark.parametrize("field", ["hostname", "executor_metadata"])
@pytest.mark.parametrize("how", ["absent", "null"])
def test_optional_fields_may_be_missing(drive: Driver, field: str, how: str) -> None:
    info = {key: value for key, value in INFO.items() if key != field}
    drive.reply(drive.open(), **info, **({field: None} if how == "null" else {}))
    assert drive.status("e1") == "HEALTHY"


@pytest.mark.parametrize(
    "change",
    [
        {"executor_id": ""},
        {"executor_id": None},
        {"executor_id": 7},
        {"executor_id": "x" * 5000},
        {"error_message": "no"},
        {"hostname": 3},
    ],
)
def test_an_unusable_answer_registers_nothing_and_is_not_closed_at_once(drive: Driver, change: dict[str, Any]) -> None:
    frame = drive.open()
    effects = drive.reply(frame, **{**INFO, **change})
    assert not drive.core.executors
    assert not any(isinstance(effect, fx.Close) for effect in effects), "a Go SDK would redial without delay"
    drive.alive[frame.conn] = "?"  # answers pings, so only the handshake deadline can end it
    drive.run(26)
    assert [at for at, e in drive.effects if isinstance(e, fx.Close)] == [125.0]


def test_an_absent_id_registers_nothing(drive: Driver) -> None:
    drive.reply(drive.open(), application_version="v1")
    assert not drive.core.executors


def test_an_answer_to_another_request_registers_nothing(drive: Driver) -> None:
    frame = drive.open()
    drive.event(ev.Text(frame.conn, json.dumps({"type": "executor_info", "request_id": "other", **INFO}).encode()))
    other = drive.open()
    drive.event(
        ev.Text(frame.conn, json.dumps({"type": "executor_info", "request_id": other.request_id, **INFO}).encode())
    )
    assert not drive.core.executors


def test_no_other_request_and_no_recovery_before_the_handshake_is_done(drive: Driver) -> None:
    dead = drive.join("dead")
    frame = drive.open()
    drive.alive[frame.conn] = "?"
    drive.answers["?"] = {"executor_info": lambda _: None}
    drive.lose(dead)
    drive.run(24)
    call = drive.call("list_workflows", {"body": {"load_input": False, "load_output": False}})
    done = drive.done(call)
    assert done is not None and done.outcome is fx.Outcome.NO_EXECUTOR
    assert [e.type for _, e in drive.effects if isinstance(e, fx.Send) and e.conn == frame.conn] == ["executor_info"]


def test_an_upgrade_for_an_application_that_is_gone_is_closed(drive: Driver) -> None:
    effects = drive.event(ev.Opened(99, AppKey("org", "nowhere")))
    assert [type(effect) for effect in effects] == [fx.Close]
    assert APP in drive.core.applications


@pytest.mark.parametrize(("levels", "kept"), [(1, True), (15, True), (40, False), (400, False)])
def test_metadata_too_deep_to_keep_is_left_out(drive: Driver, levels: int, kept: bool) -> None:
    metadata: dict[str, Any] = {}
    for level in range(levels):
        metadata = {"in": [metadata] if level % 2 else metadata}
    drive.reply(drive.open(), **{**INFO, "executor_metadata": metadata})
    record = drive.record("e1")
    assert record is not None and record.status == "HEALTHY"
    assert (record.info.metadata is not None) is kept
