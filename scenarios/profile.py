"""What the suite knows about a relay before it meets it: its profile.

A profile is TOML (`scenarios.profile_loading` reads it; ``profile_example.toml`` is a complete one).
It says how to reach the relay, who the tenants are, what it promises about time, how it is started
and stopped, what its operations are called, and what it can't show.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Mapping
from typing import Literal

import msgspec

from conductor.timing import DOCUMENTED, FAST, Timing
from scenarios.errors import ProfileError, Unsupported

Pace = Literal["fast", "documented"]

CAPABILITIES: Mapping[str, str] = {
    "auth": "keys are verified (false: no-auth mode)",
    "register": "applications can be registered through the API",
    "refuses_unknown": "an unknown application is refused (false: it is registered on first contact)",
    "organisations": "there are two organisations",
    "keys": "API keys can be created and revoked through the API",
    "scoped_keys": "an API key can be scoped to applications",
    "list": "the API lists executors with their states",
    "settings": "executorTimeoutSecs of an application can be changed",
    "audit": "the audit log can be read",
    "surfaced": "recoveries that wait for a peer can be queried",
    "latest_version": "recovery to the latest version can be allowed per application",
    "workflows": "workflow operations reach an executor through the API",
    "metrics": "GET /v1/metrics is served",
    "exist_pending": "exist_pending_workflows is asked after success: true",
    "restart": "the relay can be killed and started again on its own data",
    "pause": "the relay can be paused and continued",
    "log": "the relay's log can be read",
}
"""Every capability that a scenario may name in ``needs``, with what true means."""

NAMES: Mapping[str, str] = {
    "recovery": "executor.recover",
    "deletion": "executor.delete",
    "surfaced": "executor.wait_for_peer",
    "dispatch": "executor.dispatch_recovery",
    "configured_application": "configured",
    "settings": "application.update",
    "key_created": "token.create",
    "key_revoked": "token.revoke",
    "workflow_cancel": "workflow.cancel",
    "workflow_resume": "workflow.resume",
    "latest_version_setting": "recoverToLatestVersion",
    "surfaced_query": "/v2/orgs/{org}/apps/{app}/surfaced-recoveries",
}
"""The audit operations, and the two extensions that no public document names. A profile overrides them one by one."""

_MANAGEMENT = frozenset(
    {"register", "keys", "scoped_keys", "list", "settings", "audit", "surfaced", "latest_version", "workflows"}
)


class RelaySection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    target: str
    name: str = ""
    api: str = "conductor-v2"  # "conductor-v2", "none", "python:<module>:<class>"
    base: str = ""  # path in front of /websocket, /v2 and /healthz
    environment: dict[str, str] = {}  # further variables for a process or container that the suite starts


class Organisation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: str
    key: str = ""  # for the API; "env:NAME" reads the environment
    executor_key: str = ""  # for executors' sockets; empty: the same
    applications: tuple[str, ...] = ()  # where none can be registered

    def require_keys(self) -> None:
        """Raises `ProfileError` where the environment lacks one of them."""
        for key in (self.key, self.executor_key):
            _resolved(key, self.name)

    @property
    def api_token(self) -> str:
        return _resolved(self.key, self.name)

    @property
    def socket_key(self) -> str:
        return _resolved(self.executor_key or self.key, self.name)


class Tenancy(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    organisations: tuple[Organisation, ...] = ()  # the first is the scenarios' own, the second the other tenant


class TimingSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Seconds. What is left out is as the documents give it; see `conductor.timing.Timing`."""

    ping_interval_s: float = DOCUMENTED.ping_interval_s
    ping_wait_s: float = DOCUMENTED.ping_wait_s
    scan_s: float = DOCUMENTED.scan_s
    slack_s: float = DOCUMENTED.slack_s
    handshake_deadline_s: float | None = None  # None: the ping wait
    request_deadline_s: float = DOCUMENTED.request_deadline_s
    recovery_deadline_s: float = DOCUMENTED.recovery_deadline_s
    backoff_first_s: float = DOCUMENTED.backoff_first_s
    backoff_cap_s: float = DOCUMENTED.backoff_cap_s
    redial_s: float = DOCUMENTED.redial_s
    grace_s: float = DOCUMENTED.grace_s
    grace_min_s: float = 1.0  # the least that can be set
    grace_settable: bool = True

    def least_grace_s(self) -> float:
        """The shortest grace period that can be set and that still holds four slacks, in whole seconds."""
        if not self.grace_settable:
            return self.grace_s
        return float(math.ceil(max(self.grace_min_s, 4 * self.slack_s)))

    def timing(self, grace_s: float) -> Timing:
        """Raises `conductor.errors.InvalidTiming`."""
        return Timing(
            ping_interval_s=self.ping_interval_s,
            ping_wait_s=self.ping_wait_s,
            grace_s=grace_s,
            scan_s=self.scan_s,
            slack_s=self.slack_s,
            handshake_deadline_s=self.ping_wait_s if self.handshake_deadline_s is None else self.handshake_deadline_s,
            request_deadline_s=self.request_deadline_s,
            recovery_deadline_s=self.recovery_deadline_s,
            backoff_first_s=self.backoff_first_s,
            backoff_cap_s=self.backoff_cap_s,
            redial_s=self.redial_s,
        )


