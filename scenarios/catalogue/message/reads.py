"""MSG-list_workflows, MSG-get_workflow and MSG-list_steps: what the API reads through an executor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.catalogue.message.records import (
    SPARSE,
    SPARSE_SHOWN,
    WORKFLOW,
    WORKFLOW_SHOWN,
    WORKFLOW_TIMES,
    epoch_ms,
    expect_times,
    names,
)
from scenarios.world import Answer, Executor, Reply, Script, World

_SECOND = {**SPARSE, "WorkflowUUID": "wf-2", "Status": "SUCCESS", "Output": "42"}


def expect_frame(world: World, clause: str, executor: Executor, type: str, call: int, match: Mapping[str, Any]) -> None:
    """The call makes the relay send this request, with these fields among others."""
    world.expect(
        clause,
        "count",
        "the request that the call leads to",
        executor=executor.id,
        type=type,
        since=world.last("request", call=call),
        at_least=1,
        match=dict(match),
    )


async def _listing(world: World, op: str, **args: Any) -> tuple[Executor, Answer, Mapping[str, Any]]:
    """Call, answered with two workflows. Returns the executor, the answer, and the body of the relay's request."""
    app = await world.app()
    answers = {"list_workflows": Reply(fields={"output": [WORKFLOW, _SECOND]})}
    executor = await ready_executor(world, app, Script(replies=answers))
    answer = await world.control.workflow(app, op, **args)
    frame = await world.until_frame(executor, "list_workflows", within_s=world.timing.slack_s)
    body = frame.get("body") if frame is not None else None
    return executor, answer, body if isinstance(body, Mapping) else {}


@scenario(
    "MSG-list_workflows/shown",
    clauses=("MSG-list_workflows",),
    title="A list of workflows: asked for without filters, and every value of the records shown",
    variants=("list", "search"),
)
async def shown(world: World, op: str) -> None:
    executor, answer, _ = await _listing(world, op)
    clause = "MSG-list_workflows"
    flags = {"body": {"load_input": False, "load_output": False}}
    expect_frame(world, clause, executor, "list_workflows", answer.call, flags)
    second = {**SPARSE_SHOWN, "workflowId": "wf-2", "status": "SUCCESS", "output": "42"}
    world.expect(clause, "answer", "the records", call=answer.call, status=[200], body=[dict(WORKFLOW_SHOWN), second])
    expect_times(world, clause, answer, WORKFLOW_TIMES, 0)


@scenario(
    "MSG-list_workflows/query",
    clauses=("MSG-list_workflows",),
    title="The query parameters of the list reach the executor",
)
async def query(world: World) -> None:
    asked = {"status": "ERROR", "workflowName": "checkout", "limit": 5, "offset": 2, "sortDesc": True}
    executor, answer, body = await _listing(world, "list", **asked, loadInput=True, loadOutput=True)
    clause = "MSG-list_workflows"
    sent = {"limit": 5, "offset": 2, "sort_desc": True, "load_input": True, "load_output": True}
    expect_frame(world, clause, executor, "list_workflows", answer.call, {"body": sent})
    got = {name: names(body.get(name)) for name in ("status", "workflow_name")}
    want = {"status": ["ERROR"], "workflow_name": ["checkout"]}
    world.expect(clause, "equal", "one name or an array of one", name="filters", want=want, got=got)


_FILTERS: Mapping[str, tuple[str, list[str]]] = {
    "workflowIds": ("workflow_uuids", ["wf-1", "wf/ä 2"]),
    "workflowName": ("workflow_name", ["checkout", "refund"]),
    "user": ("authenticated_user", ["ada"]),
    "status": ("status", ["PENDING", "ENQUEUED"]),
    "appVersion": ("application_version", ["v1", "v2"]),
    "forkedFrom": ("forked_from", ["wf-0"]),
    "parentWorkflowId": ("parent_workflow_id", ["wf-p"]),
    "queueName": ("queue_name", ["orders"]),
    "workflowIdPrefix": ("workflow_id_prefix", ["wf-"]),
    "executorId": ("executor_id", ["executor-1"]),
    "scheduleName": ("schedule_name", ["nightly"]),
}
_TIMES = {
    "startTime": "start_time",
    "endTime": "end_time",
    "completedAfter": "completed_after",
    "completedBefore": "completed_before",
    "dequeuedAfter": "dequeued_after",
    "dequeuedBefore": "dequeued_before",
}


@scenario(
    "MSG-list_workflows/search-filters",
    clauses=("MSG-list_workflows",),
    title="The filters of a search reach the executor under their names on the wire",
)
async def search_filters(world: World) -> None:
    clause = "MSG-list_workflows"
    given = {name: values for name, (_, values) in _FILTERS.items()}
    flags = {"hasParent": True, "wasForkedFrom": False, "attributes": {"tier": "gold"}}
    executor, answer, body = await _listing(world, "search", **given, **flags, limit=7, offset=1, sortDesc=False)
    sent = {"has_parent": True, "was_forked_from": False, "attributes": {"tier": "gold"}}
    expect_frame(world, clause, executor, "list_workflows", answer.call, {"body": {**sent, "limit": 7, "offset": 1}})
    want = dict(_FILTERS.values())
    got = {name: names(body.get(name)) for name in want}
    world.expect(clause, "equal", "one name or an array", name="filters", want=want, got=got)


