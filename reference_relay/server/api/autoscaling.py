"""Autoscaling: how many executors an application's queue is worth, per application version (API documentation).

The relay starts and stops nothing; whoever runs the executors asks here.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

from msgspec import UNSET, Meta, UnsetType

from conductor.messages import GetWorkflowAggregatesResponse
from conductor.records import QueueRecord, VersionRecord
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import Problem
from reference_relay.server.api.queues import queue_of
from reference_relay.server.api.shapes import Answer, Body, Int64
from reference_relay.server.api.versions import versions_of
from reference_relay.server.hub import wall_ms
from reference_relay.store import PolicyRecord, SavePolicy

ASKS = ("get_queue", "get_workflow_aggregates", "list_application_versions")
Limit = Annotated[int, Meta(ge=0, le=2**63 - 1, extra_json_schema={"format": "int64"})]


class RolloutPolicy(Body, frozen=True, kw_only=True):
    max_old_application_versions: Limit | UnsetType = UNSET
    max_executors_for_old_application_versions: Limit | UnsetType = UNSET


class AutoscalePolicy(Body, frozen=True, kw_only=True):
    queue: str
    rollout: RolloutPolicy | UnsetType = UNSET


class PolicyOutputBody(Answer, frozen=True, kw_only=True):
    policy: AutoscalePolicy


class QueueAutoscale(Answer, frozen=True, kw_only=True):
    """``observed_at`` is epoch milliseconds, unlike every other time of the API."""

    queue_name: str
    application_version: str
    is_latest: bool
    queue_depth: Int64
    desired_executors: Int64
    observed_at: Int64


@operation(
    "PUT", "A/autoscaling-policy", "application.write", answer=PolicyOutputBody, body=AutoscalePolicy,
    body_required=True, sends=("get_queue",), audits="autoscaling_policy.set",
)  # fmt: skip
async def set_autoscaling_policy(request: ApiRequest) -> PolicyOutputBody:
    """Set the autoscaling policy of an application. A healthy executor says whether the queue can carry one."""
    rollout = request.body.rollout
    policy = PolicyRecord(
        application=request.app,
        queue=request.body.queue,
        has_rollout=rollout is not UNSET,
        max_old_versions=None if rollout is UNSET else _set(rollout.max_old_application_versions),
        max_old_executors=None if rollout is UNSET else _set(rollout.max_executors_for_old_application_versions),
    )
    request.details.update(queue=policy.queue)
    await _usable_queue(request, policy)
    request.context.rules.put_policy(policy)
    await request.hub.commit([SavePolicy(request.app, policy), *request.audited()])
    return _view(policy)


@operation("GET", "A/autoscaling-policy", "application.read", answer=PolicyOutputBody)
async def get_autoscaling_policy(request: ApiRequest) -> PolicyOutputBody:
    """Read the autoscaling policy of an application."""
    return _view(_policy(request))


@operation("DELETE", "A/autoscaling-policy", "application.write", status=204, audits="autoscaling_policy.delete")
async def delete_autoscaling_policy(request: ApiRequest) -> None:
    """Delete the autoscaling policy of an application. There need not be one."""
    if request.context.rules.policy(request.app) is None:
        request.audits = None
        return
    request.context.rules.remove_policy(request.app)
    await request.hub.commit([SavePolicy(request.app, None), *request.audited()])


@operation("GET", "A/autoscale", "application.read", answer=list[QueueAutoscale] | None, sends=ASKS)
async def get_autoscale(request: ApiRequest) -> list[QueueAutoscale]:
    """Tell how many executors each version is worth: the latest first, then old versions that still have work."""
    policy = _policy(request)
    queue = await _usable_queue(request, policy)
    versions = await _newest_first(request)
    depths = await _depths(request, policy.queue)
    old = [version for version in versions[1:] if depths.get(version)][: policy.max_old_versions or 0]
    return [_worth(policy, queue, version, depths, versions) for version in [*versions[:1], *old]]


@operation("GET", "A/autoscale/versions/{version}", "application.read", answer=QueueAutoscale, sends=ASKS)
async def get_autoscale_version(request: ApiRequest) -> QueueAutoscale:
    """Tell how many executors one version is worth; its name may be "latest"."""
    policy = _policy(request)
    queue = await _usable_queue(request, policy)
    versions = await _newest_first(request)
    wanted = request.params["version"]
    version = versions[0] if wanted == "latest" and versions else wanted
    if version not in versions:
        raise Problem(404, "no such application version")
    return _worth(policy, queue, version, await _depths(request, policy.queue), versions)


def desired(depth: int, worker_concurrency: int, concurrency: int | None) -> int:
    """Executors for so many workflows of a queue: never more than its global concurrency can keep busy."""
    wanted = math.ceil(depth / worker_concurrency)
    return wanted if concurrency is None else min(wanted, math.ceil(concurrency / worker_concurrency))


def _worth(
    policy: PolicyRecord, queue: QueueRecord, version: str, depths: Mapping[str, int], versions: Sequence[str]
) -> QueueAutoscale:
    assert isinstance(queue.worker_concurrency, int), "a usable queue has a worker concurrency"
    depth, is_latest = depths.get(version, 0), version == versions[0]
    concurrency = queue.concurrency if isinstance(queue.concurrency, int) else None
    executors = desired(depth, queue.worker_concurrency, concurrency)
    if is_latest:
        executors = max(1, executors)
    elif policy.max_old_executors is not None:
        executors = min(executors, policy.max_old_executors)
    return QueueAutoscale(
        queue_name=policy.queue,
        application_version=version,
        is_latest=is_latest,
        queue_depth=depth,
        desired_executors=executors,
        observed_at=wall_ms(),
    )


async def _usable_queue(request: ApiRequest, policy: PolicyRecord) -> QueueRecord:
    """Raises Problem 400 for a queue that can't carry a policy."""
    if not policy.queue:
        raise Problem(400, "the policy names no queue")
    queue = await queue_of(request, policy.queue)
    if queue is None:
        raise Problem(400, f"the queue {policy.queue} does not exist")
    if not isinstance(queue.worker_concurrency, int) or queue.worker_concurrency < 1:
        raise Problem(400, f"the queue {policy.queue} has no worker concurrency")
    return queue


