"""What is exchanged about schedules."""

from __future__ import annotations

from scenarios.catalogue.message.exchange import Call, Case, Exchanges, Odd
from scenarios.catalogue.message.of_copies import FAILED, NEW_ID, no_id

_NAME = "nightly/ä #1"
_SCHEDULE = {
    "schedule_id": "s-1",
    "schedule_name": _NAME,
    "workflow_name": "report",
    "workflow_class_name": "Shop",
    "schedule": "*/5 * * * *",
    "status": "ACTIVE",
    "context": '{"ä": 1}',
    "last_fired_at": "2026-01-02T03:04:05.678+02:00",
    "automatic_backfill": True,
    "cron_timezone": "Europe/Berlin",
    "queue_name": "orders",
    "application_name": "shop",
}
_SCHEDULE_SHOWN = {
    "scheduleId": "s-1",
    "scheduleName": _NAME,
    "workflowName": "report",
    "workflowClass": "Shop",
    "cronExpression": "*/5 * * * *",
    "cronTimezone": "Europe/Berlin",
    "status": "ACTIVE",
    "context": '{"ä": 1}',
    "automaticBackfill": True,
    "applicationName": "shop",
}
_FIRED = {"lastFiredAt": 1767315845678}
_BARE_SCHEDULE = {
    "schedule_id": "s-2",
    "schedule_name": "",
    "workflow_name": "report",
    "schedule": "@daily",
    "status": "PAUSED",
    "automatic_backfill": False,
}
_BARE_SCHEDULE_SHOWN = {
    "scheduleId": "s-2",
    "scheduleName": "",
    "workflowClass": None,
    "cronTimezone": None,
    "status": "PAUSED",
    "context": None,
    "lastFiredAt": None,
    "automaticBackfill": False,
    "applicationName": None,
}


def _about_schedule(type: str, status: int, answered: dict[str, object], shown: object = None) -> Case:
    return Case(
        call=Call(operation=type, subject=_NAME),
        sent={"schedule_name": _NAME},
        answered=answered,
        status=status,
        shown=shown,
    )


SCHEDULES = (
    Exchanges(
        type="list_schedules",
        cases=(
            Case(
                call=Call(
                    operation="list_schedules",
                    query={
                        "status": "ACTIVE", "workflowName": "report", "scheduleNamePrefix": "ä", "loadContext": True
                    },
                ),
                sent={
                    "body": {
                        "status": ["ACTIVE"],
                        "workflow_name": ["report"],
                        "schedule_name_prefix": ["ä"],
                        "load_context": True,
                    }
                },
                answered={"output": [_SCHEDULE]},
                shown=[_SCHEDULE_SHOWN],
                times=_FIRED,
            ),
            Case(
                call=Call(operation="list_schedules"),
                sent={"body": {"load_context": False}},
                answered={"output": [_BARE_SCHEDULE]},
                shown=[_BARE_SCHEDULE_SHOWN],
            ),
        ),
        odd=(Odd(what="an empty array", answered={"output": []}, shown=[]),),
    ),
    Exchanges(
        type="get_schedule",
        cases=(
            Case(
                call=Call(operation="get_schedule", subject=_NAME),
                sent={"schedule_name": _NAME, "load_context": True},
                answered={"output": _SCHEDULE},
                shown=_SCHEDULE_SHOWN,
                times=_FIRED,
            ),
        ),
        odd=(
            Odd(what="null is not found", answered={"output": None}, status=(404,)),
            Odd(what="absent is not found", answered={}, status=(404,)),
            Odd(what="nothing that may be unset", answered={"output": _BARE_SCHEDULE}, shown=_BARE_SCHEDULE_SHOWN),
            Odd(
                what="a time without an offset is UTC",
                answered={"output": {**_BARE_SCHEDULE, "last_fired_at": "2026-01-02T01:04:05.678"}},
                times=_FIRED,
            ),
        ),
    ),
    Exchanges(
        type="pause_schedule", cases=(_about_schedule("pause_schedule", 204, {"success": True}),), odd=FAILED
    ),
    Exchanges(
        type="resume_schedule", cases=(_about_schedule("resume_schedule", 204, {"success": True}),), odd=FAILED
    ),
    Exchanges(
        type="trigger_schedule",
        cases=(_about_schedule("trigger_schedule", 201, {"workflow_id": NEW_ID}, {"workflowId": NEW_ID}),),
        odd=no_id("workflow_id", "an id"),
    ),
    Exchanges(
        type="backfill_schedule",
        cases=(
            Case(
                call=Call(
                    operation="backfill_schedule",
                    subject=_NAME,
                    body={"startTime": "2026-01-02T03:04:05.678Z", "endTime": "2026-01-02T05:34:05.678+02:30"},
                ),
                sent={
                    "schedule_name": _NAME,
                    "start": "2026-01-02T03:04:05.678+00:00",
                    "end": "2026-01-02T03:04:05.678+00:00",
                },
                answered={"workflow_ids": ["sched-1", NEW_ID]},
                shown={"workflowIds": ["sched-1", NEW_ID]},
            ),
        ),
        odd=(
            Odd(what="nothing was due", answered={"workflow_ids": []}, shown={"workflowIds": []}),
            Odd(
                what="many", answered={"workflow_ids": [f"s-{n}" for n in range(2000)]},
                shown={"workflowIds": [f"s-{n}" for n in range(2000)]},
            ),
        ),
    ),
)  # fmt: skip
