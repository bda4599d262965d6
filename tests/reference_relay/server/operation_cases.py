"""One case an operation that an executor serves: its request, the message that it must become, and the answer."""

from __future__ import annotations

from typing import Any, NamedTuple

from tests.reference_relay.answering import AT

WORKFLOW = {
    "workflowId": "w/1", "status": "SUCCESS", "workflowName": "order", "workflowClass": "Shop",
    "workflowConfig": "main", "user": "ann", "assumedRole": "clerk",
    "roles": '["clerk"]', "input": "(1,)", "output": "2", "error": None,
    "createdAt": AT, "updatedAt": AT, "queueName": "jobs", "appVersion": "v1", "executorId": "e1", "timeoutMs": 5000,
    "deadline": AT, "deduplicationId": "d1", "priority": 3, "queuePartitionKey": "p", "forkedFrom": None,
    "wasForkedFrom": True, "parentWorkflowId": "w0", "dequeuedAt": AT, "delayUntil": AT, "completedAt": AT,
    "attributes": '{"a":1}', "scheduleName": "nightly", "applicationName": "shop",
}  # fmt: skip
QUEUE = {
    "name": "jobs", "applicationName": "shop", "concurrency": 10, "workerConcurrency": 4, "rateLimitMax": 5,
    "rateLimitPeriodSecs": 1.5, "priorityEnabled": True, "partitionQueue": False, "pollingIntervalSecs": 1.0,
}  # fmt: skip
SCHEDULE = {
    "scheduleId": "s1", "scheduleName": "nightly", "workflowName": "order", "workflowClass": "Shop",
    "cronExpression": "0 0 * * *", "cronTimezone": "UTC", "status": "ACTIVE", "context": "{}", "lastFiredAt": AT,
    "automaticBackfill": False, "applicationName": "shop",
}  # fmt: skip
AGGREGATE = {
    "group": {"status": "SUCCESS", "application_version": "v1"}, "count": 9, "minCreatedAt": AT,
    "maxQueueWaitMs": 5, "maxTotalLatencyMs": 6,
}  # fmt: skip
SPAN = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-01T01:00:00+01:00"}
ID = "a%2Fb%3Fc%23d%20%C3%A9"
DECODED = "a/b?c#d é"


class Case(NamedTuple):
    operation: str
    path: str
    body: Any
    message: str
    fields: dict[str, Any]
    answer: Any
    query: str = ""


