"""Every operation of the API document that a relay without a login provider has, as a request with its permission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from scenarios.catalogue.api.paths import app_path, org_path
from scenarios.operations import ROUTES
from scenarios.world import App

__all__ = ["Request", "every_request"]


@dataclass(frozen=True, kw_only=True, slots=True)
class Request:
    """``json`` None: no body. ``late``: relays of before may lack it."""

    name: str
    permission: str
    method: str
    path: str
    json: Any = None
    late: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class _Sample:
    """A call that is valid, so that nothing but the key decides. ``subject``: of the path."""

    subject: str = ""
    body: Any = None


_IDS = {"workflowIds": ["wf-1"]}
_SPAN = {"startTime": "2026-01-01T00:00:00Z", "endTime": "2026-01-02T00:00:00Z"}
_READS: Mapping[str, _Sample] = {
    "get_app": _Sample(),
    "list_executors": _Sample(),
    "list_app_versions": _Sample(),
    "list_workflows": _Sample(),
    "search_workflows": _Sample(body={}),
    "get_workflow": _Sample(subject="wf-1"),
    "list_workflow_steps": _Sample(subject="wf-1"),
    "list_workflow_events": _Sample(subject="wf-1"),
    "list_workflow_notifications": _Sample(subject="wf-1"),
    "list_workflow_streams": _Sample(subject="wf-1"),
    "get_workflow_aggregates": _Sample(body={"groupByStatus": True}),
    "get_step_aggregates": _Sample(body={"groupByStatus": True}),
    "export_workflow": _Sample(subject="wf-1"),
    "list_schedules": _Sample(),
    "get_schedule": _Sample(subject="nightly"),
    "list_queues": _Sample(),
    "get_queue": _Sample(subject="orders"),
    "list_alerting_rules": _Sample(),
    "get_autoscaling_policy": _Sample(),
    "get_autoscale": _Sample(),
    "get_autoscale_version": _Sample(subject="latest"),
}
_WRITES: Mapping[str, _Sample] = {
    "cancel_workflow": _Sample(subject="wf-1", body={}),
    "resume_workflow": _Sample(subject="wf-1", body={}),
    "delete_workflow": _Sample(subject="wf-1"),
    "fork_workflow": _Sample(subject="wf-1", body={"startStep": 1}),
    "import_workflow": _Sample(body={"serializedWorkflow": "x"}),
    "bulk_cancel_workflows": _Sample(body=_IDS),
    "bulk_resume_workflows": _Sample(body=_IDS),
    "bulk_delete_workflows": _Sample(body=_IDS),
    "bulk_fork_workflows_from_failure": _Sample(body={**_IDS, "fromLastFailure": True}),
    "pause_schedule": _Sample(subject="nightly"),
    "resume_schedule": _Sample(subject="nightly"),
    "trigger_schedule": _Sample(subject="nightly"),
    "backfill_schedule": _Sample(subject="nightly", body=_SPAN),
    "set_latest_app_version": _Sample(body={"versionName": "v2"}),
    "create_alerting_rule": _Sample(body={"ruleType": "WorkflowFailure", "ruleMetadata": {}, "minIntervalSecs": 3600}),
    "delete_alerting_rule": _Sample(subject="none"),
    "set_autoscaling_policy": _Sample(body={"queue": "orders"}),
    "delete_autoscaling_policy": _Sample(),
}
_EARLY = frozenset(
    {
        "get_app", "list_executors", "list_app_versions", "list_workflows", "search_workflows", "get_workflow",
        "list_workflow_steps", "cancel_workflow", "resume_workflow", "set_latest_app_version",
    }
)  # fmt: skip


def every_request(app: App, resident: str, intruder: str) -> list[Request]:
    """Reading ones first, destroying ones last. ``resident`` is the name of a key that is there, ``intruder`` not."""

    def of_app(permission: str, samples: Mapping[str, _Sample]) -> list[Request]:
        return [
            Request(
                name=name,
                permission=permission,
                method=ROUTES[name].method,
                path=app_path(app) + ROUTES[name].place(sample.subject),
                json=sample.body,
                late=name not in _EARLY,
            )
            for name, sample in samples.items()
        ]

    def one(name: str, permission: str, method: str, path: str, json: Any = None) -> Request:
        return Request(name=name, permission=permission, method=method, path=path, json=json)

    span = "?" + "&".join(f"{name}={value}" for name, value in _SPAN.items())
    return [
        one("list_apps", "application.read", "GET", org_path(app, "apps")),
        *of_app("application.read", _READS),
        one("list_metrics", "metric.read", "GET", app_path(app, "metrics") + span),
        one("list_tokens", "token.read", "GET", org_path(app, "tokens")),
        one("list_audit_logs", "organization.read", "GET", org_path(app, "audit-logs")),
        *of_app("application.write", _WRITES),
        one("create_token", "token.write", "POST", org_path(app, "tokens", intruder), {}),
        one("delete_token", "token.write", "DELETE", org_path(app, "tokens", resident)),
        one("register_app", "application.write", "PUT", app_path(app), {}),
        one("update_app", "application.write", "PATCH", app_path(app), {"executorTimeoutSecs": 17}),
        one("delete_app", "application.write", "DELETE", app_path(app)),
    ]
