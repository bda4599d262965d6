"""Request variants: optional fields, filters, ids, times and sizes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from conductor.catalogue import CATALOGUE
from sdk_matrix.contract import Start, Step
from sdk_matrix.matrix.optional import FILTERS, OPTIONAL, nulled, required_only
from sdk_matrix.probes.bench import Bench, Executor
from sdk_matrix.probes.messages import REQUESTS
from sdk_matrix.probes.outcome import Reaction, react
from sdk_matrix.probes.registry import Findings, probe

__all__ = ["BODIES", "IDS", "TIMES", "UNKNOWN"]

_NULLABLE = (
    "workflow_uuids", "workflow_name", "authenticated_user", "start_time", "end_time", "status",
    "application_version", "limit", "offset", "queue_name", "executor_id",
)  # fmt: skip
_LOAD = {"load_input": True, "load_output": True}
IDS = {
    "slash": "a/b",
    "question": "a?b",
    "hash": "a#b",
    "quotes": "a'b\"c",
    "non_ascii": "zoë-日本",
    "percent": "a%2Fb",
}
TIMES = {
    "offset": "2020-01-01T00:00:00.000+00:00",
    "z": "2020-01-01T00:00:00.000Z",
    "no_offset": "2020-01-01T00:00:00.000",
    "space": "2020-01-01 00:00:00.000+00:00",
}
UNKNOWN: Mapping[str, Mapping[str, Any]] = {
    "get_workflow": {"workflow_id": "nobody", **_LOAD},
    "list_steps": {"workflow_id": "nobody", "load_output": True},
    "cancel": {"workflow_id": "nobody"},
    "resume": {"workflow_id": "nobody"},
    "delete": {"workflow_id": "nobody", "delete_children": False},
    "export_workflow": {"workflow_id": "nobody", "export_children": False},
    "get_schedule": {"schedule_name": "nobody", "load_context": False},
    "pause_schedule": {"schedule_name": "nobody"},
    "resume_schedule": {"schedule_name": "nobody"},
    "trigger_schedule": {"schedule_name": "nobody"},
    "get_queue": {"name": "nobody"},
}
BODIES = tuple(kind for kind, spec in CATALOGUE.items() if spec.nesting == "body")
_MIB = 1 << 20
_DONE_S = 60.0  # for what is large


async def ask(executor: Executor, kind: str, **fields: Any) -> Reaction:
    request = {"type": kind, "request_id": executor.request_id(), **fields}
    return await react(executor, request, within_s=_DONE_S)


@probe(
    "messages", "variants/optional_null", "variants/optional_empty_text", "variants/filter_scalar",
    "variants/filter_array", "variants/filter_empty_array", "variants/null_flag",
)  # fmt: skip
async def filters(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        asked: dict[str, dict[str, Any]] = {
            "optional_null": dict.fromkeys(_NULLABLE),
            "optional_empty_text": {"queue_name": ""},
            "filter_scalar": {"status": "CANCELLED"},
            "filter_array": {"status": ["CANCELLED", "ERROR"]},
            "filter_empty_array": {"status": []},
            "null_flag": {"was_forked_from": None, "has_parent": None},
        }
        for name, fields in asked.items():
            before = _count(await ask(executor, "list_workflows", body=_LOAD))
            reaction = await ask(executor, "list_workflows", body={**_LOAD, **fields})
            after = _count(await ask(executor, "list_workflows", body=_LOAD))  # schedules go on meanwhile
            value = reaction.value
            if value == "answered":
                count = _count(reaction)
                value = "matches nothing" if count == 0 else "no filter" if before <= count <= after else "filters"
            findings.put(f"variants/{name}", value, detail=reaction.detail, frames=reaction.frames)


@probe("messages", *(f"variants/filter_{way}_{name}" for name in FILTERS for way in ("scalar", "array")))
async def each_filter(bench: Bench, findings: Findings) -> None:
    """With a name that nothing has: whoever reads the filter tells of no workflow."""
    async with bench.executor() as executor:
        for name in FILTERS:
            for way, wanted in (("scalar", "no-such-name"), ("array", ["no-such-name", "nor-this"])):
                reaction = await ask(executor, "list_workflows", body={**_LOAD, name: wanted})
                value = reaction.value
                if value == "answered":
                    value = "no filter" if _count(reaction) else "filters"
                findings.put(f"variants/filter_{way}_{name}", value, detail=reaction.detail, frames=reaction.frames)


@probe("messages", *(f"variants/optional_{way}_{kind}" for way in ("absent", "null") for kind in OPTIONAL))
async def optional_fields(bench: Bench, findings: Findings) -> None:
    """The request of the message rows, once without its optional fields, once with a null in each that may be null."""
    executor = await bench.start()
    for kind in OPTIONAL:
        for way, change in (("absent", required_only), ("null", nulled)):
            if not executor.alive:
                executor = await bench.start()
            asked = REQUESTS[kind](executor)
            if kind == "rewind_workflow":
                workflow = await _ended_workflow(bench, executor, f"rewound-{way}")
                asked = {"body": {**asked["body"], "workflow_id": workflow}}
            reaction = await ask(executor, kind, **change(kind, asked))
            row = f"variants/optional_{way}_{kind}"
            findings.put(row, reaction.value, detail=reaction.detail, frames=reaction.frames)


async def _ended_workflow(bench: Bench, executor: Executor, name: str) -> str:
    """Its id: one that still runs, or lost its executor, can't be rewound."""
    await executor.ask(Start(workflow=name, instructions=(Step("only"),)))
    await bench.status(name, "SUCCESS")
    return name