CASES = [
    Case("list_workflows", "workflows", None, "list_workflows",
         {"body": {"load_input": False, "load_output": False}}, [WORKFLOW]),
    Case("search_workflows", "workflows/search", {"queuesOnly": True, "loadInput": True}, "list_queued_workflows",
         {"body": {"load_input": True, "load_output": False}}, [WORKFLOW]),
    Case("search_workflows", "workflows/search", {"queuesOnly": True, "loadOutput": True}, "list_workflows",
         {"body": {"queues_only": True, "load_input": False, "load_output": True}}, [WORKFLOW]),
    Case("get_workflow", f"workflows/{ID}", None, "get_workflow",
         {"workflow_id": DECODED, "load_input": True, "load_output": True}, WORKFLOW),
    Case("list_workflow_steps", f"workflows/{ID}/steps", None, "list_steps",
         {"workflow_id": DECODED, "load_output": True},
         [{"stepId": 1, "stepName": "pay", "output": "1", "error": None, "childWorkflowId": "w2", "startedAt": AT,
           "completedAt": AT}]),
    Case("list_workflow_events", f"workflows/{ID}/events", None, "get_workflow_events", {"workflow_id": DECODED},
         [{"key": "k", "value": "v"}]),
    Case("list_workflow_notifications", f"workflows/{ID}/notifications", None, "get_workflow_notifications",
         {"workflow_id": DECODED}, [{"topic": None, "message": "hi", "createdAt": AT, "consumed": True}]),
    Case("list_workflow_streams", f"workflows/{ID}/streams", None, "get_workflow_streams", {"workflow_id": DECODED},
         [{"key": "k", "values": ["a", "b"]}]),
    Case("get_workflow_aggregates", "workflows/aggregates",
         {"groupByWorkflowName": True, "groupByAppVersion": False, "selectCount": True, "workflowName": ["order"],
          "workflowIds": ["w"], "user": ["u"], "appVersion": ["v"], "status": [], "timeBucketSizeMs": 60000},
         "get_workflow_aggregates",
         {"body": {"group_by_name": True, "group_by_application_version": False, "select_count": True,
                   "name": ["order"], "workflow_ids": ["w"], "workflow_uuids": ["w"], "user": ["u"],
                   "authenticated_user": ["u"], "app_version": ["v"], "time_bucket_size_ms": 60000}}, [AGGREGATE]),
    Case("get_step_aggregates", "steps/aggregates",
         {"groupByFunctionName": True, "stepName": ["pay"], "completedAfter": "2026-01-01T00:00:00Z"},
         "get_step_aggregates",
         {"body": {"group_by_function_name": True, "function_name": ["pay"],
                   "completed_after": "2026-01-01T00:00:00.000+00:00"}},
         [{"group": {"status": None}, "count": 2, "maxDurationMs": 3}]),
    Case("cancel_workflow", f"workflows/{ID}/cancel", {"cancelChildren": True}, "cancel",
         {"workflow_id": DECODED, "cancel_children": True}, None),
    Case("cancel_workflow", f"workflows/{ID}/cancel", None, "cancel", {"workflow_id": DECODED}, None),
    Case("bulk_cancel_workflows", "workflows/bulk-cancel", {"workflowIds": ["a", "b"]}, "cancel",
         {"workflow_id": None, "workflow_ids": ["a", "b"]}, None),
    Case("resume_workflow", f"workflows/{ID}/resume", {"queueName": "jobs"}, "resume",
         {"workflow_id": DECODED, "queue_name": "jobs"}, None),
    Case("bulk_resume_workflows", "workflows/bulk-resume", {"workflowIds": ["a"]}, "resume",
         {"workflow_id": None, "workflow_ids": ["a"]}, None),
    Case("delete_workflow", f"workflows/{ID}", None, "delete",
         {"workflow_id": DECODED, "delete_children": False}, None),
    Case("delete_workflow", f"workflows/{ID}", None, "delete", {"workflow_id": DECODED, "delete_children": True}, None,
         query="?deleteChildren=true"),
    Case("bulk_delete_workflows", "workflows/bulk-delete", {"workflowIds": ["a"], "deleteChildren": True}, "delete",
         {"workflow_id": None, "workflow_ids": ["a"], "delete_children": True}, None),
    Case("fork_workflow", f"workflows/{ID}/fork", None, "fork_workflow",
         {"body": {"workflow_id": DECODED, "start_step": 0, "new_workflow_id": None, "application_version": None}},
         {"workflowId": "new/1"}),
    Case("fork_workflow", f"workflows/{ID}/fork",
         {"startStep": 3, "newWorkflowId": "n", "appVersion": "v2", "queueName": "q", "queuePartitionKey": "k"},
         "fork_workflow",
         {"body": {"workflow_id": DECODED, "start_step": 3, "new_workflow_id": "n", "application_version": "v2",
                   "queue_name": "q", "queue_partition_key": "k"}}, {"workflowId": "new/1"}),
    Case("bulk_fork_workflows_from_failure", "workflows/bulk-fork-from-failure",
         {"workflowIds": ["a"], "fromLastFailure": True, "appVersion": "v2"}, "fork_from_failure",
         {"body": {"workflow_ids": ["a"], "from_last_failure": True, "application_version": "v2"}},
         {"workflowIds": ["n1", "n2"]}),
    Case("export_workflow", f"workflows/{ID}/export", None, "export_workflow",
         {"workflow_id": DECODED, "export_children": True}, {"serializedWorkflow": "H4sI"},
         query="?exportChildren=true"),
    Case("import_workflow", "workflows/import", {"serializedWorkflow": "H4sI"}, "import_workflow",
         {"serialized_workflow": "H4sI"}, None),
    Case("list_queues", "queues", None, "list_queues", {"body": {}}, [QUEUE]),
    Case("get_queue", f"queues/{ID}", None, "get_queue", {"name": DECODED}, QUEUE),
    Case("list_schedules", "schedules", None, "list_schedules", {"body": {"load_context": False}}, [SCHEDULE]),
    Case("list_schedules", "schedules", None, "list_schedules",
         {"body": {"status": "ACTIVE", "workflow_name": "order", "schedule_name_prefix": "n", "load_context": True}},
         [SCHEDULE], query="?status=ACTIVE&workflowName=order&scheduleNamePrefix=n&loadContext=true"),
    Case("get_schedule", f"schedules/{ID}", None, "get_schedule", {"schedule_name": DECODED, "load_context": True},
         SCHEDULE),
    Case("pause_schedule", f"schedules/{ID}/pause", None, "pause_schedule", {"schedule_name": DECODED}, None),
    Case("resume_schedule", f"schedules/{ID}/resume", None, "resume_schedule", {"schedule_name": DECODED}, None),
    Case("trigger_schedule", f"schedules/{ID}/trigger", None, "trigger_schedule", {"schedule_name": DECODED},
         {"workflowId": "sched/1"}),
    Case("backfill_schedule", f"schedules/{ID}/backfill", SPAN, "backfill_schedule",
         {"schedule_name": DECODED, "start": "2026-01-01T00:00:00.000+00:00", "end": "2026-01-01T00:00:00.000+00:00"},
         {"workflowIds": ["b1"]}),
    Case("list_app_versions", "versions", None, "list_application_versions", {},
         [{"versionId": "id-v1", "versionName": "v1", "versionTimestamp": AT, "createdAt": AT},
          {"versionId": "id-v0", "versionName": "v0", "versionTimestamp": "1970-01-01T00:00:00.001Z",
           "createdAt": "1970-01-01T00:00:00.001Z"}]),
    Case("set_latest_app_version", "versions/latest", {"versionName": "v1"}, "set_latest_application_version",
         {"version_name": "v1"}, None),
]  # fmt: skip
