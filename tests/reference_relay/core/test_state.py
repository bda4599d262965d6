"""Snapshots, the digest that a shift in time leaves alone, and one total order in every process."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference_relay.core import Core, Stored
from reference_relay.core import effects as fx
from reference_relay.core import events as ev
from reference_relay.core.config import NS
from reference_relay.core.records import AppKey
from tests.reference_relay.core.driving import APP, Driver

STEPS = ("join a", "join b", "join c2", "lose a", "lose b", "mute b", "wait 1", "wait 30", "wait 70", "call", "grace 5")


def apply(drive: Driver, step: str) -> None:
    verb, _, rest = step.partition(" ")
    conns = {name: conn for conn, name in drive.alive.items()}
    match verb:
        case "join":
            drive.join(rest[0], version="v2" if rest.endswith("2") else "v1")
        case "lose" | "mute" if rest in conns:
            getattr(drive, verb)(conns[rest])
        case "wait":
            drive.run(float(rest))
        case "call":
            drive.call("list_workflows", {"body": {"load_input": False, "load_output": False}})
        case "grace":
            drive.app(executor_timeout_s=int(rest))


def played(steps: list[str], now_s: float = 100.0, *, digests: bool = False) -> Driver:
    drive = Driver(now_s=now_s)
    drive.app()
    for step in steps:
        apply(drive, step)
        if digests:
            drive.core.digest(drive.now_ns)
    return drive


@given(st.lists(st.sampled_from(STEPS), max_size=12), st.integers(1, 10**6))
@settings(max_examples=120, deadline=None)
def test_a_shift_in_time_changes_neither_digest_nor_normal_form(steps: list[str], shift_s: int) -> None:
    one, two = played(steps), played(steps, 100.0 + shift_s)
    assert one.core.normal_form(one.now_ns) == two.core.normal_form(two.now_ns)
    assert one.core.digest(one.now_ns) == two.core.digest(two.now_ns)


@given(st.lists(st.sampled_from(STEPS), max_size=8), st.lists(st.sampled_from(STEPS), max_size=8))
@settings(max_examples=120, deadline=None)
def test_digests_are_equal_exactly_where_normal_forms_are(first: list[str], second: list[str]) -> None:
    one, two = played(first), played(second)
    same = one.core.normal_form(one.now_ns) == two.core.normal_form(two.now_ns)
    assert (one.core.digest(one.now_ns) == two.core.digest(two.now_ns)) is same


@given(st.lists(st.sampled_from(STEPS), max_size=12))
@settings(max_examples=80, deadline=None)
def test_the_running_digest_is_the_one_from_scratch(steps: list[str]) -> None:
    assert played(steps, digests=True).core.digest(0) == played(steps).core.digest(0)


@given(st.lists(st.sampled_from(STEPS), max_size=8), st.lists(st.sampled_from(STEPS), min_size=1, max_size=8))
@settings(max_examples=80, deadline=None)
def test_going_back_to_a_snapshot_gives_the_same_future(before: list[str], after: list[str]) -> None:
    drive = played(before, digests=True)
    snapshot, now_ns, alive, conns = drive.core.state, drive.now_ns, dict(drive.alive), drive.conns
    calls = drive.calls
    futures = []
    for _ in range(2):
        drive.core = Core()
        drive.core.state = snapshot
        drive.now_ns, drive.alive, drive.conns, drive.effects = now_ns, dict(alive), conns, []
        drive.calls = calls
        for step in after:
            apply(drive, step)
        futures.append((repr(drive.effects), drive.core.digest(drive.now_ns)))
    assert futures[0] == futures[1]


def test_a_snapshot_shares_what_did_not_change() -> None:
    drive = Driver()
    drive.app()
    for n in range(200):
        drive.join(f"e{n}")
    before = drive.core.state
    drive.call("list_workflows", {"body": {"load_input": False, "load_output": False}})
    after = drive.core.state
    assert after.tables[1] is before.tables[1], "the executors' table is the same object"


def effects_digest(hash_seed: str) -> str:
    code = (
        "from tests.reference_relay.core.test_state import played, STEPS; import hashlib\n"
        "d = played([*STEPS, 'join b', 'join a', 'lose a', 'wait 70', *reversed(STEPS)])\n"
        "print(hashlib.sha256(repr(d.effects).encode()).hexdigest())"
    )
    result = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        text=True,
        check=True,
    )
    return result.stdout.strip()


def test_effects_are_the_same_under_every_hash_seed() -> None:
    digests = {effects_digest(seed) for seed in ("0", "1", "4711")}
    assert len(digests) == 1
    assert digests != {hashlib.sha256(b"[]").hexdigest()}


class TestRestart:
    """LIV-15, REC-19: what a store kept, the downtime not counted."""

    @staticmethod
    def restarted(drive: Driver, *, down_s: float) -> Driver:
        saved: dict[tuple[str, object], object] = {}
        for _, effect in drive.effects:
            if isinstance(effect, fx.Save):
                saved[effect.table, effect.key] = effect.record
        tables: dict[str, list[object]] = {"applications": [], "executors": [], "remembered": []}
        for (table, _), record in saved.items():
            if record is not None:
                tables[table].append(record)
        stored = Stored(**tables, clock_ns=drive.now_ns)  # type: ignore[arg-type]
        again = Driver(now_s=drive.now_s + down_s)
        again.conns = drive.conns
        again.take(again.core.load(stored, again.now_ns))
        return again

    def test_a_crash_does_not_take_a_forgiven_pause_back(self, drive: Driver) -> None:
        drive.join("e2")  # its pings are overdue after the pause: that is how the relay knows
        drive.lose(drive.join("e1"))
        drive.run(10)
        drive.now_ns += 45 * NS  # the relay was stopped: 55 s since the loss, 10 to 20 of them counted
        drive.event(ev.Tick())
        drive.run(3)
        again = self.restarted(drive, down_s=5.0)
        again.run(35)
        assert again.status("e1") == "DISCONNECTED"
        again.run(10)
        assert again.status("e1") == "DEAD"

    def test_a_grace_that_ended_unrecorded_before_the_crash_is_no_pause_of_the_next_process(
        self, drive: Driver
    ) -> None:
        """The stored clock is 20 s past the end of its grace; who is lost by the restart has a whole grace, no more."""
        drive.join("healthy")
        drive.lose(drive.join("gone"))
        drive.now_ns += 80 * NS
        again = self.restarted(drive, down_s=5.0)
        again.run(0.1)
        assert again.status("gone") == "DEAD"
        again.run(59.8)
        assert again.status("healthy") == "DISCONNECTED"
        again.run(0.2)
        assert again.status("healthy") == "DEAD"

    @pytest.mark.parametrize("down_s", [0.0, 30.0, 3600.0])
    def test_each_state_goes_on(self, drive: Driver, down_s: float) -> None:
        drive.join("healthy")
        drive.lose(drive.join("dead", version="v9"))
        drive.run(60)
        drive.lose(drive.join("gone"))
        drive.run(20)
        again = self.restarted(drive, down_s=down_s)
        assert [again.status(name) for name in ("healthy", "gone", "dead")] == ["DISCONNECTED", "DISCONNECTED", "DEAD"]
        again.run(39.9)
        assert again.status("gone") == "DISCONNECTED"
        again.run(0.2)
        assert again.status("gone") == "DEAD", "what was left of its grace period"
        assert again.status("healthy") == "DISCONNECTED", "a whole grace period from readiness"
        again.join("peer", version="v9")
        again.run(1.1)
        assert again.recoveries()[0][1:] == ("peer", ["dead"])
        again.join("healthy")
        again.run(100)
        assert again.status("healthy") == "HEALTHY"
        assert ["healthy"] not in [ids for _, _, ids in again.recoveries()]

    def test_a_recovery_that_was_out_is_resumed(self, drive: Driver) -> None:
        dead = drive.join("dead")
        drive.join("peer")
        drive.answers["peer"] = {"recovery": lambda _: None}
        drive.lose(dead)
        drive.run(65)
        again = self.restarted(drive, down_s=5)
        again.join("peer")
        again.run(2)
        assert again.recoveries()[0][1:] == ("peer", ["dead"])
        assert again.status("dead") == "GONE"

    def test_remembered_ids_are_asked_for_again(self, drive: Driver) -> None:
        dead = drive.join("dead")
        drive.join("peer")
        drive.lose(dead)
        drive.run(65)
        again = self.restarted(drive, down_s=5)
        again.join("peer")
        again.run(61)
        assert len(again.sent("get_workflow_aggregates")) == 1

    def test_what_belongs_to_no_application_is_left_out(self) -> None:
        drive = Driver()
        drive.app()
        drive.join("e1")
        record = drive.record("e1")
        assert record is not None
        core = Core()
        core.load(Stored(executors=(record,), clock_ns=0), 5 * NS)
        assert core.executors_of(APP) == [] and core.executors_of(AppKey("x", "y")) == []