def _count(reaction: Reaction) -> int:
    return len((reaction.answer or {}).get("output") or ())


@probe("messages", *(f"variants/id_{name}" for name in IDS))
async def ids(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        for name, workflow in IDS.items():
            await executor.ask(Start(workflow=workflow, instructions=(Step("only"),)))
            await bench.status(workflow, "SUCCESS")
            reaction = await ask(executor, "get_workflow", workflow_id=workflow, **_LOAD)
            told = ((reaction.answer or {}).get("output") or {}).get("WorkflowUUID")
            value = reaction.value if reaction.value != "answered" else "found" if told == workflow else "not found"
            findings.put(f"variants/id_{name}", value, detail=reaction.detail, frames=reaction.frames)


@probe("messages", *(f"variants/unknown_{kind}" for kind in UNKNOWN))
async def unknown(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        for kind, fields in UNKNOWN.items():
            reaction = await ask(executor, kind, **fields)
            value = reaction.value
            if value == "answered" and reaction.answer is not None:
                told = {name for name, each in reaction.answer.items() if each not in (None, [], {})}
                data = told - {"type", "request_id", "error_message"}
                value = "success" if data == {"success"} else "something" if data else "nothing"
            findings.put(f"variants/unknown_{kind}", value, detail=reaction.detail, frames=reaction.frames)


@probe("messages", *(f"variants/time_{name}" for name in TIMES))
async def times(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        for name, start in TIMES.items():
            end = start.replace("2020", "2100")
            metric = {"start_time": start, "end_time": end, "metric_class": "workflow_step_count"}
            reaction = await ask(executor, "get_metrics", **metric)
            findings.put(f"variants/time_{name}", reaction.value, detail=reaction.detail, frames=reaction.frames)


@probe("messages", *(f"variants/{way}_{size}_mib" for way in ("request", "answer") for size in (1, 10)))
async def sizes(bench: Bench, findings: Findings) -> None:
    async with bench.executor() as executor:
        for size in (1, 10):
            text = "é" * (size * _MIB // 2)  # two bytes each: fragments cut at bytes would damage one
            reaction = await ask(executor, "alert", name="rule", message=text, metadata={"key": "value"})
            findings.put(f"variants/request_{size}_mib", reaction.value, detail=reaction.detail, frames=reaction.frames)
            step = Step("large", payload_bytes=size * _MIB)
            await executor.ask(Start(workflow=f"large-{size}", instructions=(step,)))
            await bench.status(f"large-{size}", "SUCCESS")
            reaction = await ask(executor, "list_steps", workflow_id=f"large-{size}", load_output=True)
            parts = sum(1 for frame in reaction.frames if frame.kind == "continuation")
            notes = ["in fragments"] if parts else []
            findings.put(f"variants/answer_{size}_mib", reaction.value, notes=notes, frames=reaction.frames)


@probe("bodies", *(f"variants/body_missing_{kind}" for kind in BODIES))
async def bodies(bench: Bench, findings: Findings) -> None:
    """A process that it ends is launched anew: some SDKs do not survive some of these."""
    executor = await bench.start()
    for kind in BODIES:
        reaction = await ask(executor, kind)
        findings.put(f"variants/body_missing_{kind}", reaction.value, detail=reaction.detail, frames=reaction.frames)
        if not executor.alive:
            executor = await bench.start()
