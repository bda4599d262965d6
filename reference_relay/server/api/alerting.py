"""Alerting rules. Which conditions there are stands in `reference_relay.server.upkeep.conditions`."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, UnsetType

from reference_relay.core.records import AppKey
from reference_relay.server.api.operation import ApiRequest, operation
from reference_relay.server.api.problems import Problem, unfit
from reference_relay.server.api.shapes import Answer, Body, Int32, Moment, Text
from reference_relay.server.api.times import rfc3339
from reference_relay.server.hub import wall_ms
from reference_relay.server.upkeep.conditions import InvalidMetadata, condition_of
from reference_relay.store import RuleRecord, SaveRule

RuleType = Literal["WorkflowFailure", "SlowQueue", "UnresponsiveApplication", "ExecutorNotRecovered", "MetricThreshold"]
Interval = Annotated[int, Meta(ge=1, le=2**31 - 1, extra_json_schema={"format": "int32"})]


class CreateAlertInputBody(Body, frozen=True, kw_only=True):
    """Without ``receiving_app_name`` the application itself gets the alerts."""

    rule_type: RuleType
    rule_metadata: Any
    receiving_app_name: Text = UNSET
    min_interval_secs: Interval | UnsetType = UNSET


class AlertingRule(Answer, frozen=True, kw_only=True):
    id: str
    app_id: str
    receiving_app_id: str
    rule_type: RuleType
    rule_metadata: Any
    min_interval_secs: Int32 | None
    last_fired_at: Moment | None


@operation("GET", "A/alerting-rules", "application.read", answer=list[AlertingRule])
async def list_alerting_rules(request: ApiRequest) -> list[AlertingRule]:
    """List the alerting rules of an application."""
    await request.hub.settled()
    return [_view(request, rule) for rule in request.context.rules.of(request.app)]


@operation(
    "POST", "A/alerting-rules", "application.write", status=201, answer=AlertingRule, body=CreateAlertInputBody,
    body_required=True, audits="alerting_rule.create", target="alerting_rule",
)  # fmt: skip
async def create_alerting_rule(request: ApiRequest) -> AlertingRule:
    """Create an alerting rule."""
    rule = RuleRecord(
        application=request.app,
        id=request.new_id(),
        type=request.body.rule_type,
        metadata=request.body.rule_metadata,
        receiver=request.params["appName"]
        if request.body.receiving_app_name is UNSET
        else request.body.receiving_app_name,
        min_interval_s=None if request.body.min_interval_secs is UNSET else request.body.min_interval_secs,
        created_ms=wall_ms(),
    )
    request.details.update(rule_type=rule.type, receiving_app_name=rule.receiver, rule_metadata=rule.metadata)
    _check(request, rule)
    request.target_id = rule.id
    request.context.rules.put(rule)
    await request.hub.commit([SaveRule(rule.application, rule.id, rule), *request.audited()])
    return _view(request, rule)


@operation(
    "DELETE", "A/alerting-rules/{ruleId}", "application.write", status=204,
    audits="alerting_rule.delete", target="alerting_rule",
)  # fmt: skip
async def delete_alerting_rule(request: ApiRequest) -> None:
    """Delete an alerting rule."""
    rule_id = request.target_id = request.params["ruleId"]
    if request.context.rules.get(request.app, rule_id) is None:
        raise Problem(404, "no such alerting rule")
    request.context.rules.remove(request.app, rule_id)
    await request.hub.commit([SaveRule(request.app, rule_id, None), *request.audited()])


def _check(request: ApiRequest, rule: RuleRecord) -> None:
    receiver = AppKey(request.org, rule.receiver)
    if not request.subject.reaches(rule.receiver):
        raise Problem(403, "the key is limited to other applications")
    if receiver not in request.context.hub.core.applications:
        raise Problem(404, f"no such application: {rule.receiver}")
    if rule.type == "UnresponsiveApplication" and receiver == rule.application:
        raise unfit("body.receivingAppName", "must be another application: this one can't be told that it is silent")
    try:
        condition_of(rule)
    except InvalidMetadata as error:
        raise unfit("body.ruleMetadata", str(error)) from error


def _view(request: ApiRequest, rule: RuleRecord) -> AlertingRule:
    receiver = request.context.hub.core.applications.get(AppKey(request.org, rule.receiver))
    kind: Any = rule.type
    return AlertingRule(
        id=rule.id,
        app_id=request.application.app_id,
        receiving_app_id=receiver.app_id if receiver else "",
        rule_type=kind,
        rule_metadata=rule.metadata,
        min_interval_secs=rule.min_interval_s,
        last_fired_at=None if rule.last_fired_ms is None else rfc3339(rule.last_fired_ms),
    )
