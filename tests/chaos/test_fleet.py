"""Real executors on a fake relay: the course of a proof, with each fault."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

import pytest

from chaos import faults, workload
from chaos.processes import ProcessRuntime
from chaos.site import Site
from conductor.timing import FAST
from evidence.events import Closed, Expect, Fault, Ledger
from evidence.history import Recorder
from evidence.rules import apply
from evidence.verdict import Verdict
from scenarios.schedule import FaultAt
from tests.chaos.fake_relay import FakeRelay
from tests.chaos.support import fleet, of, recorder

pytestmark = pytest.mark.real
pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")


def verdicts(made: Recorder) -> Mapping[str, Verdict]:
    history = made.history()
    found = {}
    for rule in ("ended", "ended_once", "steps_kept", "duplicate_recovery"):
        (finding,) = apply(history, Expect(n=0, t=0, clause="OUT", rule=rule))
        found[rule] = finding.verdict
    return found


async def proof(folder: Path, relay: FakeRelay, strike: str, *beside: str, within_s: float = 30) -> Recorder:
    made, runtime = recorder(folder / "history.jsonl"), ProcessRuntime()
    async with relay.running():
        team = fleet(relay.url, runtime, folder, made)
        try:
            await team.launch("e1", "e2", "e3")
            assert await team.until(lambda: len(team.connected()) == 3, 10)
            site = Site((team,), made, FAST, relay.grace_s)
            for name in beside:
                await faults.apply(FaultAt(name, 0.0, ""), site)
            await team.start("e1", workload.jobs(1, each=3))
            assert await team.until_at_work("e1", steps=16, within_s=15)
            await faults.apply(FaultAt(strike, 0.0, "e1"), site)
            await team.converge(within_s)
            await team.evidence()
        finally:
            made.close("complete")
            await team.close()
            await runtime.sweep()
    return made


ALL_MET = {"ended": Verdict.OK, "ended_once": Verdict.OK, "steps_kept": Verdict.OK}


async def test_a_killed_executor_is_recovered(tmp_path: Path) -> None:
    relay = FakeRelay()
    made = await proof(tmp_path, relay, "kill")
    assert verdicts(made) == ALL_MET | {"duplicate_recovery": Verdict.VACUOUS}
    assert len(relay.recovered) == 1
    assert {info["executor_metadata"]["name"] for info in relay.infos} == {"e1", "e2", "e3"}
    assert set(relay.paths) == {"/base/websocket/real-app/secret-key"}
    (killed,) = of(Fault, made)
    assert next(closed for closed in of(Closed, made) if closed.conn == killed.conn).how == "kill"
    assert {ledger.source: bool(ledger.rows) for ledger in of(Ledger, made)} == {
        "expected": True, "trigger": True, "ledger": True,
    }  # fmt: skip


async def test_the_adopter_is_killed_after_its_acknowledgement(tmp_path: Path) -> None:
    relay = FakeRelay()
    made = await proof(tmp_path, relay, "kill", "kill-after-ack")
    assert verdicts(made) == ALL_MET | {"duplicate_recovery": Verdict.VACUOUS}
    (first, adopter), (second, _) = relay.recovered
    assert adopter == second and [fault.executor for fault in of(Fault, made)] == [first, second]


async def test_a_polite_exit_leaves_its_work_to_a_peer(tmp_path: Path) -> None:
    relay = FakeRelay(grace_s=2.0)  # the SDK closes its socket first, and may take from its queue until it has gone
    made = await proof(tmp_path, relay, "stop")
    assert verdicts(made) == ALL_MET | {"duplicate_recovery": Verdict.VACUOUS}
    assert next(closed for closed in of(Closed, made)).how == "close"


async def test_a_duplicate_recovery_changes_nothing(tmp_path: Path) -> None:
    relay = FakeRelay()
    made = await proof(tmp_path, relay, "kill", "duplicate-recovery")
    assert verdicts(made) == ALL_MET | {"duplicate_recovery": Verdict.OK}
    assert len(relay.recovered) == 1
    again = [fault for fault in of(Fault, made) if fault.kind == "duplicate-recovery"]
    assert len({fault.conn for fault in again}) == len(again) == 2


async def test_without_recovery_the_work_of_the_dead_is_lost(tmp_path: Path) -> None:
    made = await asyncio.wait_for(proof(tmp_path, FakeRelay(recovers=False), "kill", within_s=7), 60)
    assert verdicts(made)["ended"] is Verdict.FAILED
