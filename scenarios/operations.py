"""The operations of an application that a scenario may call by name: method and path (API document).

A name is the document's operationId in snake case. One path segment may be a parameter: what the call is about.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from urllib.parse import quote

__all__ = ["ROUTES", "Route"]

_PARAMETER = re.compile(r"{(\w+)}")


@dataclass(frozen=True, slots=True)
class Route:
    """``path`` stands behind the application's; ``parameter`` is the name of what it is about, empty for none."""

    method: str
    path: str

    @property
    def parameter(self) -> str:
        found = _PARAMETER.search(self.path)
        return found[1] if found else ""

    def place(self, subject: str) -> str:
        """The path with the subject percent-encoded whole, as clients do."""
        return _PARAMETER.sub(lambda _: quote(subject, safe=""), self.path)


_WORKFLOW, _SCHEDULE = "/workflows/{workflow_id}", "/schedules/{schedule_name}"

ROUTES: Mapping[str, Route] = MappingProxyType(
    {
        "get_app": Route("GET", ""),
        "list_executors": Route("GET", "/executors"),
        "list_app_versions": Route("GET", "/versions"),
        "set_latest_app_version": Route("PATCH", "/versions/latest"),
        "list_workflows": Route("GET", "/workflows"),
        "search_workflows": Route("POST", "/workflows/search"),
        "get_workflow": Route("GET", _WORKFLOW),
        "list_workflow_steps": Route("GET", f"{_WORKFLOW}/steps"),
        "list_workflow_events": Route("GET", f"{_WORKFLOW}/events"),
        "list_workflow_notifications": Route("GET", f"{_WORKFLOW}/notifications"),
        "list_workflow_streams": Route("GET", f"{_WORKFLOW}/streams"),
        "get_workflow_aggregates": Route("POST", "/workflows/aggregates"),
        "get_step_aggregates": Route("POST", "/steps/aggregates"),
        "cancel_workflow": Route("POST", f"{_WORKFLOW}/cancel"),
        "resume_workflow": Route("POST", f"{_WORKFLOW}/resume"),
        "delete_workflow": Route("DELETE", _WORKFLOW),
        "fork_workflow": Route("POST", f"{_WORKFLOW}/fork"),
        "export_workflow": Route("GET", f"{_WORKFLOW}/export"),
        "import_workflow": Route("POST", "/workflows/import"),
        "bulk_cancel_workflows": Route("POST", "/workflows/bulk-cancel"),
        "bulk_resume_workflows": Route("POST", "/workflows/bulk-resume"),
        "bulk_delete_workflows": Route("POST", "/workflows/bulk-delete"),
        "bulk_fork_workflows_from_failure": Route("POST", "/workflows/bulk-fork-from-failure"),
        "list_schedules": Route("GET", "/schedules"),
        "get_schedule": Route("GET", _SCHEDULE),
        "pause_schedule": Route("POST", f"{_SCHEDULE}/pause"),
        "resume_schedule": Route("POST", f"{_SCHEDULE}/resume"),
        "trigger_schedule": Route("POST", f"{_SCHEDULE}/trigger"),
        "backfill_schedule": Route("POST", f"{_SCHEDULE}/backfill"),
        "list_queues": Route("GET", "/queues"),
        "get_queue": Route("GET", "/queues/{queue_name}"),
        "list_alerting_rules": Route("GET", "/alerting-rules"),
        "create_alerting_rule": Route("POST", "/alerting-rules"),
        "delete_alerting_rule": Route("DELETE", "/alerting-rules/{rule_id}"),
        "set_autoscaling_policy": Route("PUT", "/autoscaling-policy"),
        "get_autoscaling_policy": Route("GET", "/autoscaling-policy"),
        "delete_autoscaling_policy": Route("DELETE", "/autoscaling-policy"),
        "get_autoscale": Route("GET", "/autoscale"),
        "get_autoscale_version": Route("GET", "/autoscale/versions/{version}"),
    }
)
"""By name. What concerns the relay's own settings, keys and logs has methods of its own in `Control`."""
