"""SIGKILL at chosen moments: the relay goes on where it was (LIV-15, REC-19, ROB-3)."""

from __future__ import annotations

import time
from pathlib import Path

from tests.reference_relay.support import Executor, healthy, relay_in, statuses, until
from tests.reference_relay.test_kills import audited

PATH = "/v2/orgs/acme/apps/shop"


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
            assert {entry["id"] for entry in before} <= {entry["id"] for entry in audited(client)}
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
