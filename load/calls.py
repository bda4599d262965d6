"""The API user, and the few management calls that a load test itself needs."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import quote, urlsplit

from locust import FastHttpUser, constant_pacing, task

from load.place import LoadError, Place, from_environment

CALL_TIMEOUT_S = 30.0  # both public clients of the API give up then


def request(place: Place, method: str, path: str, body: Any = None) -> tuple[int, Any]:
    """One call of the test itself, outside the statistics. Returns status and decoded body."""
    parts = urlsplit(place.base)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    connection = kind(parts.netloc, timeout=CALL_TIMEOUT_S)
    try:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", **authorization(place)}
        connection.request(method, parts.path + path, body=data, headers=headers)
        answer = connection.getresponse()
        content = answer.read()
        return answer.status, json.loads(content) if content else None
    finally:
        connection.close()


def authorization(place: Place) -> dict[str, str]:
    return {"Authorization": f"Bearer {place.token}"} if place.token else {}


def prepare(place: Place) -> None:
    """Register the application. Raises LoadError with what the relay said."""
    try:
        status, body = request(place, "PUT", place.app_path, {})
    except OSError as error:
        raise LoadError(f"no relay answers at {place.base}: {error}") from error
    if status not in (200, 201, 204):
        raise LoadError(
            f"{place.base} did not register the application {place.app} of {place.org} (status {status}: {body}); "
            "give a key that may, in RELAYPROOF_LOAD_TOKEN, or an application that is there, in RELAYPROOF_LOAD_APP"
        )


def listed_status(place: Place, executor_id: str) -> str:
    """What the executors list shows for one executor; empty: nothing."""
    status, rows = request(place, "GET", f"{place.app_path}/executors")
    if status != 200:
        return ""
    return next((str(row["status"]) for row in rows if row["executorId"] == executor_id), "")


class ApiUser(FastHttpUser):
    """Asks what people and tools ask: the executors, and workflows through some executor.

    Paced, not closed-loop: a slow relay is not asked less often, so latency is not understated.
    """

    weight = 1

    def __init__(self, environment: Any) -> None:
        self.host = self.host or environment.host
        super().__init__(environment)
        self.place = from_environment(self.host)

    def wait_time(self) -> float:
        pace: float = constant_pacing(self.place.pace_s)(self)
        return pace

    @task(1)
    def executors(self) -> None:
        self._get("/executors", "list executors", {200})

    @task(3)
    def workflows(self) -> None:
        self._get("/workflows?limit=10", "list workflows", {200, 503})

    @task(3)
    def workflow(self) -> None:
        self._get(f"/workflows/{quote('w/1', safe='')}", "get workflow", {200, 503})

    def _get(self, path: str, name: str, expected: set[int]) -> None:
        """503 is right while no executor is connected yet."""
        with self.client.get(
            self.place.app_path + path, name=name, headers=authorization(self.place), catch_response=True
        ) as answer:
            if answer.status_code in expected:
                answer.success()
            else:
                answer.failure(f"status {answer.status_code}")
