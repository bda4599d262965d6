"""docs/api.md, made from the table of operations: python -m reference_relay.server.api.reference > docs/api.md"""

from __future__ import annotations

import sys
from typing import Any, get_args, get_origin

from conductor.catalogue import EXECUTOR_MESSAGES
from reference_relay.server.api import app
from reference_relay.server.api.operation import APP, OPERATIONS, ORG, Operation

_HEAD = """# The management API of the reference relay

Generated from the table of operations in the code (`reference_relay.server.api.operation.OPERATIONS`):
`python -m reference_relay.server.api.reference > docs/api.md`. A running relay serves the same as `/openapi.json`, and
as a page under `/docs`.

`O` is `/v2/orgs/{orgName}`, `A` is `/v2/orgs/{orgName}/apps/{appName}`, below any base path. Names, shapes and status
codes are those of the public "Conductor API" 2.0.0 document; what goes beyond it is marked + and explained in
[extensions.md](extensions.md). Every operation takes `Authorization: Bearer <key>`; failures are
`application/problem+json`. Operations that need a login provider (organisation, roles, members, users, domain claims,
secrets) are not there: 404, as of a public server without one.

## Operations

`operationId` is the name in camel case. "message" is the executor message that the operation is about; after "then"
stand others that it may send: versions to find the latest, and a look at whether a thing exists after a failure.
"""

_FIELDS = """
## Fields with another name in the message

All others have the same name in snake case. Null and empty filters are left out of messages; times are sent as
`YYYY-MM-DDTHH:MM:SS.mmm+00:00`. `get_workflow_aggregates` gets `workflowIds` as `workflow_ids` and `workflow_uuids`,
`user` as `user` and `authenticated_user`: SDKs read the one or the other. A search with `queuesOnly` and without
`loadOutput` becomes `list_queued_workflows`, any other `list_workflows`.

| operation | API field | message field |
|---|---|---|
"""

_OWN = """
## Messages without an operation

| message | sent |
|---|---|
| `executor_info` | first on every connection |
| `recovery`, `exist_pending_workflows` | to recover a dead executor, and to verify that |
| `retention` | within a second of a change of retention settings, then every `upkeep.retention_period_s` |
| `get_metrics` | every `upkeep.metrics_period_s`, to one executor of each application |
| `alert` | when an alerting rule fires, to one executor of the receiving application |
"""


def page() -> str:
    """The whole page, in Markdown."""
    assert app.MODULES, "importing the application registers the operations"
    columns = ("operation", "method and path", "permission", "query or body", "answer", "message", "audited as")
    lines = [_HEAD, f"| {' | '.join(columns)} |", "|---" * len(columns) + "|"]
    lines += [_row(operation) for operation in OPERATIONS.values()]
    lines.append(_FIELDS.rstrip("\n"))
    for operation in OPERATIONS.values():
        lines += [f"| `{operation.name}` | `{_camel(name)}` | `{other}` |" for name, other in operation.renamed.items()]
    lines.append(_OWN.rstrip("\n"))
    return "\n".join(lines) + "\n"


def unsent() -> list[str]:
    """Executor messages that no operation sends."""
    sent = {message for operation in OPERATIONS.values() for message in operation.sends}
    return [message for message in EXECUTOR_MESSAGES if message not in sent]


def _row(operation: Operation) -> str:
    path = operation.path.replace(APP, "A").replace(ORG, "O")
    cells = [
        f"`{operation.name}`{' +' if operation.extension else ''}",
        f"{operation.method} `{path}`",
        f"`{operation.permission}`" if operation.permission else "any key",
        _input(operation),
        f"{operation.status} {_answer(operation.answer)}".strip() + (" + Location" if operation.location else ""),
        _messages(operation.sends),
        f"`{operation.audits}`" if operation.audits else "",
    ]
    return "| " + " | ".join(cells) + " |"


def _input(operation: Operation) -> str:
    if operation.body is not None:
        return f"{operation.body.__name__}{'' if operation.body_required else ' (optional)'}"
    if operation.query is not None:
        return ", ".join(f"`{name}`" for name in operation.query.__struct_encode_fields__)
    return ""


def _answer(kind: Any) -> str:
    if kind is None:
        return ""
    if get_origin(kind) is list:
        return f"{_answer(get_args(kind)[0])}[]"
    names = [name for name in get_args(kind) or (kind,) if name is not type(None)]
    return " or ".join(_answer(name) if get_origin(name) else _name(name) for name in names)


def _name(kind: type) -> str:
    return "string" if kind is str else kind.__name__


def _messages(sends: tuple[str, ...]) -> str:
    if not sends:
        return ""
    first, *others = (f"`{message}`" for message in sends)
    return first + (f" then {', '.join(others)}" if others else "")


def _camel(name: str) -> str:
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


if __name__ == "__main__":
    sys.stdout.write(page())
