"""What an executor answers from the system database: fields as the SDKs give them (protocol page)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reference_relay.core.records import AppKey
from simulator.models.database import Database

Fields = dict[str, Any]


def exist_pending(database: Database, app: AppKey, frame: Mapping[str, Any]) -> Fields:
    executor, version = str(frame.get("executor_id")), str(frame.get("application_version"))
    return {"exist": database.exist_pending(app, executor, version)}


def owners(database: Database, app: AppKey) -> Fields:
    """PENDING rows by executor and version."""
    return {
        "output": [
            {"group": {"executor_id": executor, "application_version": version}, "count": count}
            for executor, version, count in database.owners(app)
        ]
    }


def versions(database: Database, app: AppKey) -> Fields:
    """Names that sort later are older: which version is the latest, its time alone tells."""
    known = sorted({worker.version for worker in database.workers if worker.app == app})
    return {
        "output": [
            {"version_id": name, "version_name": name, "version_timestamp": 1000 - _number(name), "created_at": 0}
            for name in known
        ]
    }


def _number(name: str) -> int:
    return int(name[1:]) if name[1:].isdigit() else 0


def unfinished(database: Database, app: AppKey, frame: Mapping[str, Any]) -> Fields:
    """Only broken relays ask for them here."""
    body = frame.get("body")
    wanted = body.get("status") if isinstance(body, dict) else None
    return {
        "output": [
            {"WorkflowUUID": row.id, "Status": row.status}
            for row in database.rows.values()
            if row.app == app and (not isinstance(wanted, list) or row.status in wanted)
        ]
    }