class ControlSection(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Shell commands that act on a relay which the suite doesn't start itself."""

    start: str = ""
    stop: str = ""
    kill: str = ""
    pause: str = ""
    resume: str = ""
    log: str = ""
    ready_s: float = 30.0  # how long it may take until it answers


class Profile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A validated profile. Two equal profiles have the same digest; keys are no part of it."""

    relay: RelaySection
    tenancy: Tenancy = Tenancy()
    timing: TimingSection = TimingSection()
    control: ControlSection = ControlSection()
    names: dict[str, str] = {}
    capabilities: dict[str, bool] = {}

    @property
    def name(self) -> str:
        return self.relay.name or self.relay.target

    @property
    def builtin(self) -> str | None:
        """ "reference", "broken/NAME", or None for a foreign relay."""
        kind, _, rest = self.relay.target.partition(":")
        return rest if kind == "builtin" else None

    @property
    def digest(self) -> str:
        tenants = tuple(
            msgspec.structs.replace(tenant, key="", executor_key="") for tenant in self.tenancy.organisations
        )
        bare = msgspec.structs.replace(self, tenancy=Tenancy(organisations=tenants))
        return hashlib.sha256(msgspec.json.encode(bare, order="deterministic")).hexdigest()[:16]

    def timing_at(self, pace: Pace) -> Timing:
        """What the relay is held to. ``fast``: a builtin's short figures; another's own, least grace."""
        if self.builtin is not None:
            return FAST if pace == "fast" else DOCUMENTED
        return self.timing.timing(self.timing.least_grace_s() if pace == "fast" else self.timing.grace_s)

    def all_names(self) -> dict[str, str]:
        return {**NAMES, **self.names}

    def can(self, capability: str) -> bool:
        """Whether the relay can show this: as the profile claims, else as follows from the rest of it."""
        assert capability in CAPABILITIES, f"unknown capability {capability!r}"
        claimed = self.capabilities.get(capability)
        return self._follows(capability) if claimed is None else claimed

    def all_capabilities(self) -> dict[str, bool]:
        return {name: self.can(name) for name in CAPABILITIES}

    def require(self, capability: str) -> None:
        """Raises `Unsupported`, with a sentence, unless `can`."""
        if not self.can(capability):
            raise Unsupported(f"the profile of {self.name} says it can't show that {CAPABILITIES[capability]}")

    def _follows(self, capability: str) -> bool:
        if self.builtin is not None:
            return True
        if capability in _MANAGEMENT and self.relay.api == "none":
            return False
        started = self.relay.target.startswith(("cmd:", "image:"))
        match capability:
            case "organisations":
                return len(self.tenancy.organisations) > 1
            case "settings":
                return self.timing.grace_settable
            case "register":
                return not any(tenant.applications for tenant in self.tenancy.organisations)
            case "restart":
                return started or bool(self.control.start and self.control.kill)
            case "pause":
                return started or bool(self.control.pause and self.control.resume)
            case "log":
                return started or bool(self.control.log)
            case "surfaced" | "latest_version":  # extensions: only where the profile gives their name
                return {"surfaced": "surfaced_query"}.get(capability, f"{capability}_setting") in self.names
        return True


def _resolved(key: str, organisation: str) -> str:
    if not key.startswith("env:"):
        return key
    variable = key.removeprefix("env:")
    if variable not in os.environ:
        raise ProfileError(
            f"[tenancy] the key of organisation {organisation!r}: set the environment variable {variable}"
        )
    return os.environ[variable]
