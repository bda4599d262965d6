"""Alerting rules, and executors whose answers make their conditions true or false."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from scenarios.catalogue.envelope.calls import ready_executor, workflow_record
from scenarios.catalogue.liveness.moments import seconds
from scenarios.errors import Unsupported
from scenarios.world import Answer, App, Executor, Reply, Script, World

_NOTICED_S = 30.0
"""How long a relay may take from a condition to its alert: no document says. The reference looks every 10 s."""
_NOTICED_BUILTIN_S = 10.0
"""The same where the suite has set it to half a second."""
ABSENT = "g"
"""Nobody is missed before whoever was there could have come back, after a start of the relay too."""
DEAD = "g + scan + slack"
CHECKED_IN_VAIN_S = 3.0
"""How long nothing may come where nothing is due."""

TRUE: Mapping[str, Reply] = {
    "get_workflow_aggregates": Reply(
        fields={"output": [{"group": {"name": "checkout", "queue_name": "orders"}, "count": 4}]}
    ),
    "list_workflows": Reply(fields={"output": [workflow_record(f"wf-{n}", Status="ERROR") for n in range(4)]}),
    "list_queued_workflows": Reply(
        fields={"output": [workflow_record(f"wf-{n}", Status="ENQUEUED") for n in range(4)]}
    ),
}
"""Whichever message a relay looks through, it finds four failed, or four waiting, workflows."""
FALSE: Mapping[str, Reply] = {type: Reply(fields={"output": []}) for type in TRUE}


@dataclass(frozen=True, kw_only=True, slots=True)
class Rule:
    """``metadata``: its configured part, under the names that the delivered metadata have (API document)."""

    type: str
    metadata: Mapping[str, Any]
    told: Sequence[str]  # names of the metadata that its alert has


FAILURES = Rule(
    type="WorkflowFailure",
    metadata={"workflow_name": "checkout", "threshold": 3, "period_secs": 600},
    told=("workflow_name", "failed_workflow_count", "threshold", "period_secs"),
)
SLOW = Rule(
    type="SlowQueue",
    metadata={"queue_name": "orders", "threshold_secs": 60},
    told=("queue_name", "stuck_workflow_count", "threshold_secs"),
)
UNRESPONSIVE = Rule(type="UnresponsiveApplication", metadata={}, told=("application_name", "connected_executor_count"))
NOT_RECOVERED = Rule(type="ExecutorNotRecovered", metadata={}, told=())


async def create(
    world: World, app: App, rule: Rule, *, receiver: App | None = None, min_interval_s: int | None = None
) -> Answer:
    """A rule about the application. Raises `Unsupported` where the relay has no such rules."""
    body: dict[str, Any] = {"ruleType": rule.type, "ruleMetadata": dict(rule.metadata)}
    if receiver is not None:
        body["receivingAppName"] = receiver.name
    if min_interval_s is not None:
        body["minIntervalSecs"] = min_interval_s
    answer = await world.control.operation(app, "create_alerting_rule", body=body)
    if answer.status in (400, 404, 405, 422, 501):
        raise Unsupported(f"the relay takes no rule {rule.type}: it answers {answer.status}")
    return answer


async def watched(world: World, answers: Mapping[str, Reply]) -> tuple[App, Executor]:
    """An application with an executor that answers questions about workflows so."""
    app = await world.app()
    return app, await ready_executor(world, app, Script(replies=answers))


async def alerted(
    world: World, executor: Executor, *, count: int = 1, stands_after: str = "0"
) -> Mapping[str, Any] | None:
    """The ``count``-th alert that this executor gets; None where none comes in time.

    ``stands_after``: the window text of how long it takes until the condition stands at all.
    """
    noticed_s = _NOTICED_BUILTIN_S if world.profile.builtin else _NOTICED_S
    within_s = seconds(world, stands_after) + noticed_s
    return await world.until_frame(executor, "alert", within_s=within_s, count=count)


def in_form(request: Mapping[str, Any] | None, rule: Rule) -> list[str]:
    """What is wrong with an alert; a sentence each."""
    if request is None:
        return ["no alert came"]
    metadata = request.get("metadata")
    if not isinstance(metadata, Mapping):
        return ["metadata is no object"]
    wrong = [f"{name} is no text" for name in ("name", "message") if not isinstance(request.get(name), str)]
    wrong += [f"metadata {name} is no text" for name, value in metadata.items() if not isinstance(value, str)]
    wrong += [f"metadata {name} is absent" for name in rule.told if name not in metadata]
    return wrong if request.get("name") == rule.type else [*wrong, f"name is {request.get('name')!r}"]
