"""SIGKILL under executors and recoveries: no executor, recovery, token or audit entry that anybody saw is lost.

Half of the kills aim at a moment: a recovery frame is out, its verification is out, an executor registers. The others
fall anywhere. ``RELAYPROOF_KILLS`` says how many there are (20).
"""

from __future__ import annotations

import itertools
import os
import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.exceptions import WebSocketException

from tests.reference_relay.support import CONFIG, Executor, RelayProcess, healthy, relay_in, statuses, until

KILLS = int(os.environ.get("RELAYPROOF_KILLS", "20"))
SEED = 20261130
ORG = "/v2/orgs/acme"
MOMENTS = ("dispatch", "verify", "registration", "any", "any", "any")
KEPT, DYING = "kept", "dying"  # applications: nobody dies in one, everybody in the other
WINDOW_S = 0.03  # how long a peer takes for its answers
GONE = (httpx.TransportError, WebSocketException, OSError, EOFError)


def audited(client: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    while True:
        page = client.get(f"{ORG}/audit-logs", params={"limit": 1000, "offset": len(found)}).json()
        found += page
        if len(page) < 1000:
            return found


def concerning(entries: list[dict[str, Any]], operation: str) -> Counter[str]:
    """How many entries of an operation each executor has."""
    return Counter(e["details"]["executorId"] for e in entries if e["operation"] == operation)


class Seen:
    """What the relay has shown to somebody, over all its lives."""

    def __init__(self) -> None:
        self.kept: set[str] = set()
        self.dying: set[str] = set()
        self.tokens: set[str] = set()
        self.entries: set[str] = set()
        self.frames: Counter[str] = Counter()  # recovery frames that reached a peer, by dead executor

    def look(self, client: httpx.Client) -> None:
        self.kept |= set(statuses(client, KEPT))
        self.dying |= set(statuses(client, DYING))
        self.entries |= {entry["id"] for entry in client.get(f"{ORG}/audit-logs").json()}


class Worker(threading.Thread):
    """Changes the relay's state as fast as it can until the relay dies."""

    def __init__(self, relay: RelayProcess, name: str, seen: Seen) -> None:
        super().__init__(name=name)
        self.relay = relay
        self.seen = seen
        self.busy = threading.Event()
        self.registers = threading.Event()
        self.start()

    def run(self) -> None:
        with suppress(*GONE), self.relay.client() as client:
            for number in itertools.count():
                name = f"{self.name}-{number}"
                self.registers.set()
                Executor(self.relay, KEPT, name)
                if number < 2:
                    Executor(self.relay, DYING, name).close()
                if client.post(f"{ORG}/tokens/{name}").status_code == 201:
                    self.seen.tokens.add(name)
                self.seen.look(client)
                self.busy.set()


class Peer:
    """Recovers whoever it is asked for, slowly enough for a kill to fall in between."""

    def __init__(self, relay: RelayProcess, seen: Seen) -> None:
        self.reached = {moment: threading.Event() for moment in ("dispatch", "verify")}
        self._seen = seen
        self.executor = Executor(relay, DYING, "peer")
        self.executor.answers["recovery"] = self._slowly("dispatch", {"success": True})
        self.executor.answers["exist_pending_workflows"] = self._slowly("verify", {"exist": False})

    def _slowly(self, moment: str, answer: dict[str, Any]) -> Callable[[dict[str, Any]], dict[str, Any]]:
        def answers(request: dict[str, Any]) -> dict[str, Any]:
            self._seen.frames.update(request.get("executor_ids", ()))
            self.reached[moment].set()
            time.sleep(WINDOW_S)
            return answer

        return answers


def kill_at(moment: str, relay: RelayProcess, worker: Worker, peer: Peer, chance: random.Random) -> None:
    if moment == "registration":
        worker.registers.clear()
        assert worker.registers.wait(20)
    elif moment in peer.reached:
        assert peer.reached[moment].wait(20), f"no {moment} in 20 s"
    time.sleep(chance.uniform(0, 0.3 if moment == "any" else WINDOW_S))
    relay.kill()


def check(client: httpx.Client, seen: Seen) -> None:
    entries = audited(client)
    assert seen.entries <= {entry["id"] for entry in entries}
    assert seen.kept <= set(statuses(client, KEPT))
    assert seen.tokens <= {token["tokenName"] for token in client.get(f"{ORG}/tokens").json()}
    assert seen.frames <= concerning(entries, "executor.dispatch_recovery"), "an entry before each frame (AUD-5)"
    gone = seen.dying - set(statuses(client, DYING))
    assert gone <= set(concerning(entries, "executor.delete")), "nobody goes without an entry (AUD-3)"


@pytest.mark.slow
@pytest.mark.timeout(60 + 30 * KILLS)
def test_killed_again_and_again_it_loses_nothing_that_was_shown(tmp_path: Path) -> None:
    chance = random.Random(SEED)
    seen = Seen()
    killed: Counter[str] = Counter()
    began_s = time.monotonic()
    with relay_in(tmp_path, CONFIG) as relay:
        with relay.client() as client:
            for app, grace_s in ((KEPT, 100_000), (DYING, 1)):
                assert client.put(f"{ORG}/apps/{app}").status_code == 204
                assert client.patch(f"{ORG}/apps/{app}", json={"executorTimeoutSecs": grace_s}).status_code == 204
        for round_ in range(KILLS):
            peer = Peer(relay, seen)
            worker = Worker(relay, f"round{round_}", seen)
            assert worker.busy.wait(20)
            moment = chance.choice(MOMENTS)
            kill_at(moment, relay, worker, peer, chance)
            worker.join(20)
            assert peer.executor.closed.wait(20)
            killed[moment] += 1
            relay.start()
            with relay.client() as client:
                check(client, seen)
        peer = Peer(relay, seen)
        with relay.client() as client:
            healthy(client, DYING, "peer")
            until(lambda: set(statuses(client, DYING)) == {"peer"}, "every dead executor recovered", 60)
            check(client, seen)
            entries = audited(client)
        dead = seen.dying - {"peer"}
        assert dead <= set(seen.frames), "every one of the dead was handed to a peer"
        assert dead <= set(concerning(entries, "executor.recover"))
        assert '"level": "error"' not in relay.log()
    took_s = time.monotonic() - began_s
    print(
        f"{KILLS} kills in {took_s:.0f} s {dict(killed)}: lost none of {len(seen.kept) + len(seen.dying)} executors, "
        f"{len(dead)} recoveries, {len(seen.tokens)} tokens, {len(seen.entries)} audit entries"
    )
    assert min(len(seen.kept), len(seen.tokens), len(dead)) >= KILLS
