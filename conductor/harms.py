"""What an ill-formed request does to which SDK: the facts behind the rules of `conductor.sendable`.

Measured with dbos 2.31.1, @dbos-inc/dbos-sdk 4.27.6, Go 1.6.0 and Java 1.1.0-m6 (SDK matrix); where the matrix has no
row, read in their MIT-licensed clients.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum

__all__ = [
    "ALL_MISREAD",
    "Harm",
    "absent_body_harm",
    "absent_field_harm",
    "no_object_harm",
    "null_harm",
    "wrong_type_harm",
]

Harms = Mapping[str, "Harm"]


class Harm(StrEnum):
    """What an SDK does with a request that it cannot take as meant."""

    DISCONNECT = "disconnect"
    """Closes the socket (Python 1011, Go 1000) or drops it (Java), and dials again."""
    PROCESS_EXIT = "process-exit"
    """The whole Node process ends with exit code 1."""
    NO_REPLY = "no-reply"
    """Logs it, stays connected and never answers."""
    ERROR_REPLY = "error-reply"
    """Answers with an error_message."""
    MISREAD = "misread"
    """Carries out or answers something else than was asked."""
    IGNORED = "ignored"
    """Drops the frame; the request is lost."""

    @property
    def fatal(self) -> bool:
        """Whether the socket, the process or the request is lost."""
        return self not in (Harm.ERROR_REPLY, Harm.MISREAD)


_D, _X, _N, _E, _M = Harm.DISCONNECT, Harm.PROCESS_EXIT, Harm.NO_REPLY, Harm.ERROR_REPLY, Harm.MISREAD


def _harms(
    python: Harm | None = None, typescript: Harm | None = None, go: Harm | None = None, java: Harm | None = None
) -> Harms:
    named = {"python": python, "typescript": typescript, "go": go, "java": java}
    return {sdk: harm for sdk, harm in named.items() if harm is not None}


ALL_MISREAD: Harms = _harms(_M, _M, _M, _M)

# A missing field of a flat request is a missing constructor argument in Python, outside its error handling.
_ABSENT_FLAT = _harms(_D)
_ABSENT_IN_BODY = _harms(_E)
_ABSENT: dict[tuple[str, str], Harms] = {
    ("recovery", "executor_ids"): _harms(_D, _E, _M, _E),
    ("cancel", "workflow_id"): _harms(_D, None, None, _E),
    ("resume", "workflow_id"): _harms(_D, None, None, _E),
    ("delete", "workflow_id"): _harms(_D, None, None, _E),
    ("exist_pending_workflows", "executor_id"): _harms(_D, _M, _M, _E),
    ("exist_pending_workflows", "application_version"): _harms(_D, _M, _M, _M),
    ("list_workflows", "load_input"): ALL_MISREAD,
    ("list_workflows", "load_output"): ALL_MISREAD,
    ("list_queued_workflows", "load_input"): ALL_MISREAD,
    ("get_workflow", "workflow_id"): _harms(_D, _M, _M, _E),
    ("get_workflow", "load_input"): ALL_MISREAD,
    ("get_workflow", "load_output"): ALL_MISREAD,
    ("list_steps", "load_output"): ALL_MISREAD,
    ("fork_workflow", "workflow_id"): _harms(_D, _E, _E, _E),
    ("fork_workflow", "start_step"): _harms(_D, None, None, _E),
    ("fork_workflow", "new_workflow_id"): _harms(_D),
    ("fork_workflow", "application_version"): _harms(_D),
    ("fork_from_failure", "workflow_ids"): _harms(_E, _E, _M, _E),
    ("import_workflow", "serialized_workflow"): _harms(_D, _E, _E, _E),
    ("list_schedules", "load_context"): _harms(java=_M),
    ("get_schedule", "load_context"): _harms(java=_M),
    ("backfill_schedule", "start"): _harms(_D, _E, _E, _E),
    ("backfill_schedule", "end"): _harms(_D, _E, _E, _E),
    ("get_metrics", "start_time"): _harms(_D, _M, _E, _E),
    ("get_metrics", "end_time"): _harms(_D, _M, _E, _E),
    ("get_metrics", "metric_class"): _harms(_D, None, None, _E),
}

_ABSENT_BODY: dict[str, Harms] = {
    "retention": _harms(_D, _E, _M, _E),
    "list_workflows": _harms(_D, _X, _M, _E),
    "list_queued_workflows": _harms(_D, _X, _M, _E),
    "get_workflow_aggregates": _harms(_D, _X, _E, _E),
    "get_step_aggregates": _harms(_D, _X, _E, _E),
    "fork_workflow": _harms(_D, _X, _E, _E),
    "fork_from_failure": _harms(_D, _E, _E, _E),
    "list_schedules": _harms(_D, _X, _M, _M),
    "rewind_workflow": _harms(_D),
}
_BODY_TYPES = frozenset({*_ABSENT_BODY, "list_queues"})

_NULL_FLAG: dict[str, Harms] = {
    "was_forked_from": _harms(typescript=_M),
    "has_parent": _harms(typescript=_M),
}
_NULL: dict[tuple[str, str], Harms] = {
    ("recovery", "executor_ids"): _harms(_E, _E, _M, _E),
    ("retention", "gc_batch_size"): _harms(_M),
}
_BARE_STRING_REFUSED_BY_JAVA_ALONE = frozenset({"get_workflow_aggregates", "get_step_aggregates"})


def no_object_harm(value: object) -> Harms:
    """What a frame of JSON does that is no object (measured with arrays, null and numbers)."""
    if value is None:
        return _harms(_D, _X, _E, _D)
    return _harms(_D, _E, _N, _D if isinstance(value, list) else _N)


def absent_field_harm(message_type: str, field: str) -> Harms:
    """What leaving out a field does that must always be sent."""
    default = _ABSENT_IN_BODY if message_type in _BODY_TYPES else _ABSENT_FLAT
    return _ABSENT.get((message_type, field), default)


def absent_body_harm(message_type: str, *, null: bool) -> Harms:
    """What a missing or null body does; nothing for list_queues without one, which all four take."""
    if null:
        return {**_ABSENT_BODY.get(message_type, {}), "python": _E}
    return _ABSENT_BODY.get(message_type, {})


def null_harm(message_type: str, field: str) -> Harms:
    """What a null does in a field that must not be null."""
    return _NULL_FLAG.get(field) or _NULL.get((message_type, field)) or _harms(java=_E)


def wrong_type_harm(message_type: str, value: object) -> Harms:
    """What a value of the wrong JSON type does."""
    if isinstance(value, str) and message_type in _BARE_STRING_REFUSED_BY_JAVA_ALONE:
        return _harms(java=_E)
    return _harms(go=_N, java=_E)
