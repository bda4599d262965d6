"""Every operation that asks an executor, on real data of a real SDK: one executor and one database a language.

Each test looks at what the answer means, not at its shape, and has workflows of its own.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterator, Mapping
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import psycopg
import pytest

from chaos.errors import MissingPostgres
from chaos.postgres import PostgresServer
from sdk_matrix.contract import (
    Command,
    Config,
    Done,
    Fail,
    Recv,
    Schedule,
    SendMessage,
    SetEvent,
    Start,
    Started,
    Step,
    Stop,
    Unsupported,
    WriteStream,
)
from sdk_matrix.errors import MissingSdk
from sdk_matrix.languages import LANGUAGES, parse
from tests.reference_relay.support import ADMIN, CONFIG, TIMING, relay_in, statuses
from tests.sdk_matrix.conftest import SDKS
from tests.sdk_matrix.rig import QUEUES, Driver, until

pytestmark = [pytest.mark.real, pytest.mark.slow]  # launches an SDK of each language, on a PostgreSQL server
APP, VERSION = "shop", "v1 ä"
ODD = 'wf/ä?#1"'
YEARLY, DAILY = "0 0 0 1 1 *", "0 0 4 * * *"
HOLD = Recv("release", 600.0, "go")


class Site:
    """An application with one executor, and data made by it."""

    def __init__(self, http: httpx.Client, driver: Driver, lacking: Mapping[str, str]) -> None:
        self.http = http
        self.driver = driver
        self.lacking = lacking

    def call(self, method: str, path: str, body: Any = None, expected: int = 200, **query: Any) -> Any:
        answer = self.http.request(method, f"/v2/orgs/acme/apps/{APP}{path}", json=body, params=query, timeout=60)
        assert answer.status_code == expected, answer.text
        return answer.json() if answer.content else None

    def tell(self, command: Command) -> None:
        report = self.driver.ask(command)
        if isinstance(report, Unsupported):
            pytest.xfail(f"the SDK lacks {report.what}: {report.reason}")
        assert isinstance(report, Started | Done), report

    def start(self, workflow: str, *instructions: Any, queue: str | None = None) -> str:
        self.tell(Start(workflow=workflow, instructions=instructions, queue=queue))
        return workflow

    def workflow(self, id: str) -> dict[str, Any]:
        found: dict[str, Any] = self.call("GET", f"/workflows/{quote(id, safe='')}")
        return found

    def ends(self, id: str, *status: str) -> dict[str, Any]:
        def found() -> dict[str, Any] | None:
            row = self.workflow(id)
            return row if row["status"] in status else None

        row: dict[str, Any] = until(found, f"{id} is {' or '.join(status)}")
        return row

    def finished(self, id: str, *instructions: Any) -> str:
        self.start(id, *(instructions or (Step("pay"), Step("ship"))))
        self.ends(id, "SUCCESS", "ERROR")
        return id


@pytest.fixture(scope="session")
def postgres() -> Iterator[PostgresServer]:
    with asyncio.Runner() as runner:
        try:
            server = PostgresServer()
        except MissingPostgres as problem:
            pytest.skip(str(problem))
        runner.run(server.__aenter__())
        yield server
        runner.run(server.close())


@pytest.fixture(scope="module", params=os.environ.get(SDKS, ",".join(LANGUAGES)).split(","))
def site(
    request: pytest.FixtureRequest, postgres: PostgresServer, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Site]:
    try:
        worker = parse(request.param)
        worker.build()
        worker.check()
    except MissingSdk as problem:
        pytest.skip(str(problem))
    prefix = "operations_" + "".join(letter if letter.isalnum() else "_" for letter in request.param)
    with psycopg.connect(postgres.url("postgres"), autocommit=True) as connection:
        for name in (f"{prefix}_system", f"{prefix}_evidence"):
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
    with psycopg.connect(postgres.url(f"{prefix}_evidence"), autocommit=True) as connection:
        connection.execute(files("chaos").joinpath("evidence/step_runs.sql").read_bytes())
    folder: Path = tmp_path_factory.mktemp(prefix)
    # The deadlines of a host that launches SDKs: nothing here is about time.
    config = {**CONFIG, "timing": {**TIMING, "ping_wait_s": 20.0, "request_deadline_s": 20.0}}
    with relay_in(folder, config) as relay, relay.client() as http:
        assert http.put(f"/v2/orgs/acme/apps/{APP}").status_code == 204
        settings = Config(
            relay_url=f"ws://127.0.0.1:{relay.port}",
            key=ADMIN,
            application=APP,
            version=VERSION,
            system_database_url=postgres.url(f"{prefix}_system"),
            evidence_database=postgres.url(f"{prefix}_evidence"),
            executor="one",
            queues=QUEUES,
        )
        driver = Driver(worker, settings, folder)
        try:
            ready = driver.ready()
            until(lambda: "HEALTHY" in statuses(http, APP).values(), "the executor is HEALTHY")
            yield Site(http, driver, ready.unsupported)
            driver.ask(Stop())
            driver.process.wait(30)
        finally:
            driver.kill()


def ids(rows: list[dict[str, Any]]) -> set[str]:
    return {row["workflowId"] for row in rows}


# ---- reading


def test_list_and_search_find_by_status_and_id(site: Site) -> None:
    site.finished("listed-1")
    site.finished("listed-2", Step("pay"), Fail("lost ä"))
    failed = site.call("GET", "/workflows", status="ERROR")
    assert "listed-2" in ids(failed) and "listed-1" not in ids(failed)
    found = site.call("POST", "/workflows/search", {"workflowIdPrefix": ["listed-"], "sortDesc": True})
    assert [row["workflowId"] for row in found] == ["listed-2", "listed-1"]
    assert {row["appVersion"] for row in found} == {VERSION}


def test_get_workflow_has_its_end(site: Site) -> None:
    site.finished(ODD)
    site.finished("got-2", Fail("lost ä"))
    row = site.workflow(ODD)
    assert (row["workflowId"], row["status"], row["error"]) == (ODD, "SUCCESS", None)
    assert row["output"] and row["createdAt"] <= row["updatedAt"]
    assert "lost ä" in site.workflow("got-2")["error"]
    site.call("GET", "/workflows/none", expected=404)


def test_list_workflow_steps_has_them_in_order(site: Site) -> None:
    site.finished("stepped", Step("pay"), Step("pack"), Step("ship"))
    steps = site.call("GET", "/workflows/stepped/steps")
    assert [step["stepName"] for step in steps if step["stepName"] in ("pay", "pack", "ship")] == [
        "pay",
        "pack",
        "ship",
    ]
    assert [step["stepId"] for step in steps] == sorted(step["stepId"] for step in steps)


def test_list_workflow_events_has_the_values(site: Site) -> None:
    site.finished("eventful", SetEvent("paid", "yes ä"))
    events = {event["key"]: event["value"] for event in site.call("GET", "/workflows/eventful/events")}
    assert set(events) == {"paid"} and "yes ä" in events["paid"]


def test_list_workflow_notifications_tells_what_was_sent(site: Site) -> None:
    site.start("told", HOLD)
    site.tell(SendMessage("told", "unread", "hello ä"))
    (found,) = site.call("GET", "/workflows/told/notifications")
    assert found["topic"] == "unread" and "hello ä" in found["message"] and not found["consumed"]


def test_list_workflow_streams_has_the_values_in_order(site: Site) -> None:
    site.finished("streaming", WriteStream("log", ("one", "two ä")))
    (stream,) = site.call("GET", "/workflows/streaming/streams")
    assert stream["key"] == "log" and ["one" in stream["values"][0], "two ä" in stream["values"][1]] == [True, True]


def test_aggregates_count_workflows_and_steps(site: Site) -> None:
    site.finished("counted-1", Step("weigh"))
    site.finished("counted-2", Step("weigh"))
    # By the prefix: Java counts all workflows where ids are given (measured with dbos-transact 1.1.0-m6).
    body = {"groupByStatus": True, "selectCount": True, "workflowIdPrefix": ["counted-"]}
    assert site.call("POST", "/workflows/aggregates", body) == [{"group": {"status": "SUCCESS"}, "count": 2}]
    body = {"groupByFunctionName": True, "selectCount": True, "stepName": ["weigh"]}
    assert site.call("POST", "/steps/aggregates", body) == [{"group": {"function_name": "weigh"}, "count": 2}]


def test_versions_and_the_latest(site: Site) -> None:
    assert VERSION in {version["versionName"] for version in site.call("GET", "/versions")}
    site.call("PATCH", "/versions/latest", {"versionName": VERSION}, expected=204)
    site.call("PATCH", "/versions/latest", {"versionName": "none"}, expected=404)


def test_queues_are_those_in_the_database(site: Site) -> None:
    queues = {queue["name"]: queue for queue in site.call("GET", "/queues")}
    site.call("GET", "/queues/none", expected=404)
    if "single" not in queues:
        pytest.xfail("this SDK keeps the queues of a program in memory")
    assert queues["single"]["workerConcurrency"] == 1
    assert site.call("GET", "/queues/single") == queues["single"]


# ---- changing


def test_cancel_and_resume(site: Site) -> None:
    site.start("stopped", HOLD, Step("ship"))
    site.call("POST", "/workflows/stopped/cancel", {}, expected=204)
    assert site.ends("stopped", "CANCELLED")["status"] == "CANCELLED"
    site.call("POST", "/workflows/stopped/resume", {}, expected=204)
    site.tell(SendMessage("stopped", "release", "go"))
    assert site.ends("stopped", "SUCCESS")


def test_bulk_cancel_resume_and_delete(site: Site) -> None:
    several = {"workflowIds": [site.start(f"several-{n}", HOLD) for n in range(2)]}
    site.call("POST", "/workflows/bulk-cancel", several, expected=204)
    for id in several["workflowIds"]:
        site.ends(id, "CANCELLED")
    site.call("POST", "/workflows/bulk-resume", several, expected=204)
    for id in several["workflowIds"]:
        site.tell(SendMessage(id, "release", "go"))
        site.ends(id, "SUCCESS")
    site.call("POST", "/workflows/bulk-delete", several, expected=204)
    assert site.call("POST", "/workflows/search", several) == []


def test_fork_runs_a_copy(site: Site) -> None:
    site.finished("forked")
    made = site.call("POST", "/workflows/forked/fork", {"newWorkflowId": "forked/2"}, expected=201)
    assert made == {"workflowId": "forked/2"}
    assert site.ends("forked/2", "SUCCESS")["forkedFrom"] == "forked"


def test_fork_from_failure_runs_the_failed_ones_again(site: Site) -> None:
    site.finished("failed-1", Step("pay"), Fail("again"))
    body = {"workflowIds": ["failed-1"], "fromLastStep": True}
    (copy,) = site.call("POST", "/workflows/bulk-fork-from-failure", body)["workflowIds"]
    assert site.ends(copy, "ERROR")["forkedFrom"] == "failed-1"


def test_export_delete_and_import_bring_it_back(site: Site) -> None:
    site.finished("moved", Step("pay"))
    exported = site.call("GET", "/workflows/moved/export")
    site.call("DELETE", "/workflows/moved", expected=204)
    site.call("GET", "/workflows/moved", expected=404)
    site.call("POST", "/workflows/import", exported, expected=201)
    assert site.workflow("moved")["status"] == "SUCCESS"
    assert "pay" in [step["stepName"] for step in site.call("GET", "/workflows/moved/steps")]


# ---- schedules


def scheduled(site: Site, name: str, cron: str = YEARLY) -> Callable[[], dict[str, Any]]:
    """A schedule that is not due in months; how to look at it."""
    site.tell(Schedule(name, cron, (Step("report"),)))
    return lambda: site.call("GET", f"/schedules/{quote(name, safe='')}")


def test_schedules_are_listed_and_read(site: Site) -> None:
    look = scheduled(site, "yearly/ä")
    row = look()
    assert (row["scheduleName"], row["cronExpression"], row["status"]) == ("yearly/ä", YEARLY, "ACTIVE")
    assert [each["scheduleName"] for each in site.call("GET", "/schedules", scheduleNamePrefix="yearly")] == [
        "yearly/ä"
    ]
    site.call("GET", "/schedules/none", expected=404)


def test_a_schedule_is_paused_and_resumed(site: Site) -> None:
    look = scheduled(site, "paused")
    site.call("POST", "/schedules/paused/pause", expected=204)
    assert look()["status"] == "PAUSED"
    site.call("POST", "/schedules/paused/resume", expected=204)
    assert look()["status"] == "ACTIVE"


def test_a_schedule_is_triggered_and_backfilled(site: Site) -> None:
    scheduled(site, "due", DAILY)
    made = site.call("POST", "/schedules/due/trigger", expected=201)["workflowId"]
    assert site.ends(made, "SUCCESS")
    span = {"startTime": "2026-06-01T00:00:00Z", "endTime": "2026-06-03T00:00:00Z"}
    missed = site.call("POST", "/schedules/due/backfill", span)["workflowIds"]
    assert len(missed) == 2, "each night within"
    for id in missed:
        site.ends(id, "SUCCESS")
