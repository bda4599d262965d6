"""The alerting rules and autoscaling policies of all applications, as they are in force."""

from __future__ import annotations

from collections.abc import Iterable

from reference_relay.core.records import AppKey
from reference_relay.store import PolicyRecord, RuleRecord, Store

__all__ = ["Rules"]


class Rules:
    """In memory for whoever looks; what changes them commits the same to the store."""

    def __init__(self, rules: Iterable[RuleRecord] = (), policies: Iterable[PolicyRecord] = ()) -> None:
        self._rules: dict[AppKey, dict[str, RuleRecord]] = {}
        self._policies: dict[AppKey, PolicyRecord] = {}
        for rule in rules:
            self.put(rule)
        for policy in policies:
            self.put_policy(policy)

    @classmethod
    def stored(cls, store: Store) -> Rules:
        return cls(store.rules(), store.policies())

    def all(self) -> list[RuleRecord]:
        return [rule for app in sorted(self._rules) for rule in self.of(app)]

    def of(self, app: AppKey) -> list[RuleRecord]:
        """Oldest first."""
        return sorted(self._rules.get(app, {}).values(), key=lambda rule: (rule.created_ms, rule.id))

    def get(self, app: AppKey, rule_id: str) -> RuleRecord | None:
        return self._rules.get(app, {}).get(rule_id)

    def put(self, rule: RuleRecord) -> None:
        self._rules.setdefault(rule.application, {})[rule.id] = rule

    def remove(self, app: AppKey, rule_id: str) -> None:
        self._rules.get(app, {}).pop(rule_id, None)

    def policy(self, app: AppKey) -> PolicyRecord | None:
        return self._policies.get(app)

    def put_policy(self, policy: PolicyRecord) -> None:
        self._policies[policy.application] = policy

    def remove_policy(self, app: AppKey) -> None:
        self._policies.pop(app, None)

    def forget(self, app: AppKey) -> None:
        """The application is gone."""
        self._rules.pop(app, None)
        self._policies.pop(app, None)
