"""SIGKILL at random moments: nothing that anybody has seen is lost (LIV-15, AUD-3, AUD-5, REC-19, ROB-3)."""

from __future__ import annotations

import itertools
import random
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import WebSocketException

from tests.reference_relay.support import CONFIG, TIMING, Executor, RelayProcess, healthy, relay_in, statuses, until

KILLS = 20
SEED = 20261130
PATH = "/v2/orgs/acme/apps/shop"


def audited(client: httpx.Client) -> list[str]:
    found: list[str] = []
    while True:
        page = client.get("/v2/orgs/acme/audit-logs", params={"limit": 1000, "offset": len(found)}).json()
        found += [entry["id"] for entry in page]
        if len(page) < 1000:
            return found


class Worker(threading.Thread):
    """Changes the relay's state as fast as it can and notes what the relay confirmed, until the relay dies."""

    def __init__(self, relay: RelayProcess, name: str) -> None:
        super().__init__(name=name)
        self.relay = relay
        self.executors: set[str] = set()
        self.tokens: set[str] = set()
        self.entries: set[str] = set()
        self.busy = threading.Event()
        self.start()

    def run(self) -> None:
        with suppress(httpx.TransportError, WebSocketException, OSError, EOFError), self.relay.client() as client:
            for number in itertools.count():
                name = f"{self.name}-{number}"
                Executor(self.relay, "shop", name)
                if client.post(f"/v2/orgs/acme/tokens/{name}").status_code == 201:
                    self.tokens.add(name)
                self.executors |= set(statuses(client, "shop"))
                self.entries |= {entry["id"] for entry in client.get("/v2/orgs/acme/audit-logs").json()}
                self.busy.set()


@pytest.mark.slow
def test_killed_at_random_moments_it_loses_nothing_that_was_shown(tmp_path: Path) -> None:
    moments = random.Random(SEED)
    executors: set[str] = set()
    tokens: set[str] = set()
    entries: set[str] = set()
    with relay_in(tmp_path, {**CONFIG, "timing": {**TIMING, "grace_s": 60}}) as relay:
        with relay.client() as client:
            assert client.put(PATH).status_code == 204
        for round_ in range(KILLS):
            worker = Worker(relay, f"round{round_}")
            assert worker.busy.wait(20)
            time.sleep(moments.uniform(0, 0.1))  # in the middle of its work, wherever that is
            relay.kill()
            worker.join(20)
            executors |= worker.executors
            tokens |= worker.tokens
            entries |= worker.entries
            relay.start()
            with relay.client() as client:
                assert entries <= set(audited(client))
                assert executors <= set(statuses(client, "shop"))
                assert tokens <= {token["tokenName"] for token in client.get("/v2/orgs/acme/tokens").json()}
    assert min(len(executors), len(tokens), len(entries)) >= KILLS


def test_killed_in_a_recovery_it_goes_on_with_it(tmp_path: Path) -> None:
    with relay_in(tmp_path) as relay:
        with relay.client() as client:
            client.put(PATH, json={})
            client.patch(PATH, json={"executorTimeoutSecs": 1})
            dead, peer = Executor(relay, "shop", "dead"), Executor(relay, "shop", "peer")
            peer.answers["recovery"] = lambda _: None
            healthy(client, "shop", "dead", "peer")
            dead.close()
            until(lambda: peer.seen("recovery"), "the dispatch")
            before = client.get("/v2/orgs/acme/audit-logs").json()
            dispatched = [entry for entry in before if entry["details"].get("executorId") == "dead"]
            assert dispatched, "the entry is durable before the frame leaves"
        relay.kill()
        relay.start()
        with relay.client() as client:
            assert statuses(client, "shop")["dead"] == "DEAD"
            assert {entry["id"] for entry in before} <= set(audited(client))
            returned = Executor(relay, "shop", "peer")
            until(lambda: returned.seen("recovery"), "the dispatch after the restart")
            assert returned.seen("recovery")[0]["executor_ids"] == ["dead"]
            until(lambda: "dead" not in statuses(client, "shop"), "the record gone")
            returned.close()


def test_the_age_of_a_disconnection_is_kept_and_downtime_does_not_count(tmp_path: Path) -> None:
    with relay_in(tmp_path) as relay:
        with relay.client() as client:
            client.put(PATH)
            client.patch(PATH, json={"executorTimeoutSecs": 5})
            gone, peer = Executor(relay, "shop", "gone"), Executor(relay, "shop", "peer")
            healthy(client, "shop", "gone", "peer")
            gone.close()
            until(lambda: statuses(client, "shop")["gone"] == "DISCONNECTED", "gone DISCONNECTED")
            aged_s = 2.5
            time.sleep(
                aged_s
            )  # its age, which the clock row must keep: nothing happens meanwhile that could be awaited
        relay.kill()
        time.sleep(3)  # downtime
        relay.start()
        ready_s = time.monotonic()
        with relay.client() as client:
            assert statuses(client, "shop") == {"gone": "DISCONNECTED", "peer": "DISCONNECTED"}
            until(lambda: statuses(client, "shop")["gone"] == "DEAD", "gone DEAD", 8)
            took_s = time.monotonic() - ready_s
            assert 5 - aged_s - 0.3 <= took_s <= 5 - aged_s + 1.0 + 1.0
            assert statuses(client, "shop")["peer"] == "DISCONNECTED"
        assert peer.closed.wait(1)