@scenario(
    "MSG-list_workflows/queues-only",
    clauses=("MSG-list_workflows",),
    title="A search for queued workflows reaches the executor as one",
)
async def queues_only(world: World) -> None:
    """By the flag, or by list_queued_workflows: the protocol page has both."""
    app = await world.app()
    executor = await ready_executor(world, app)
    await world.control.workflow(app, "search", queuesOnly=True)
    queued = await world.until_frame(executor, "list_queued_workflows", within_s=0)
    listed = await world.until_frame(executor, "list_workflows", within_s=0)
    body = listed.get("body") if listed is not None else None
    flagged = isinstance(body, Mapping) and body.get("queues_only") is True
    world.expect(
        "MSG-list_workflows", "equal", "list_queued_workflows, or list_workflows with the flag", name="queued only",
        want=True, got=queued is not None or flagged,
    )  # fmt: skip


@scenario(
    "MSG-list_workflows/search-times",
    clauses=("MSG-list_workflows",),
    title="The times of a search reach the executor as the moments that they are",
    variants={"utc": "2026-01-02T03:04:05.678Z", "offset": "2026-01-02T05:34:05.678+02:30"},
)
async def search_times(world: World, moment: str) -> None:
    _, _, body = await _listing(world, "search", **dict.fromkeys(_TIMES, moment))
    want = dict.fromkeys(_TIMES.values(), epoch_ms(moment))
    got = {name: epoch_ms(body.get(name)) for name in want}
    world.expect("MSG-list_workflows", "equal", "the same moments", name="times, epoch ms", want=want, got=got)


@scenario(
    "MSG-get_workflow/shown",
    clauses=("MSG-get_workflow",),
    title="One workflow: asked for by its id, and every value of the record shown",
    variants={"full": (WORKFLOW, WORKFLOW_SHOWN, WORKFLOW_TIMES), "sparse": (SPARSE, SPARSE_SHOWN, {})},
)
async def get_shown(world: World, known: tuple[Mapping[str, Any], Mapping[str, Any], Mapping[str, int]]) -> None:
    record, visible, times = known
    app = await world.app()
    answers = {"get_workflow": Reply(fields={"output": record})}
    executor = await ready_executor(world, app, Script(replies=answers))
    answer = await world.control.workflow(app, "get", "wf-1")
    clause = "MSG-get_workflow"
    expect_frame(world, clause, executor, "get_workflow", answer.call, {"workflow_id": "wf-1"})
    world.expect(clause, "answer", "the record", call=answer.call, status=[200], body=dict(visible))
    expect_times(world, clause, answer, times)


@scenario(
    "MSG-get_workflow/not-found",
    clauses=("MSG-get_workflow",),
    title="A workflow that the executor doesn't find is 404",
    variants={"null": {"output": None}, "absent": {}},
)
async def not_found(world: World, fields: Mapping[str, Any]) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, Script(replies={"get_workflow": Reply(fields=fields)}))
    answer = await world.control.workflow(app, "get", "wf-none")
    clause = "MSG-get_workflow"
    expect_frame(world, clause, executor, "get_workflow", answer.call, {"workflow_id": "wf-none"})
    world.expect(clause, "answer", "null or absent (by SDK) is not found", call=answer.call, status=[404])


_STEPS = [
    {
        "function_id": 1,
        "function_name": "charge",
        "output": "7",
        "error": None,
        "child_workflow_id": None,
        "started_at_epoch_ms": "1700000000123",
        "completed_at_epoch_ms": "1700000000456",
    },
    {"function_id": 2, "function_name": "DBOS.sleep"},
    {"function_id": 3, "function_name": "ship", "error": "lost", "child_workflow_id": "wf-1-3"},
]
_STEPS_SHOWN = [
    {"stepId": 1, "stepName": "charge", "output": "7"},
    {"stepId": 2, "stepName": "DBOS.sleep"},
    {"stepId": 3, "stepName": "ship", "error": "lost", "childWorkflowId": "wf-1-3"},
]


@scenario(
    "MSG-list_steps/shown",
    clauses=("MSG-list_steps",),
    title="The steps of a workflow: asked for with limit and offset, and every value of the records shown",
)
async def steps_shown(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, Script(replies={"list_steps": Reply(fields={"output": _STEPS})}))
    clause = "MSG-list_steps"
    answer = await world.control.workflow(app, "steps", "wf-1")
    expect_frame(world, clause, executor, "list_steps", answer.call, {"workflow_id": "wf-1"})
    world.expect(clause, "answer", "the records", call=answer.call, status=[200], body=_STEPS_SHOWN)
    times = {"startedAt": 1700000000123, "completedAt": 1700000000456}
    expect_times(world, clause, answer, times, 0)
    paged = await world.control.workflow(app, "steps", "wf-1", limit=2, offset=1)
    expect_frame(world, clause, executor, "list_steps", paged.call, {"workflow_id": "wf-1", "limit": 2, "offset": 1})


@scenario(
    "MSG-list_steps/none",
    clauses=("MSG-list_steps",),
    title="A workflow without steps has an empty list of them, however the executor says so",
    variants={"empty": {"output": []}, "null": {"output": None, "error_message": None}},
)
async def no_steps(world: World, fields: Mapping[str, Any]) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, Script(replies={"list_steps": Reply(fields=fields)}))
    answer = await world.control.workflow(app, "steps", "wf-1")
    clause = "MSG-list_steps"
    expect_frame(world, clause, executor, "list_steps", answer.call, {"workflow_id": "wf-1"})
    world.expect(clause, "answer", "no rows; never a failure", call=answer.call, status=[200, 404])
