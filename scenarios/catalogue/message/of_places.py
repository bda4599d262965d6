"""What is exchanged about queues and application versions."""

from __future__ import annotations

from scenarios.catalogue.message.exchange import Call, Case, Exchanges, Odd
from scenarios.catalogue.message.of_copies import FAILED

_QUEUE = {
    "name": "orders/ä",
    "application_name": "shop",
    "concurrency": 10,
    "worker_concurrency": 2,
    "rate_limit_max": 100,
    "rate_limit_period_sec": 1.5,
    "priority_enabled": True,
    "partition_queue": False,
    "polling_interval_sec": 0.5,
}
_QUEUE_SHOWN = {
    "name": "orders/ä",
    "applicationName": "shop",
    "concurrency": 10,
    "workerConcurrency": 2,
    "rateLimitMax": 100,
    "rateLimitPeriodSecs": 1.5,
    "priorityEnabled": True,
    "partitionQueue": False,
    "pollingIntervalSecs": 0.5,
}
_BARE_QUEUE = {"name": "", "priority_enabled": False, "partition_queue": True, "polling_interval_sec": 1}
_BARE_QUEUE_SHOWN = {
    "name": "",
    "applicationName": None,
    "concurrency": None,
    "workerConcurrency": None,
    "rateLimitMax": None,
    "rateLimitPeriodSecs": None,
    "priorityEnabled": False,
    "partitionQueue": True,
    "pollingIntervalSecs": 1,
}
_VERSION = {"version_id": "id/ä", "version_name": "", "version_timestamp": 0, "created_at": 1700000000123}
PLACES = (
    Exchanges(
        type="list_queues",
        cases=(
            Case(
                call=Call(operation="list_queues"),
                sent={},
                answered={"output": [_QUEUE, _BARE_QUEUE]},
                shown=[_QUEUE_SHOWN, _BARE_QUEUE_SHOWN],
            ),
        ),
        odd=(
            Odd(what="an empty array", answered={"output": []}, shown=[]),
            Odd(
                what="null for what is unset",
                answered={"output": [{**_BARE_QUEUE, "concurrency": None, "rate_limit_period_sec": None}]},
                shown=[_BARE_QUEUE_SHOWN],
            ),
            Odd(
                what="zero is no null", answered={"output": [{**_BARE_QUEUE, "concurrency": 0, "rate_limit_max": 0}]},
                shown=[{**_BARE_QUEUE_SHOWN, "concurrency": 0, "rateLimitMax": 0}],
            ),
        ),
    ),
    Exchanges(
        type="get_queue",
        cases=(
            Case(
                call=Call(operation="get_queue", subject="orders/ä"),
                sent={"name": "orders/ä"},
                answered={"output": _QUEUE},
                shown=_QUEUE_SHOWN,
            ),
        ),
        odd=(
            Odd(what="null is not found", answered={"output": None}, status=(404,)),
            Odd(what="absent is not found", answered={}, status=(404,)),
            Odd(what="nothing that may be unset", answered={"output": _BARE_QUEUE}, shown=_BARE_QUEUE_SHOWN),
        ),
    ),
    Exchanges(
        type="list_application_versions",
        cases=(
            Case(
                call=Call(operation="list_app_versions"),
                sent={},
                answered={"output": [_VERSION]},
                shown=[{"versionId": "id/ä", "versionName": ""}],
                times={"versionTimestamp": 0, "createdAt": 1700000000123},
            ),
        ),
        odd=(Odd(what="an empty array", answered={"output": []}, shown=[]),),
    ),
    Exchanges(
        type="set_latest_application_version",
        cases=(
            Case(
                call=Call(operation="set_latest_app_version", body={"versionName": "v2/ä #1"}),
                sent={"version_name": "v2/ä #1"},
                answered={"success": True},
                status=204,
            ),
        ),
        odd=FAILED,
    ),
)  # fmt: skip
