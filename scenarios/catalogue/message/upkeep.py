"""MSG-retention and MSG-get_metrics: what a relay asks for on its own, judged when it is sent."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import msgspec

from conductor.sendable import violations
from scenarios.catalogue import scenario
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.catalogue.message.records import epoch_ms
from scenarios.errors import Unsupported
from scenarios.world import Executor, World

SENT_WITHIN_S = 12.0
_DAY_MS = 86_400_000
_WANTED: dict[str, tuple[str, str, int]] = {
    "rows": ("gcRowsThreshold", "gc_rows_threshold", 100),
    "age": ("gcTimeThresholdMs", "gc_cutoff_epoch_ms", 40 * _DAY_MS),
    "timeout": ("globalTimeoutMs", "timeout_cutoff_epoch_ms", 40 * _DAY_MS),
}
"""Setting, field of the request, value. A cutoff is that long ago: the clocks may differ by a day."""


async def _sent(world: World, executor: Executor, type: str) -> Mapping[str, Any]:
    request = await world.until_frame(executor, type, within_s=SENT_WITHIN_S)
    if request is None:
        raise Unsupported(f"the relay sent no {type} within {SENT_WITHIN_S:g} s: it is judged when it is sent")
    return request


def _misread(request: Mapping[str, Any]) -> list[str]:
    return [each.message for each in violations("text", msgspec.json.encode(request))]


@scenario(
    "MSG-retention/asked",
    clauses=("MSG-retention",),
    title="A retention setting leads to a retention request with all keys of its body, null where nothing is set",
    simulated=False,
    needs=("settings", "workflows"),
    variants=_WANTED,
)
async def retention(world: World, wanted: tuple[str, str, int]) -> None:
    setting, field, value = wanted
    app = await world.app()
    executor = await ready_executor(world, app)
    answer = await world.control.patch_settings(app, {setting: value})
    if answer.status // 100 != 2:
        raise Unsupported(f"the relay has no setting {setting}: it answers {answer.status}")
    request = await _sent(world, executor, "retention")
    body = request.get("body")
    fields: Mapping[str, Any] = body if isinstance(body, Mapping) else {}
    got: dict[str, Any] = {name: fields.get(name, "absent") for _, name, _ in _WANTED.values()}
    if field.endswith("_epoch_ms") and isinstance(got[field], int):
        days = round((time.time() * 1000 - got[field]) / _DAY_MS)
        got[field] = value if abs(days - value // _DAY_MS) <= 1 else f"{days} days ago"
    want: dict[str, Any] = {name: value if name == field else None for _, name, _ in _WANTED.values()}
    world.expect("MSG-retention", "equal", "what is set, and null for the rest", name="body", want=want, got=got)
    world.expect("MSG-retention", "equal", "every SDK reads it", name="misread", want=[], got=_misread(request))


@scenario(
    "MSG-get_metrics/asked",
    clauses=("MSG-get_metrics",),
    title="Metrics are asked for with a span of time and the one class that SDKs know",
    simulated=False,
    disturbs=True,
    needs=("metrics",),
)
async def metrics(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app)
    request = await _sent(world, executor, "get_metrics")
    start_ms, end_ms = epoch_ms(request.get("start_time")), epoch_ms(request.get("end_time"))
    forward = start_ms is not None and end_ms is not None and start_ms < end_ms
    world.expect("MSG-get_metrics", "equal", "from an earlier to a later time", name="span", want=True, got=forward)
    world.expect(
        "MSG-get_metrics", "equal", "the class that there is", name="metric_class", want="workflow_step_count",
        got=request.get("metric_class"),
    )  # fmt: skip
    world.expect("MSG-get_metrics", "equal", "every SDK reads it", name="misread", want=[], got=_misread(request))
