"""The bounds of an exploration: who is there, on which lattice of times, and what may happen to them.

All times of a model are a few whole seconds, so that the moments at which anything can be due fall on a lattice and the
states repeat. The orders of deadlines and of what happens between them are those of the documented timing, not their
lengths.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from conductor.timing import Timing
from reference_relay.core.records import AppKey, Settings

APP = AppKey("local", "app")

LATTICE = Timing(
    ping_interval_s=1,
    ping_wait_s=2,
    grace_s=2,
    scan_s=1,
    slack_s=0.5,
    handshake_deadline_s=1,
    request_deadline_s=1,
    recovery_deadline_s=1,
    backoff_first_s=1,
    backoff_cap_s=1,
    backoff_factor=1,
    redial_s=1,
    remember_s=0.001,
)
"""Every deadline is one or two seconds. A recovered id is remembered until the first sweep, which forgets it."""

YES_NO: Mapping[str, tuple[str, ...]] = {
    "executor_info": ("ok",),
    "recovery": ("true", "false"),
    "exist_pending_workflows": ("no", "yes"),
    "get_workflow_aggregates": ("nobody",),
    "list_application_versions": ("v2",),
}
"""How an executor may answer, by request; it may also be late, or never answer."""


@dataclass(frozen=True, slots=True)
class Member:
    """An executor that may dial."""

    id: str
    version: str = "v1"
    language: str = "python"
    application: AppKey = APP
    mortal: bool = True  # its connections may end, or fall silent


@dataclass(frozen=True, kw_only=True, slots=True)
class Model:
    """What may happen, and how much of it at once."""

    name: str
    text: str
    members: tuple[Member, ...]
    timing: Timing = LATTICE
    settings: tuple[Settings, ...] = (Settings(executor_timeout_s=2),)  # the first holds at the start
    answers: Mapping[str, tuple[str, ...]] = field(default_factory=lambda: YES_NO)
    sockets: int = 1  # at once, of one member
    silent: int = 1  # at once, connections that have fallen silent
    silent_strangers: bool = False  # also before they said who they are
    overdue: int = 0  # at once, recovery frames past their deadline that may still be answered
    calls: int = 0  # at once, of the management API
    crashes: bool = True  # of the relay, in every state
    inside: bool = False  # also inside of an event: before its commit, and after it and before its frames leave
    most_rounds: int = 0  # of failover, until the backoff is at its cap
    told_versions: tuple[str, ...] = ()  # latest versions that the driver may tell of
    binary: bool = False  # binary frames, keys that are revoked
    stray: bool = False  # frames that nobody asked for
    removal: bool = False  # the application may be deleted and made again

    @property
    def applications(self) -> tuple[AppKey, ...]:
        return tuple(dict.fromkeys(member.application for member in self.members))
