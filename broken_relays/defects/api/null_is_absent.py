"""Clients that look a field up by its name fail where there is nothing to see."""

from __future__ import annotations

import msgspec
from starlette.responses import Response

from broken_relays.defect import defect
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import Operation, Reply


def _without_nulls(value: object) -> object:
    if isinstance(value, list):
        return [_without_nulls(each) for each in value]
    return {k: v for k, v in value.items() if v is not None} if isinstance(value, dict) else value


@defect(
    "null-is-absent",
    clauses=("API-4",),
    where="server",
    summary="leaves out the fields of an answer that are null",
)
class NullIsAbsent(Api):
    def answer(self, operation: Operation, result: object) -> Response:
        reply = result if isinstance(result, Reply) else Reply(result)
        shown = msgspec.json.decode(msgspec.json.encode(reply.body))
        return super().answer(operation, Reply(_without_nulls(shown), reply.headers))
