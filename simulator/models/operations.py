"""Management operations as messages: what callers may have asked of an executor, and what it may answer.

The fields of each message are drawn by its class (`simulator.models.values`); `_RULES` holds what their types don't say
(protocol page; API document).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any

from conductor.catalogue import CATALOGUE
from simulator.models.values import Drawer, Fields, answer_drawer, request_drawer, text, texts

_ALERTS = ("WorkflowFailure", "SlowQueue", "UnresponsiveApplication", "ExecutorNotRecovered", "MetricThreshold")
_SELECTORS: tuple[tuple[str, Drawer], ...] = (
    ("from_last_failure", lambda random, mark: True),
    ("from_last_step", lambda random, mark: True),
    ("from_step", lambda random, mark: random.choice((0, 1, 12))),
    ("from_step_name", text),
)


def draw_request(type_: str, random: Random, mark: str) -> Fields:
    """The fields of a lawful request beside type and id."""
    fields: Fields = request_drawer(CATALOGUE[type_].request)(random, mark)
    if CATALOGUE[type_].nesting == "body":
        fields.setdefault("body", {})  # one may be left out, and is sent nevertheless
    if (rule := _RULES.get(type_)) is not None:
        rule(random, mark, fields.get("body", fields))
    return fields


def draw_answer(type_: str, random: Random, mark: str) -> Fields:
    """What its executor answers: rich, empty, refused, or failed as each SDK does it."""
    how = random.random()
    if how < 0.06:
        return {"error_message": "the executor says no"}  # Java, where its handler failed
    fields: Fields = answer_drawer(CATALOGUE[type_].response)(random, mark)
    if "success" in fields and how < 0.7:
        fields["success"] = True
    if how < 0.14:
        fields["error_message"] = text(random, "it failed: ")
    elif how < 0.4:
        fields["error_message"] = None  # Python, on success
    return fields


_LISTS: Mapping[str, str] = {
    "get_workflow": "list_workflows", "get_schedule": "list_schedules", "get_queue": "list_queues",
}  # fmt: skip


def confused(type_: str, answer: Mapping[str, Any]) -> tuple[str, Mapping[str, Any]]:
    """What an executor says that takes the request for another one: the list in place of the one record, and so on."""
    if type_ in _LISTS:
        row = answer.get("output")
        return _LISTS[type_], {**answer, "output": [] if row is None else [row]}
    return ("alert" if type_ != "alert" else "recovery"), answer


# ---- what types don't say


def _one_or_several(random: Random, mark: str, fields: Fields) -> None:
    """Of one workflow, or of several under a null (Python demands the key)."""
    fields.pop("workflow_ids", None)
    several = random.random() < 0.5
    fields["workflow_id"] = None if several else text(random, mark)
    if several:
        fields["workflow_ids"] = texts(random, mark)


def _counted(random: Random, mark: str, body: Fields) -> None:
    """Filters that have two names carry both; buckets are above zero; whose names are counted is one's own."""
    for one, other in (("workflow_ids", "workflow_uuids"), ("user", "authenticated_user")):
        body.pop(other, None)
        if one in body:
            body[other] = body[one]
    _steps_counted(random, mark, body)
    body["name"] = texts(random, mark)


def _steps_counted(random: Random, mark: str, body: Fields) -> None:
    if "time_bucket_size_ms" in body:
        body["time_bucket_size_ms"] = random.choice((1, 60_000, 86_400_000, None))


def _forked(random: Random, mark: str, body: Fields) -> None:
    body["start_step"] = random.choice((0, 1, 3, 1_073_741_823))  # what Go answers to


def _forked_from_failure(random: Random, mark: str, body: Fields) -> None:
    for name, _ in _SELECTORS:
        body.pop(name, None)
    name, draw = random.choice(_SELECTORS)
    body[name] = draw(random, mark)


def _kept(random: Random, mark: str, body: Fields) -> None:
    """Cutoffs are epoch milliseconds."""
    for name in ("gc_cutoff_epoch_ms", "timeout_cutoff_epoch_ms"):
        body[name] = random.choice((None, 1_700_000_000_123 + random.randrange(10**9)))


def _measured(random: Random, mark: str, fields: Fields) -> None:
    fields["metric_class"] = "workflow_step_count"  # the only one that there is


def _alerted(random: Random, mark: str, fields: Fields) -> None:
    fields["name"] = random.choice(_ALERTS)
    fields["metadata"] = {
        "queue_name": text(random, mark), "threshold": str(random.choice((0, 3, 2**53 + 1))), "period_secs": "1.50",
    }  # fmt: skip


_RULES: Mapping[str, Callable[[Random, str, Fields], None]] = {
    "cancel": _one_or_several,
    "resume": _one_or_several,
    "delete": _one_or_several,
    "retention": _kept,
    "get_workflow_aggregates": _counted,
    "get_step_aggregates": _steps_counted,
    "fork_workflow": _forked,
    "fork_from_failure": _forked_from_failure,
    "get_metrics": _measured,
    "alert": _alerted,
}
