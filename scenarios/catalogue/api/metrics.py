"""API-8: what was counted is shown as it was counted."""

from __future__ import annotations

from typing import Any

from scenarios.catalogue import scenario
from scenarios.catalogue.api.paths import app_path
from scenarios.catalogue.envelope.calls import ready_executor
from scenarios.catalogue.liveness.moments import ASKED_BY, gone, leave
from scenarios.catalogue.message.upkeep import SENT_WITHIN_S
from scenarios.errors import Unsupported
from scenarios.world import App, Reply, Script, World

_EVER = "?startTime=2000-01-01T00:00:00Z&endTime=2100-01-01T00:00:00Z"
_COUNTED = [
    {"metric_type": "workflow_count", "metric_name": "checkout/ä", "value": 7},
    {"metric_type": "step_count", "metric_name": "charge", "value": 2**40},
]
_FIELDS = {"appId", "metricType", "metricName", "granularity", "timeBucket", "value"}


async def _rows(world: World, app: App) -> list[dict[str, Any]]:
    answer = await world.control.http("GET", app_path(app, "metrics") + _EVER, org=app.org)
    if answer.status in (404, 405, 501):
        raise Unsupported(f"the relay has no metrics of an application: it answers {answer.status}")
    return answer.body if isinstance(answer.body, list) else []


async def _until_shown(world: World, app: App, kind: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []

    async def shown() -> bool:
        found[:] = [row for row in await _rows(world, app) if row.get("metricType") == kind]
        return bool(found)

    await world.until(shown, within_s=SENT_WITHIN_S)
    return found


@scenario(
    "API-8/counts",
    clauses=("API-8",),
    title="What executors count is shown, with its names and values",
    simulated=False,
    disturbs=True,
    needs=("metrics", "workflows"),
)
async def counts(world: World) -> None:
    app = await world.app()
    executor = await ready_executor(world, app, Script(replies={"get_metrics": Reply(fields={"metrics": _COUNTED})}))
    if await world.until_frame(executor, "get_metrics", within_s=SENT_WITHIN_S) is None:
        raise Unsupported(f"the relay asked for no metrics within {SENT_WITHIN_S:g} s")
    for counted in _COUNTED:
        rows = await _until_shown(world, app, str(counted["metric_type"]))
        got = [rows[0].get("metricName"), rows[0].get("value"), _FIELDS - set(rows[0])] if rows else "no row"
        want = [counted["metric_name"], counted["value"], set[str]()]
        world.expect("API-8", "equal", "as it was counted", name="metric", want=str(want), got=str(got))
    answer = await world.control.http("GET", "/v1/metrics", org=app.org)
    world.expect(
        "API-8", "answer", "the exposition", call=answer.call, status=[200], content_type="application/openmetrics-text"
    )
    text = str(answer.body)
    named = [name for name in ("checkout/ä", "charge") if name in text and app.name in text]
    world.expect(
        "API-8", "equal", "has the counts", name="exposition", want=[2, True],
        got=[len(named), text.endswith("# EOF\n")],
    )  # fmt: skip


@scenario(
    "API-8/recoveries",
    clauses=("API-8",),
    title="A recovery that succeeded is counted",
    simulated=False,
    needs=("metrics", "workflows", "list"),
)
async def recoveries(world: World) -> None:
    app = await world.app()
    await ready_executor(world, app)
    mortal = await ready_executor(world, app)
    await leave(world, mortal)
    await gone(world, mortal, within=f"{ASKED_BY} + request")
    rows = await _until_shown(world, app, "recovery_count")
    got = sum(row["value"] for row in rows)
    world.expect("API-8", "equal", "one recovery", name="recovery_count", want=1, got=got)
