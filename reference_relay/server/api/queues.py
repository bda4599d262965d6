"""Queues, as an executor reads them from its database."""

from __future__ import annotations

from msgspec import UNSET

from conductor.messages import GetQueueResponse, ListQueuesResponse
from conductor.records import QueueRecord
from reference_relay.server.api.answers import Queue
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.values import integer, number, text


@operation("GET", "A/queues", "application.read", answer=list[Queue], sends=("list_queues",))
async def list_queues(request: ApiRequest) -> list[Queue]:
    """List the queues of an application."""
    response = await request.ask(ListQueuesResponse, {"body": {}})
    return [_view(row) for row in response.output or ()]


@operation("GET", "A/queues/{queueName}", "application.read", answer=Queue, sends=("get_queue",))
async def get_queue(request: ApiRequest) -> Queue:
    """Read one queue."""
    found = await queue_of(request, request.params["queueName"])
    if found is None:
        raise Problem(404, "no such queue")
    return _view(found)


async def queue_of(request: ApiRequest, name: str) -> QueueRecord | None:
    response = await request.ask(GetQueueResponse, {"name": name})
    return None if response.output is UNSET else response.output


def _view(row: QueueRecord) -> Queue:
    return Queue(
        name=row.name,
        application_name=text(row.application_name),
        concurrency=integer(row.concurrency, 32),
        worker_concurrency=integer(row.worker_concurrency, 32),
        rate_limit_max=integer(row.rate_limit_max, 32),
        rate_limit_period_secs=number(row.rate_limit_period_sec),
        priority_enabled=row.priority_enabled,
        partition_queue=row.partition_queue,
        polling_interval_secs=float(row.polling_interval_sec),
    )
