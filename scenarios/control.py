"""The relay's management side over HTTP. Every call is recorded as Request and Answer.

`ConductorV2` speaks the public API document, `NoControl` stands for a relay whose profile says ``api = "none"``, and
``python:<module>:<class>`` names a class of the user's own: built from a `Channel` as these are, with the methods of
`scenarios.world.Control`, raising `Unsupported` for what the relay lacks.
"""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import msgspec

from evidence import events
from evidence.history import Recorder
from scenarios.audit_entries import Log, own_entries
from scenarios.audit_entries import log as audit_log
from scenarios.errors import ControlError, NotOffered, Prerequisite, ProfileError
from scenarios.http import HttpClient, HttpError, Response
from scenarios.operations import ROUTES
from scenarios.profile import Organisation, Profile
from scenarios.world import Answer, App, Control

CALL_DEADLINE_S = 30.0
"""What the public clients wait for an answer (measured with dbos-mcp 0.8.0)."""

AUDIT_PAGE = 1000
"""The most that the API gives at once (API document)."""


@dataclass(frozen=True, slots=True)
class Channel:
    """What a control class is built from: a way to the relay, and the history of one scenario."""

    client: HttpClient
    base_url: Callable[[], str]  # a restarted relay may have moved
    recorder: Recorder
    now_ns: Callable[[], int]
    profile: Profile
    tenants: Sequence[Organisation]
    numbers: itertools.count[int]
    settled: Callable[[App, Mapping[str, Any]], None] = lambda app, changes: None
    """Told of every acknowledged settings change."""

    def tenant(self, org: str) -> Organisation:
        for tenant in self.tenants:
            if tenant.name == org:
                return tenant
        return self.tenants[0]

    async def send(
        self, op: str, method: str, path: str, *, token: str | None, body: Any = None, raw: bytes | None = None,
        content_type: str | None = None, args: Mapping[str, Any] | None = None, secret: str = "",
        headers: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        """One recorded call. Status 0: no answer within 30 s, or the connection broke.

        ``secret``: a field of the answer's body that is kept from the history (the key, shown once).
        """
        call = next(self.numbers)
        self.recorder.add(events.Request, call=call, op=op, method=method, path=path, args=dict(args or {}))
        sent = dict(headers or {}) | ({} if token is None else {"authorization": f"Bearer {token}"})
        content = raw if raw is not None else None if body is None else msgspec.json.encode(body)
        if content is not None:
            sent["content-type"] = content_type or "application/json"
        try:
            response = await self.client.request(
                method, self.base_url() + path, headers=sent, content=content, within_s=CALL_DEADLINE_S
            )
        except HttpError as problem:
            self.recorder.add(events.Answer, call=call, status=0, error=str(problem))
            return Answer(call, 0)
        answered = _decoded(response)
        shown = {**answered, secret: "shown once"} if secret and isinstance(answered, dict) else answered
        self.recorder.add(
            events.Answer, call=call, status=response.status, body=shown,
            content_type=response.content_type,
        )  # fmt: skip
        return Answer(call, response.status, answered)

    async def read(self, path: str, token: str) -> Any:
        """A reading that is recorded by its caller. Raises `HttpError` for anything but 200 with JSON."""
        response = await self.client.request(
            "GET", self.base_url() + path, headers={"authorization": f"Bearer {token}"}, within_s=CALL_DEADLINE_S
        )
        if response.status != 200:
            raise HttpError(f"GET {path}: status {response.status}")
        try:
            return msgspec.json.decode(response.content)
        except (msgspec.DecodeError, UnicodeDecodeError) as problem:
            raise HttpError(f"GET {path}: {problem}") from problem


class ConductorV2:
    """The Conductor API, version 2 (API document)."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel

    async def register(self, app: App) -> Answer:
        """PUT the application."""
        return await self._call("register_app", "PUT", app, "", body={})

    async def delete(self, app: App) -> Answer:
        return await self._call("delete_app", "DELETE", app, "")

    async def patch_settings(self, app: App, changes: Mapping[str, Any]) -> Answer:
        asked = self._channel.now_ns()
        answer = await self._call("patch_settings", "PATCH", app, "", body=dict(changes))
        if answer.status // 100 == 2:
            self._channel.recorder.add(events.Setting, org=app.org, app=app.name, asked=asked, changes=dict(changes))
            self._channel.settled(app, changes)
        return answer

    async def executors(self, app: App) -> Sequence[events.Seen]:
        if not self._channel.profile.can("list"):
            raise NotOffered(f"the profile of {self._channel.profile.name} has no list of executors")
        asked = self._channel.now_ns()
        try:
            rows = await self._channel.read(_app_path(app) + "/executors", self._token(app.org))
            seen = tuple(_seen(row) for row in rows)
        except (HttpError, KeyError, TypeError) as problem:
            self._poll(app, asked, error=f"{type(problem).__name__}: {problem}")
            raise ControlError(f"the executors of {app.name} can't be listed: {problem}") from problem
        self._poll(app, asked, executors=seen)
        return seen

    async def audit(self, org: str) -> Sequence[Mapping[str, Any]]:
        self._channel.profile.require("audit")
        asked = self._channel.now_ns()
        token, base = self._token(org), self._channel.base_url()
        try:
            log = await self._channel.client.shared.get(f"{base} {org} {token}", lambda: self._read_audit(org, token))
        except HttpError as problem:
            raise Prerequisite(f"the audit log of {org} can't be read: {problem}") from problem
        # The log is the whole organisation's; a history keeps what concerns its own scenario.
        rows = own_entries(self._channel.recorder, log)
        rows.reverse()  # the API gives the newest first, a history the oldest
        self._channel.recorder.add(events.AuditPage, org=org, asked=asked, entries=tuple(rows))
        return rows

    async def _read_audit(self, org: str, token: str) -> Log:
        rows: list[dict[str, Any]] = []
        path = f"/v2/orgs/{quote(org, safe='')}/audit-logs?limit={AUDIT_PAGE}"
        while page := await self._channel.read(f"{path}&offset={len(rows)}", token):
            rows += page
            if len(page) < AUDIT_PAGE:
                break
        return audit_log(rows)

    async def surfaced(self, app: App) -> Sequence[str]:
        self._channel.profile.require("surfaced")
        query = self._channel.profile.all_names()["surfaced_query"]
        asked = self._channel.now_ns()
        path = query.format(org=quote(app.org, safe=""), app=quote(app.name, safe=""))
        try:
            rows = await self._channel.read(path, self._token(app.org))
        except HttpError as problem:
            raise Prerequisite(f"the surfaced recoveries of {app.name} can't be read: {problem}") from problem
        ids = tuple(str(row.get("executorId", "")) if isinstance(row, dict) else str(row) for row in rows)
        self._channel.recorder.add(events.Surfaced, org=app.org, app=app.name, asked=asked, executors=ids)
        return ids

    async def workflow(self, app: App, op: str, workflow_id: str = "", **args: Any) -> Answer:
        self._channel.profile.require("workflows")
        one = "/workflows/" + quote(workflow_id, safe="")
        match op:
            case "list":
                return await self._call("list_workflows", "GET", app, "/workflows" + _query(args), args=args)
            case "search":
                return await self._call("search_workflows", "POST", app, "/workflows/search", body=args, args=args)
            case "get":
                return await self._call("get_workflow", "GET", app, one, args={"workflow_id": workflow_id})
            case "steps":
                return await self._call(
                    "list_steps", "GET", app, one + "/steps" + _query(args), args={"workflow_id": workflow_id} | args
                )
            case "cancel" | "resume":
                return await self._call(
                    f"{op}_workflow", "POST", app, f"{one}/{op}", body=args, args={"workflow_id": workflow_id} | args
                )
            case "versions":
                return await self._call("list_versions", "GET", app, "/versions")
        raise ValueError(f"workflow operation {op!r}: give list, search, get, steps, cancel, resume or versions")

    async def operation(
        self, app: App, name: str, subject: str = "", *, query: Mapping[str, Any] | None = None,
        body: Mapping[str, Any] | None = None,
    ) -> Answer:  # fmt: skip
        self._channel.profile.require("workflows")
        route = ROUTES[name]
        named = {route.parameter: subject} if route.parameter else {}
        return await self._call(
            name, route.method, app, route.place(subject) + _query(query or {}), body=body,
            args={**named, **(query or {}), **(body or {})},
        )  # fmt: skip

    async def http(
        self, method: str, path: str, *, json: Any = None, token: str | None = "", raw: bytes | None = None,
        content_type: str | None = None, org: str | None = None, headers: Mapping[str, str] | None = None,
    ) -> Answer:  # fmt: skip
        own = self._token(org) if org is not None else self._channel.tenants[0].api_token
        return await self._channel.send(
            "http",
            method,
            path,
            token=own if token == "" else token,
            body=json,
            raw=raw,
            content_type=content_type,
            headers=headers,
        )

    async def create_key(
        self, org: str, apps: Sequence[str] = (), permissions: Sequence[str] | None = None
    ) -> tuple[str, str]:
        self._channel.profile.require("keys")
        if apps:
            self._channel.profile.require("scoped_keys")
        name = f"proof-{self._channel.recorder.events[0].n}-{next(self._channel.numbers)}-{self._channel.now_ns()}"
        body: dict[str, Any] = {"appNames": list(apps)} if apps else {}
        if permissions is not None:
            body["permissions"] = list(permissions)
        answer = await self._channel.send(
            "create_key", "POST", f"/v2/orgs/{quote(org, safe='')}/tokens/{name}", token=self._token(org), body=body,
            args=body, secret="token",
        )  # fmt: skip
        if answer.status // 100 != 2 or not isinstance(answer.body, dict) or not answer.body.get("token"):
            raise Prerequisite(f"no key could be created in {org}: status {answer.status}")
        secret = str(answer.body["token"])
        self._channel.recorder.secret(name, secret)
        return name, secret

    async def revoke_key(self, org: str, name: str) -> Answer:
        path = f"/v2/orgs/{quote(org, safe='')}/tokens/{quote(name, safe='')}"
        return await self._channel.send("revoke_key", "DELETE", path, token=self._token(org), args={"name": name})

    async def _call(
        self, op: str, method: str, app: App, rest: str, *, body: Any = None, args: Mapping[str, Any] | None = None
    ) -> Answer:
        named = {"org": app.org, "app": app.name} | dict(args or body or {})
        return await self._channel.send(
            op, method, _app_path(app) + rest, token=self._token(app.org), body=body, args=named
        )

    def _poll(self, app: App, asked: int, **fields: Any) -> None:
        self._channel.recorder.add(events.Poll, org=app.org, app=app.name, asked=asked, **fields)

    def _token(self, org: str) -> str:
        return self._channel.tenant(org).api_token


class NoControl:
    """``api = "none"``: only the wire shows anything."""

    def __init__(self, channel: Channel) -> None:
        self._name = channel.profile.name

    def __getattr__(self, operation: str) -> Any:
        async def refuse(*args: Any, **more: Any) -> Any:
            raise NotOffered(f'{self._name} has no management API that the suite speaks (api = "none"): {operation}')

        return refuse


def control_class(profile: Profile) -> Callable[[Channel], Control]:
    """The class behind ``[relay] api``. Raises `ProfileError` when the profile's own can't be imported."""
    if profile.relay.api == "conductor-v2":
        return ConductorV2
    if profile.relay.api == "none":
        return NoControl
    _, module, name = profile.relay.api.split(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except (ImportError, AttributeError, SyntaxError) as problem:
        raise ProfileError(
            f"[relay] api: {profile.relay.api} can't be imported: {problem}: is its folder on PYTHONPATH?"
        ) from problem
    lacking = [each for each in _operations() if not hasattr(found, each) and not hasattr(found, "__getattr__")]
    if not callable(found) or lacking:
        raise ProfileError(
            f"[relay] api: {profile.relay.api} is no class with the methods of scenarios.world.Control; "
            f"it lacks {', '.join(lacking) or 'a constructor'}"
        )
    return found  # type: ignore[no-any-return]


def _operations() -> list[str]:
    return [name for name in vars(Control) if not name.startswith("_")]


def _app_path(app: App) -> str:
    return f"/v2/orgs/{quote(app.org, safe='')}/apps/{quote(app.name, safe='')}"


def _seen(row: Mapping[str, Any]) -> events.Seen:
    return events.Seen(
        executor=row["executorId"],
        status=row["status"],
        version=row.get("appVersion") or "",
        hostname=row.get("hostname"),
        language=row.get("language"),
        sdk_version=row.get("dbosVersion"),
        metadata=row.get("executorMetadata"),
    )


def _decoded(response: Response) -> Any:
    text = response.content.decode("utf-8", "replace")
    if "json" in response.content_type:
        try:
            return msgspec.json.decode(response.content)
        except (msgspec.DecodeError, UnicodeDecodeError):
            return text
    return text or None


def _query(args: Mapping[str, Any]) -> str:
    """Query parameters as the API writes them, booleans in lower case; empty without any."""
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value) for name, value in args.items()}
    return "?" + urlencode(texts) if texts else ""
