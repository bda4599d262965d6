"""Message rows: every request of the catalogue, sent to an SDK that has real data behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from conductor.catalogue import CATALOGUE
from sdk_matrix.matrix.shapes import compare
from sdk_matrix.probes.bench import Bench, Executor
from sdk_matrix.probes.data import SCHEDULE, prepare
from sdk_matrix.probes.outcome import react
from sdk_matrix.probes.registry import Findings, probe

__all__ = ["ALERTS", "REQUESTS", "ROWS"]

_DAY = {"start": "2026-01-01T00:00:00.000+00:00", "end": "2026-01-03T00:00:00.000+00:00"}

REQUESTS: Mapping[str, Callable[[Executor], dict[str, Any]]] = {
    "executor_info": lambda me: {},
    "recovery": lambda me: {"executor_ids": ["00000000-0000-4000-8000-000000000000"]},
    "exist_pending_workflows": lambda me: {"executor_id": me.id, "application_version": "v1"},
    "list_workflows": lambda me: {"body": {"load_input": True, "load_output": True}},
    "list_queued_workflows": lambda me: {"body": {"load_input": True}},
    "get_workflow": lambda me: {"workflow_id": "full", "load_input": True, "load_output": True},
    "list_steps": lambda me: {"workflow_id": "full", "load_output": True},
    "get_workflow_events": lambda me: {"workflow_id": "full"},
    "get_workflow_notifications": lambda me: {"workflow_id": "full"},
    "get_workflow_streams": lambda me: {"workflow_id": "full"},
    "get_workflow_aggregates": lambda me: {"body": {"group_by_status": True}},
    "get_step_aggregates": lambda me: {"body": {"group_by_function_name": True}},
    "list_schedules": lambda me: {"body": {"load_context": True}},
    "get_schedule": lambda me: {"schedule_name": SCHEDULE, "load_context": True},
    "pause_schedule": lambda me: {"schedule_name": SCHEDULE},
    "resume_schedule": lambda me: {"schedule_name": SCHEDULE},
    "trigger_schedule": lambda me: {"schedule_name": SCHEDULE},
    "backfill_schedule": lambda me: {"schedule_name": SCHEDULE, **_DAY},
    "list_queues": lambda me: {"body": {}},
    "get_queue": lambda me: {"name": "single"},
    "get_metrics": lambda me: {
        "start_time": "2020-01-01T00:00:00.000+00:00",
        "end_time": "2100-01-01T00:00:00.000+00:00",
        "metric_class": "workflow_step_count",
    },
    "list_application_versions": lambda me: {},
    "set_latest_application_version": lambda me: {"version_name": "v1"},
    "alert": lambda me: {"name": "rule", "message": "text", "metadata": {"key": "value"}},
    "cancel": lambda me: {"workflow_id": "to-cancel"},
    "resume": lambda me: {"workflow_id": "to-cancel"},
    "delete": lambda me: {"workflow_id": "deleted", "delete_children": False},
    "fork_workflow": lambda me: {
        "body": {"workflow_id": "forked", "start_step": 1, "new_workflow_id": None, "application_version": None}
    },
    "fork_from_failure": lambda me: {"body": {"workflow_ids": ["failed"], "from_last_failure": True}},
    "restart": lambda me: {"workflow_id": "restarted"},
    "rewind_workflow": lambda me: {"body": {"workflow_id": "rewound", "start_step": 1}},
    "export_workflow": lambda me: {"workflow_id": "moved", "export_children": False},
    "retention": lambda me: {
        "body": {
            "gc_cutoff_epoch_ms": 1, "gc_rows_threshold": None, "timeout_cutoff_epoch_ms": None, "gc_batch_size": 100,
        }
    },
}  # fmt: skip
"""By type, the fields of its request, in the order of sending; import_workflow has its own place in the round trip."""
assert {*REQUESTS, "import_workflow"} == set(CATALOGUE)

_DONE_S = 60.0  # some have much to do: a backfill is a workflow for each time
ROWS = tuple(f"messages/{kind}" for kind in CATALOGUE)
ROUND_TRIP = "messages/export_delete_import_round_trip"
ALERTS = ("messages/alert_with_handler", "messages/alert_with_failing_handler")
METADATA_ONLY = "messages/metadata_only_mode"


@probe("messages", *ROWS, ROUND_TRIP)
async def every_message(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        await prepare(bench, executor)
        for kind, fields in REQUESTS.items():
            if kind == "retention":
                await _round_trip(bench, executor, findings)
            await _one(executor, findings, kind, fields(executor))


async def _one(executor: Executor, findings: Findings, kind: str, fields: dict[str, Any]) -> Mapping[str, Any] | None:
    request = {"type": kind, "request_id": executor.request_id(), **fields}
    reaction = await react(executor, request, within_s=_DONE_S)
    notes = compare(kind, reaction.answer) if reaction.value == "answered" and reaction.answer is not None else []
    findings.put(f"messages/{kind}", reaction.value, notes=notes, detail=reaction.detail, frames=reaction.frames)
    return reaction.answer


async def _round_trip(bench: Bench, executor: Executor, findings: Findings) -> None:
    """Export, delete, import: the workflow must read as it did before."""
    mark = executor.mark()
    asked: dict[str, Any] = {"workflow_id": "moved", "load_input": True, "load_output": True}
    before = await executor.request("get_workflow", **asked)
    exported = await executor.request("export_workflow", workflow_id="moved", export_children=False)
    await executor.request("delete", workflow_id="moved", delete_children=False)
    gone = not await bench.workflow("moved")
    await _one(executor, findings, "import_workflow", {"serialized_workflow": exported.get("serialized_workflow")})
    after = await executor.request("get_workflow", **asked)
    one, other = before.get("output") or {}, after.get("output") or {}
    differing = sorted(name for name in {*one, *other} if one.get(name) != other.get(name))
    value = "not deleted" if not gone else "lost" if not other else "differs" if differing else "as it was"
    notes = [f"differs: {', '.join(differing)}"] if other and differing else []
    findings.put(ROUND_TRIP, value, notes=notes, frames=executor.since(mark))


@probe("messages", *ALERTS)
async def alert_handlers(bench: Bench, findings: Findings) -> None:
    for row, handler in zip(ALERTS, ("record", "fails"), strict=True):
        async with bench.executor(alert_handler=handler) as executor:
            fields = REQUESTS["alert"](executor)
            reaction = await react(executor, {"type": "alert", "request_id": executor.request_id(), **fields})
            findings.put(row, reaction.value, detail=reaction.detail, frames=reaction.frames)


@probe("messages", METADATA_ONLY)
async def metadata_only(bench: Bench, findings: Findings) -> None:
    async with bench.executor(metadata_only=True) as executor:
        if (reason := executor.ready.unsupported.get("config metadata_only")) is not None:
            findings.put(METADATA_ONLY, "has none", detail=reason)
            return
        mark = executor.mark()
        answer = await executor.request("get_workflow", workflow_id="full", load_input=True, load_output=True)
        record = answer.get("output") or {}
        told = sorted(name for name in ("Input", "Output", "Error") if record.get(name))
        events = await executor.request("get_workflow_events", workflow_id="full")
        hidden = not told and not any(event.get("value") for event in events.get("events") or ())
        notes = [f"told in spite of it: {', '.join(told)}"] if told else []
        findings.put(METADATA_ONLY, "hides data" if hidden else "shows data", notes=notes, frames=executor.since(mark))
