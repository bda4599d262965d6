"""What an operation is, and what it gets to work with.

`OPERATIONS` is the one table of the API: the router, the OpenAPI document and docs/api.md are made from it.
"""

from __future__ import annotations

import uuid
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeVar

import msgspec

from conductor.catalogue import CATALOGUE
from conductor.messages import ResponseBase
from reference_relay.core.records import AppKey, Application
from reference_relay.server.api.asking import ask
from reference_relay.server.api.problems import Problem, Reported
from reference_relay.server.api.shapes import Body, Query
from reference_relay.server.context import Context
from reference_relay.server.gate import Subject
from reference_relay.server.hub import Hub, wall_ms
from reference_relay.store import AuditEntry

__all__ = ["OPERATIONS", "ApiRequest", "Operation", "R", "Reply", "operation"]

ORG = "/v2/orgs/{orgName}"
APP = ORG + "/apps/{appName}"


class Reply(msgspec.Struct, frozen=True):
    """An answer with headers of its own."""

    body: object
    headers: dict[str, str] = {}


class Operation(msgspec.Struct, frozen=True, kw_only=True):
    """One method on one path.

    ``answer`` is the type of a successful answer's body, None for none. ``sends`` names the executor message
    that it is about, then others that it may need; ``renamed`` are the fields (API name: message name) whose names
    differ by more than their case.
    ``audits`` names its entries in the audit log, ``target`` their kind of target.
    """

    name: str
    method: str
    path: str
    permission: str | None  # None: any key of the organisation
    handler: Callable[[Any], Awaitable[Any]]
    answer: Any = None
    status: int = 200
    body: type[Body] | None = None
    body_required: bool = False
    query: type[Query] | None = None
    sends: tuple[str, ...] = ()
    renamed: Mapping[str, str] = {}
    creates: bool = False  # the application need not exist
    for_scoped: bool = False  # of the organisation, and open to keys that are limited to some applications
    audits: str | None = None
    target: str = "application"
    location: bool = False  # answers with a Location header
    conflicts: bool = False  # may answer 409
    extension: bool = False  # not in the public document

    @property
    def id(self) -> str:
        """The operationId of the API document."""
        first, *rest = self.name.split("_")
        return first + "".join(word.capitalize() for word in rest)

    @property
    def summary(self) -> str:
        """The first sentence of the handler's docstring, on one line."""
        text = " ".join((self.handler.__doc__ or "").split())
        return text.partition(". ")[0].rstrip(".")


OPERATIONS: dict[str, Operation] = {}

R = TypeVar("R", bound=ResponseBase)
Handler = TypeVar("Handler", bound=Callable[[Any], Awaitable[Any]])


def operation(method: str, path: str, permission: str | None, **options: Any) -> Callable[[Handler], Handler]:
    """Register a coroutine function as an operation. ``path`` begins with O (organisation) or A (application)."""
    prefix, rest = {"O": ORG, "A": APP}[path[0]], path[1:]

    def register(handler: Handler) -> Handler:
        name = handler.__name__
        assert name not in OPERATIONS, f"operation {name} exists already"
        assert set(options.get("sends", ())) <= CATALOGUE.keys(), f"operation {name} sends an unknown message"
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

    async def ask(self, kind: type[R], fields: dict[str, object], *, version: str | None = None) -> R:
        """Have a healthy executor of the application answer the request whose response has this class.

        Raises Problem 502 or 503, and its subclass `Reported` where the executor reports a failure.
        """
        return await ask(self.context.hub, self.app, kind, fields, version)

    async def ask_about(
        self, look: Callable[[ApiRequest], Awaitable[object | None]], missing: str, kind: type[R],
        fields: dict[str, object], *, version: str | None = None,
    ) -> R:  # fmt: skip
        """As `ask`, about something that may not be there: executors report that as any other failure.

        So it is looked for then. Raises Problem 404 with the text ``missing`` where ``look`` finds nothing.
        """
        try:
            return await self.ask(kind, fields, version=version)
        except Reported:
            if await look(self) is None:
                raise Problem(404, missing) from None
            raise

    def new_id(self) -> str:
        """For a record that the call makes."""
        return str(uuid.uuid4())

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
