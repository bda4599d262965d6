"""What an operation is, and what it gets to work with."""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

import msgspec
from msgspec import UNSET, UnsetType, field

from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.events import Call
from reference_relay.core.records import AppKey, Application
from reference_relay.server.api.problems import Problem
from reference_relay.server.context import Context
from reference_relay.server.gate import Subject
from reference_relay.server.hub import Hub, wall_ms
from reference_relay.store import AuditEntry

__all__ = ["OPERATIONS", "ApiRequest", "Body", "Operation", "Query", "Reply", "operation"]

ORG = "/v2/orgs/{orgName}"
APP = ORG + "/apps/{appName}"


class Body(msgspec.Struct, frozen=True, kw_only=True, rename="camel", forbid_unknown_fields=True):
    """A request body. Clients may send ``$schema``, which means nothing."""

    schema_uri: str | UnsetType = field(default=UNSET, name="$schema")


class Query(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """Query parameters; others are ignored."""


class Reply(msgspec.Struct, frozen=True):
    """An answer with headers of its own."""

    body: object
    headers: dict[str, str] = {}


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One method on one path. ``audits`` names its entries in the audit log, ``target`` their kind of target."""

    name: str
    method: str
    path: str
    permission: str
    handler: Callable[[Any], Awaitable[Any]]
    status: int = 200
    body: type[Body] | None = None
    body_required: bool = False
    query: type[Query] | None = None
    creates: bool = False  # the application need not exist
    audits: str | None = None
    target: str = "application"


OPERATIONS: dict[str, Operation] = {}

Handler = TypeVar("Handler", bound=Callable[[Any], Awaitable[Any]])


def operation(method: str, path: str, permission: str, **options: Any) -> Callable[[Handler], Handler]:
    """Register a coroutine function as an operation. ``path`` begins with O (organisation) or A (application)."""
    prefix, rest = {"O": ORG, "A": APP}[path[0]], path[1:]

    def register(handler: Handler) -> Handler:
        name = handler.__name__
        assert name not in OPERATIONS, f"operation {name} exists already"
        OPERATIONS[name] = Operation(
            name=name, method=method, path=prefix + rest, permission=permission, handler=handler, **options
        )
        return handler

    return register


class ApiRequest:
    """One management call that passed authentication, authorisation and validation."""

    def __init__(self, context: Context, operation: Operation, subject: Subject, params: dict[str, str]) -> None:
        self.context = context
        self.operation = operation
        self.subject = subject
        self.params = params  # path parameters, decoded once
        self.org = params["orgName"]
        self.source_ip = ""
        self.body: Any = None
        self.query: Any = None
        self.details: dict[str, Any] = {}  # of the audit entry
        self.target_id: str | None = None  # of the audit entry; default: the application's id
        self.audits = operation.audits

    @property
    def hub(self) -> Hub:
        return self.context.hub

    @property
    def app(self) -> AppKey:
        return AppKey(self.org, self.params["appName"])

    @property
    def application(self) -> Application:
        """Raises Problem 404 for one that does not exist."""
        found = self.context.hub.core.applications.get(self.app)
        if found is None:
            raise Problem(404, "no such application")
        return found

    async def ask(self, type_: str, fields: dict[str, object], *, version: str | None = None) -> bytes:
        """Have a healthy executor of the application answer; its response frame. Raises Problem 502 or 503."""
        app = self.app
        done = await self.context.hub.call(lambda number: Call(number, app, type_, fields, version))
        return self._answer(done, version)

    def _answer(self, done: CallDone, version: str | None) -> bytes:
        match done.outcome:
            case Outcome.ANSWERED:
                assert done.data is not None, "an answer has its frame"
                return done.data
            case Outcome.NO_EXECUTOR:
                of = f" of version {version}" if version is not None else ""
                raise Problem(503, f"no healthy executor{of} is connected")
            case Outcome.REFUSED:
                raise Problem(502, f"the executor reports: {done.error}"[:2000])
            case _:
                raise Problem(502, f"no executor answered: {done.error or 'all failed'}"[:2000])

    def entry(self, *, success: bool) -> AuditEntry:
        """The audit entry of this call."""
        app = self.params.get("appName", "")
        details = {**({"application_name": app} if app else {}), **self.details}
        return AuditEntry(
            id=str(uuid.uuid4()),
            org=self.org,
            emit_ms=wall_ms(),
            operation=self.operation.audits or self.operation.name,
            success=success,
            subject_type=self.subject.kind,
            subject_id=self.subject.name,
            subject_display=self.subject.name,
            target_type=self.operation.target,
            target_id=self._target_id(app),
            source_ip=self.source_ip,
            application=app,
            details=details or None,
        )

    def audited(self) -> list[AuditEntry]:
        """The entry of success, for an operation that puts it into its own transaction."""
        entries = [self.entry(success=True)] if self.audits else []
        self.audits = None
        return entries

    def _target_id(self, app: str) -> str:
        if self.target_id is not None:
            return self.target_id
        found = self.context.hub.core.applications.get(AppKey(self.org, app))
        return found.app_id if found else app
