"""The system database: who may take a row, who wins a checkpoint, and the evidence that is left."""

from __future__ import annotations

from evidence.rules.outcome import TERMINAL as JUDGES
from reference_relay.core.records import AppKey
from simulator.clock import Clock, ns
from simulator.models.database import TERMINAL, Database, Row
from simulator.models.work import Plan

APP = AppKey("local", "app")
PLAN = Plan(("s1", "s2"), ns(1.0))


class Poller:
    """Takes what it may."""

    def __init__(self, id: str, version: str = "v1") -> None:
        self.id = id
        self.app = APP
        self.version = version
        self.language = "python"
        self.poll_phase_ns = 0
        self.working = True
        self.took: list[str] = []

    def claimed(self, row: Row) -> None:
        self.took.append(row.id)


def _database(*workers: Poller) -> tuple[Clock, Database]:
    clock = Clock()
    database = Database(clock)
    database.workers.extend(workers)
    return clock, database


def _row(id: str = "w", version: str = "v1") -> Row:
    return Row(id, APP, version, "python", PLAN)


def test_both_worlds_call_the_same_statuses_terminal() -> None:
    assert TERMINAL == JUDGES


def test_recovery_takes_pending_rows_of_the_named_and_of_its_own_version() -> None:
    _, database = _database()
    for id, executor, version in (("a", "dead", "v1"), ("b", "dead", "v2"), ("c", "other", "v1")):
        database.insert(_row(id, version), "PENDING", executor)
    assert [row.id for row in database.recover(APP, ["dead"], "v1")] == ["a"]
    assert database.recover(AppKey("local", "app2"), ["dead"], "v1") == []


def test_an_enqueued_row_goes_to_whoever_polls_first_of_its_version() -> None:
    late, soon, other = Poller("late"), Poller("soon"), Poller("other", "v2")
    late.poll_phase_ns, soon.poll_phase_ns, other.poll_phase_ns = ns(0.9), ns(0.5), ns(0.1)
    clock, database = _database(late, soon, other)
    row = _row()
    database.insert(row, "ENQUEUED", "starter")
    clock.run(until=ns(2.0))
    assert soon.took == ["w"] and not late.took and not other.took
    assert (row.status, row.executor, row.attempts) == ("PENDING", "soon", 1)


def test_a_row_waits_for_a_worker_and_for_the_database() -> None:
    clock, database = _database()
    row = _row()
    database.insert(row, "ENQUEUED", "starter")
    worker = Poller("late")
    database.workers.append(worker)
    database.go_down()
    clock.run(until=ns(5.0))
    assert row.status == "ENQUEUED"
    database.come_back()
    clock.run(until=ns(10.0))
    assert worker.took == ["w"]


def test_the_first_checkpoint_wins_and_owns_the_row() -> None:
    _, database = _database()
    row = _row()
    database.insert(row, "PENDING", "a")
    assert database.checkpoint(row, "s1", "zombie") is True
    assert database.checkpoint(row, "s1", "a") is False
    assert row.executor == "zombie"
    last = database.trigger[-1]
    assert (last["old_executor"], last["new_executor"], last["new_status"]) == ("a", "zombie", "PENDING")


def test_a_terminal_write_needs_a_pending_row() -> None:
    _, database = _database()
    row = _row()
    database.insert(row, "PENDING", "a")
    database.enqueue_again(row)
    database.finish(row, "SUCCESS", unless_cancelled_only=False)
    assert row.status == "ENQUEUED"
    database.finish(row, "SUCCESS", unless_cancelled_only=True)  # Java's guard
    assert row.status == "SUCCESS"


def test_too_many_attempts_end_in_the_dead_letter() -> None:
    worker = Poller("a")
    clock, database = _database(worker)
    row = _row()
    database.insert(row, "PENDING", "a")
    row.attempts = 101
    database.enqueue_again(row)
    clock.run(until=ns(3.0))
    assert row.status == "MAX_RECOVERY_ATTEMPTS_EXCEEDED" and worker.took == []


def test_owners_of_pending_rows() -> None:
    _, database = _database()
    database.insert(_row("a"), "PENDING", "x")
    database.insert(_row("b"), "PENDING", "x")
    database.insert(_row("c"), "ENQUEUED", "x")
    assert list(database.owners(APP)) == [("x", "v1", 2)]
    assert database.exist_pending(APP, "x", "v1") and not database.exist_pending(APP, "x", "v2")