async def _newest_first(request: ApiRequest) -> list[str]:
    def age(version: VersionRecord) -> int:
        return -version.version_timestamp

    return [version.version_name for version in sorted(await versions_of(request), key=age)]


async def _depths(request: ApiRequest, queue: str) -> dict[str, int]:
    """Workflows that wait or run on the queue, by application version."""
    body: dict[str, object] = {
        "group_by_application_version": True,
        "select_count": True,
        "status": ["ENQUEUED", "PENDING"],
        "queue_name": [queue],
    }
    response = await request.ask(GetWorkflowAggregatesResponse, {"body": body})
    return {
        row.group.get("application_version") or "": row.count
        for row in response.output or ()
        if isinstance(row.count, int)
    }


def _policy(request: ApiRequest) -> PolicyRecord:
    found = request.context.rules.policy(request.app)
    if found is None:
        raise Problem(404, "the application has no autoscaling policy")
    return found


def _view(policy: PolicyRecord) -> PolicyOutputBody:
    rollout: RolloutPolicy | UnsetType = UNSET
    if policy.has_rollout:
        rollout = RolloutPolicy(
            max_old_application_versions=UNSET if policy.max_old_versions is None else policy.max_old_versions,
            max_executors_for_old_application_versions=UNSET
            if policy.max_old_executors is None
            else policy.max_old_executors,
        )
    return PolicyOutputBody(policy=AutoscalePolicy(queue=policy.queue, rollout=rollout))


def _set(value: int | UnsetType) -> int | None:
    return None if value is UNSET else value
