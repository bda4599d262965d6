"""Calls every function of dbos-mcp that needs no login provider: python every_call.py BASE-URL. Prints what they gave.

The client has no setting for its address, so the one constant is set; its credentials file lies below HOME.
"""

from __future__ import annotations

import asyncio
import json
import sys
from typing import Any

APP = "shop"
ORDER = "order/1?x#y é"


async def calls(client: Any) -> dict[str, Any]:
    found: dict[str, Any] = {
        "list_applications": await client.list_applications(),
        "list_workflows": await client.list_workflows(APP, status=["SUCCESS", "ERROR"], load_output=True),
        "get_workflow": await client.get_workflow(APP, ORDER),
        "list_steps": await client.list_steps(APP, ORDER, limit=10),
        "list_executors": await client.list_executors(APP),
        "get_workflow_events": await client.get_workflow_events(APP, ORDER),
        "get_workflow_notifications": await client.get_workflow_notifications(APP, "waiting-3"),
        "get_workflow_aggregates": await client.get_workflow_aggregates(APP, group_by_status=True, select_count=True),
        "list_schedules": await client.list_schedules(APP, status="ACTIVE"),
        "get_schedule": await client.get_schedule(APP, "nightly"),
        "list_application_versions": await client.list_application_versions(APP),
    }
    found["cancel_workflow"] = await client.cancel_workflow(APP, "waiting-1")
    found["bulk_cancel_workflows"] = await client.bulk_cancel_workflows(APP, ["waiting-2"])
    found["cancelled"] = await client.list_workflows(APP, status="CANCELLED")
    found["resume_workflow"] = await client.resume_workflow(APP, "waiting-1")
    found["bulk_resume_workflows"] = await client.bulk_resume_workflows(APP, ["waiting-2"], queue_name="jobs")
    found["resumed"] = await client.list_workflows(APP, workflow_uuids=["waiting-1", "waiting-2"])
    found["fork_workflow"] = await client.fork_workflow(APP, ORDER, 1)
    found["fork_from_failure"] = await client.fork_from_failure(APP, ["failing-1"], from_last_failure=True)
    found["trigger_schedule"] = await client.trigger_schedule(APP, "nightly")
    found["pause_schedule"] = await client.pause_schedule(APP, "nightly")
    found["paused"] = await client.list_schedules(APP, status="PAUSED")
    found["resume_schedule"] = await client.resume_schedule(APP, "nightly")
    found["set_latest_application_version"] = await client.set_latest_application_version(APP, "v1")
    found["delete_workflow"] = await client.delete_workflow(APP, "failing-1", delete_children=True)
    found["bulk_delete_workflows"] = await client.bulk_delete_workflows(APP, ["failing-2"])
    found["left"] = await client.list_workflows(APP, workflow_uuids=["failing-1", "failing-2", ORDER])
    return found


if __name__ == "__main__":
    from dbos_mcp import client

    client.CONDUCTOR_URL = sys.argv[1]
    print(json.dumps(asyncio.run(calls(client))))
