"""A store that can't be written: nothing is promised, nothing shown is lost, and the relay says so."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.reference_relay.support import CONFIG, TIMING, Executor, RelayProcess, healthy, relay_in, statuses, until

PATH = "/v2/orgs/acme/apps/shop"
SPOILED = "tests.reference_relay.failing_store"


@pytest.fixture
def spoiled(tmp_path: Path) -> Iterator[RelayProcess]:
    with relay_in(tmp_path, CONFIG, module=SPOILED) as relay, relay.client() as client:
        assert client.put(PATH).status_code == 204
        yield relay


def fill_the_disk(relay: RelayProcess) -> Path:
    """Returns the file whose removal makes room again."""
    full = relay.folder / "data" / "full"
    full.touch()
    return full


def test_while_the_disk_is_full_changes_are_refused_and_none_is_half_done(spoiled: RelayProcess) -> None:
    with spoiled.client() as client:
        full = fill_the_disk(spoiled)
        joining = Executor(spoiled, "shop", "e1")  # its record makes the relay notice
        until(lambda: "the store is unavailable" in spoiled.log(), "the trouble in the log")
        assert client.put(f"{PATH}-2").status_code == 503
        assert client.patch(PATH, json={"executorTimeoutSecs": 7}).status_code == 503
        refused = client.post("/v2/orgs/acme/tokens/t1")
        assert refused.status_code == 503
        assert refused.headers["content-type"] == "application/problem+json"
        assert client.get(f"{PATH}/executors").status_code == 503, "a record that a crash takes back is not shown"
        assert client.get("/healthz").status_code == 200
        full.unlink()
        until(lambda: "the store is available again" in spoiled.log(), "the end of the trouble")
        healthy(client, "shop", "e1")
        assert client.get(PATH).json()["executorTimeoutSecs"] == 2
        assert client.post("/v2/orgs/acme/tokens/t1").status_code == 201, "the refused call left no token behind"
        assert spoiled.log().count("the store is unavailable") == 1
        assert spoiled.log().count("the store is available again") == 1
        joining.close()


def test_a_recovery_waits_for_its_entry_and_then_goes_on(tmp_path: Path) -> None:
    timing = {**TIMING, "grace_s": 1.2}
    with relay_in(tmp_path, {**CONFIG, "timing": timing}, module=SPOILED) as relay, relay.client() as client:
        client.put(PATH)
        dead, peer = Executor(relay, "shop", "dead"), Executor(relay, "shop", "peer")
        healthy(client, "shop", "dead", "peer")
        full = fill_the_disk(relay)
        dead.close()
        until(lambda: "executor dead" not in relay.log() and "the store is unavailable" in relay.log(), "trouble")
        time.sleep(1.5)  # beyond the grace period: that nothing happens has no event
        assert not peer.seen("recovery"), "no frame leaves before its entry is durable"
        assert not peer.closed.is_set()
        full.unlink()
        until(lambda: peer.seen("recovery"), "the dispatch")
        until(lambda: "the store is available again" in relay.log(), "the end of the trouble")
        until(lambda: "dead" not in statuses(client, "shop"), "the record gone")
        operations = [entry["operation"] for entry in client.get("/v2/orgs/acme/audit-logs").json()]
        assert {"executor.dispatch_recovery", "executor.recover", "executor.delete"} <= set(operations)
        peer.close()


def test_told_to_stop_while_the_disk_is_full_it_says_that_something_is_lost(spoiled: RelayProcess) -> None:
    fill_the_disk(spoiled)
    Executor(spoiled, "shop", "e1")
    until(lambda: "the store is unavailable" in spoiled.log(), "the trouble in the log")
    assert spoiled.stop() == 70


def test_a_store_that_failed_for_good_ends_the_relay_and_what_was_shown_is_there_again(spoiled: RelayProcess) -> None:
    with spoiled.client() as client:
        e1 = Executor(spoiled, "shop", "e1")
        healthy(client, "shop", "e1")
        entries = [entry["id"] for entry in client.get("/v2/orgs/acme/audit-logs").json()]
    broken = spoiled.folder / "data" / "broken"
    broken.touch()
    e1.close()
    assert spoiled.process.wait(10) == 70
    assert "the store failed" in spoiled.log()
    broken.unlink()
    spoiled.start()
    with spoiled.client() as client:
        assert statuses(client, "shop") == {"e1": "DISCONNECTED"}
        assert entries == [entry["id"] for entry in client.get("/v2/orgs/acme/audit-logs").json()]
