"""From HTTP to operations: routing on the escaped path, authentication, validation, problem documents, audit."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from reference_relay.errors import StoreUnavailable
from reference_relay.server.api import (
    alerting,
    applications,
    audit,
    autoscaling,
    executors,
    metrics,
    queues,
    schedules,
    status,
    tokens,
    versions,
    workflow_copies,
    workflow_payloads,
    workflows,
)
from reference_relay.server.api.openapi import document
from reference_relay.server.api.operation import OPERATIONS, ApiRequest, Operation, Reply
from reference_relay.server.api.problems import Problem, invalid
from reference_relay.server.context import Context
from reference_relay.server.gate import Subject, decode_segment
from reference_relay.server.pages.views import docs_page, json_document, status_page

STORE_UNAVAILABLE = "the relay's store is unavailable"
ANSWER_S = 29.0  # both known clients of the API give up after 30 s
MODULES = (  # importing them registers operations
    applications, executors, metrics, versions, workflows, workflow_payloads, workflow_copies, queues, schedules,
    alerting, autoscaling, tokens, audit, status,
)  # fmt: skip


class Api:
    """The ASGI application. A broken relay overrides one of the small methods."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self._router = self._build()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path = scope["raw_path"].decode("latin-1")
            scope["path"] = "/" if path == f"{self.context.config.base_path}/" else route_path(path)
            scope["root_path"] = ""
        await self._router(scope, receive, send)

    def operations(self) -> Mapping[str, Operation]:
        return OPERATIONS

    def _build(self) -> ASGIApp:
        routes = [
            Route("/healthz", self.healthz),
            Route("/v1/metrics", self.open_metrics),
            Route("/", self.status),
            Route("/docs", self.docs),
            Route("/openapi.json", self.openapi),
            Route("/websocket/{rest:path}", self.not_upgraded),
            *self._routes(),
        ]
        handlers: dict[Any, Any] = {HTTPException: self._http_error, Exception: self._crash}
        app = Starlette(routes=routes, exception_handlers=handlers)
        app.router.redirect_slashes = False
        return app

    def _routes(self) -> list[Route]:
        """One a path, so that 405 names its methods; fixed segments before parameters: `search` is no workflow id."""
        paths: dict[str, dict[str, Operation]] = {}
        for operation in self.operations().values():
            paths.setdefault(operation.path, {})[operation.method] = operation
        fixed_first = sorted(paths, key=lambda path: [segment.startswith("{") for segment in path.split("/")])
        return [Route(path, self._endpoint(paths[path]), methods=list(paths[path])) for path in fixed_first]

    def _endpoint(self, operations: Mapping[str, Operation]) -> Any:
        async def endpoint(request: Request) -> Response:
            return await self.serve(operations["GET" if request.method == "HEAD" else request.method], request)

        return endpoint

    # ---- one call

    async def serve(self, operation: Operation, request: Request) -> Response:
        call: ApiRequest | None = None
        try:
            async with asyncio.timeout(ANSWER_S):
                call = self.enter(operation, request)
                try:
                    return await self._run(operation, call, request)
                except Problem:
                    if call.audits:
                        await self.context.hub.commit([call.entry(success=False)])
                    raise
        except Problem as problem:
            return self.problem(problem)
        except TimeoutError:
            if self.context.hub.trouble is None:
                return self.problem(Problem(502, "no answer in time"))
            return self.problem(Problem(503, STORE_UNAVAILABLE))
        except StoreUnavailable:
            return self.problem(Problem(503, STORE_UNAVAILABLE))
        except ClientDisconnect:
            return Response(status_code=400)

    def enter(self, operation: Operation, request: Request) -> ApiRequest:
        """Who calls, and where: 401, then 404 for what is not the caller's."""
        subject = self.authenticate(request.headers.get("authorization"))
        params = self._params(request)
        call = ApiRequest(self.context, operation, subject, params)
        call.source_ip = request.client.host if request.client else ""
        self.admit(subject, params["orgName"])
        return call

    async def _run(self, operation: Operation, call: ApiRequest, request: Request) -> Response:
        self.authorise(call.subject, operation, call.params.get("appName"))
        if "appName" in call.params and not operation.creates:
            call.application  # noqa: B018 - raises 404
        call.query = self._query(operation, request)
        call.body = await self._body(operation, request)
        if operation.audits:
            self.context.hub.check_store()
        result = await operation.handler(call)
        if call.audits:
            await self.context.hub.commit([call.entry(success=True)])
        return self.answer(operation, result)

    def authenticate(self, authorization: str | None) -> Subject:
        subject = self.context.gate.caller(authorization)
        if subject is None:
            raise Problem(401, "no valid bearer token")
        return subject

    def admit(self, subject: Subject, org: str) -> None:
        """Another organisation is as unknown as one that does not exist."""
        if subject.org != org:
            raise Problem(404, "no such organisation")

    def authorise(self, subject: Subject, operation: Operation, app: str | None) -> None:
        if operation.permission is not None and not subject.may(operation.permission):
            raise Problem(403, f"the key lacks the permission {operation.permission}")
        if not subject.reaches(app) and not operation.for_scoped:
            raise Problem(403, "the key is limited to other applications")

    # ---- input

    def _params(self, request: Request) -> dict[str, str]:
        params = {}
        for name, segment in request.path_params.items():
            value = decode_segment(segment)
            if value is None:
                raise Problem(400, f"{name} is no valid percent-encoding of UTF-8")
            params[name] = value
        return params

    def _query(self, operation: Operation, request: Request) -> Any:
        if operation.query is None:
            return None
        given = dict(request.query_params)
        try:
            return msgspec.convert(given, operation.query, strict=False)
        except msgspec.ValidationError as error:
            raise invalid(error, "query", given) from error

    async def _body(self, operation: Operation, request: Request) -> Any:
        data = await self._read(request)
        if operation.body is None:
            return None
        if not data.strip():
            if operation.body_required:
                raise Problem(400, "the request body is missing")
            return operation.body()
        try:
            raw = msgspec.json.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeError, ValueError) as error:
            raise Problem(400, f"the request body is no JSON that can be read: {error}") from error
        try:
            return msgspec.convert(raw, operation.body)
        except msgspec.ValidationError as error:
            raise invalid(error, "body", raw) from error

    async def _read(self, request: Request) -> bytes:
        limits = self.context.limits
        data = bytearray()
        try:
            async with asyncio.timeout(limits.header_deadline_s):
                async for chunk in request.stream():
                    data += chunk
                    if len(data) > limits.body_bytes:
                        raise Problem(413, f"the request body is larger than {limits.body_bytes} bytes")
        except TimeoutError as error:
            raise Problem(408, "the request body did not come in time") from error
        return bytes(data)

    # ---- output

    def answer(self, operation: Operation, result: object) -> Response:
        if operation.answer is None:
            return Response(status_code=operation.status)
        reply = result if isinstance(result, Reply) else Reply(result)
        body = msgspec.json.encode(reply.body)
        return Response(body, operation.status, reply.headers, media_type="application/json")

    def problem(self, problem: Problem) -> Response:
        headers = {"WWW-Authenticate": "Bearer"} if problem.status == 401 else {}
        body = self.context.redactor.name(problem.body().decode())
        return Response(body, problem.status, headers, media_type="application/problem+json")

    async def _http_error(self, request: Request, error: Exception) -> Response:
        assert isinstance(error, HTTPException)
        detail = "no such path" if error.status_code == 404 else error.detail
        response = self.problem(Problem(error.status_code, detail))
        response.headers.update(error.headers or {})
        return response

    async def _crash(self, request: Request, error: Exception) -> Response:
        # Starlette raises the error again, so uvicorn logs it.
        return self.problem(Problem(500, "the relay failed; its log says why"))

    # ---- paths outside /v2

    async def healthz(self, request: Request) -> Response:
        return Response(b'{"status":"ok"}', media_type="application/json")

    async def status(self, request: Request) -> Response:
        """The page itself tells nothing: what it shows it asks for with the reader's key."""
        return status_page(self.context.config.auth)

    async def docs(self, request: Request) -> Response:
        return docs_page(self.document())

    async def openapi(self, request: Request) -> Response:
        return json_document(self.document())

    def document(self) -> dict[str, Any]:
        """The OpenAPI document of what this relay serves."""
        return document(self.operations().values())

    async def open_metrics(self, request: Request) -> Response:
        try:
            subject = self.authenticate(request.headers.get("authorization"))
            if not subject.may("metric.read"):
                raise Problem(403, "the key lacks the permission metric.read")
        except Problem as problem:
            return self.problem(problem)
        given = request.query_params.getlist
        filters = metrics.Filters(given("applications"), given("workflow_names"), given("metrics"))
        text = await metrics.exposition(self.context, subject, filters)
        return Response(text, media_type=metrics.CONTENT_TYPE)

    async def not_upgraded(self, request: Request) -> Response:
        """A plain request on the executors' path (CON-7)."""
        response = self.problem(Problem(426, "executors connect here by a WebSocket upgrade"))
        response.headers.update({"Upgrade": "websocket", "Connection": "close"})
        return response


def route_path(path: str) -> str:
    """The escaped path without whatever base path users put in front. Nothing is decoded: %2F is no slash."""
    segments = path.split("/")
    if "v2" in segments:
        return "/" + "/".join(segments[segments.index("v2") :])
    if segments[-1] in ("healthz", "docs", "openapi.json"):
        return f"/{segments[-1]}"
    if segments[-2:] == ["v1", "metrics"]:
        return "/v1/metrics"
    if "websocket" in segments[-3:-1]:
        return "/websocket/"
    return path
