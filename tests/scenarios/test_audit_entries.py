from __future__ import annotations

from typing import Any

from evidence import events
from evidence.history import Recorder
from scenarios.audit_entries import log, own_entries


def recorder() -> Recorder:
    made = Recorder(None, clock=lambda: 0)
    made.header(
        scenario="AUD-1/x", title="", clauses=(), world="wire", relay="r", profile_digest="", timing={},
        capabilities={}, names={}, seed=1,
    )  # fmt: skip
    made.add(events.App, org="o", app="mine", grace_s=1.0)
    made.add(events.Open, conn=1, org="o", app="mine", executor='e"1')
    made.add(events.Open, conn=2, org="o", app="mine", executor="")
    made.secret("admin", "dbos_o_secret")
    return made


def test_entries_of_other_scenarios_are_left_out_and_leaks_are_not() -> None:
    rows: list[dict[str, Any]] = [
        {"id": "1", "details": {"executorId": 'e"1'}},
        {"id": "2", "details": {"anything": ["mine"]}},
        {"id": "3", "details": {"executorId": "another's"}},
        {"id": "4", "details": {"token": "dbos_o_secret"}},
        {"id": "5", "details": None},
    ]
    assert [row["id"] for row in own_entries(recorder(), log(rows))] == ["1", "2", "4"]
