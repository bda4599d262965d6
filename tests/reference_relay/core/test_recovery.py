"""REC clauses at the core's own seam."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, ClassVar

import pytest

from reference_relay.core import effects as fx
from reference_relay.core import events as ev
from reference_relay.core.records import AppKey
from reference_relay.core.recovery import LATE_KEPT
from tests.reference_relay.core.driving import APP, SUCCESS, Answer, Driver

SILENT: dict[str, Answer] = {"recovery": lambda _: None}
REFUSES: dict[str, Answer] = {"recovery": lambda _: {"success": False}}


def kill(drive: Driver, conn: int) -> None:
    """Lose it and let its grace period pass."""
    drive.lose(conn)
    drive.run(60)


def test_a_dead_executor_is_recovered_by_its_peer_verified_and_forgotten(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    kill(drive, dead)
    assert drive.recoveries() == [(160.0, "peer", ["dead"])]
    assert drive.status("dead") == "GONE"
    assert [a["result"] for a in drive.audits("executor.recover")] == ["success"]
    assert [a["verified"] for a in drive.audits("executor.delete")] == [True]


def test_the_audit_entry_of_a_dispatch_comes_before_its_frame(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    kill(drive, dead)
    kinds = [
        e.operation if isinstance(e, fx.Audit) else e.type
        for _, e in drive.effects
        if isinstance(e, fx.Audit) or (isinstance(e, fx.Send) and e.type == "recovery")
    ]
    assert kinds[:2] == ["executor.dispatch_recovery", "recovery"]


@pytest.mark.parametrize("other", ["version", "language", "application", "organisation"])
def test_never_to_an_executor_of_another(drive: Driver, other: str) -> None:
    dead = drive.join("dead")
    match other:
        case "version":
            drive.join("x", version="v2")
        case "language":
            drive.join("x", language="typescript")
        case "application":
            drive.join("x", app=drive.app(AppKey("org", "other")))
        case _:
            drive.join("x", app=drive.app(AppKey("elsewhere", "app")))
    kill(drive, dead)
    drive.run(300)
    assert drive.recoveries() == []
    assert drive.status("dead") == "DEAD"
    assert [record.key.executor_id for record in drive.core.surfaced(APP)] == ["dead"]
    assert len(drive.audits("executor.wait_for_peer")) == 1, "surfaced once, not again and again"


def test_a_peer_that_joins_later_is_asked_after_one_first_backoff(drive: Driver) -> None:
    kill(drive, drive.join("dead"))
    drive.run(100)
    drive.join("peer")
    drive.run(1)
    assert drive.recoveries() == [(261.0, "peer", ["dead"])]


@pytest.mark.parametrize(
    "answer",
    [{"success": False}, {"success": False, "error_message": "no"}, {"success": True, "error_message": "no"}, {}],
)
def test_a_refusal_leads_to_the_next_candidate(drive: Driver, answer: dict[str, Any]) -> None:
    dead = drive.join("dead")
    for peer in ("p1", "p2"):
        drive.join(peer)
    drive.answers = {peer: {"recovery": lambda _: answer} for peer in ("p1", "p2")}
    kill(drive, dead)
    assert sorted(peer for _, peer, _ in drive.recoveries()) == ["p1", "p2"]
    assert drive.status("dead") == "DEAD"
    drive.answers = {}
    drive.run(1)
    assert drive.status("dead") == "GONE"


def test_rounds_of_refusals_back_off_and_stay_bounded(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = REFUSES
    kill(drive, dead)
    drive.run(600)
    times = [at for at, _, _ in drive.recoveries()]
    gaps = [round(b - a, 3) for a, b in pairwise(times)]
    assert gaps[:6] == [1, 2, 4, 8, 16, 30]
    assert set(gaps[6:]) == {30}


def test_a_lost_peer_is_replaced_at_once(drive: Driver) -> None:
    dead = drive.join("dead")
    conns = {peer: drive.join(peer) for peer in ("p1", "p2")}
    drive.answers = dict.fromkeys(conns, SILENT)
    kill(drive, dead)
    asked = drive.recoveries()[0][1]
    drive.lose(conns[asked])
    assert [peer for _, peer, _ in drive.recoveries()][1:] == [peer for peer in conns if peer != asked]
    assert [a["result"] for a in drive.audits("executor.recover")] == ["peer lost"]


def test_only_one_recovery_frame_is_out_at_a_time_and_a_timeout_goes_on(drive: Driver) -> None:
    dead = drive.join("dead")
    for peer in ("p1", "p2", "p3"):
        drive.join(peer)
        drive.answers[peer] = SILENT
    kill(drive, dead)
    drive.run(59.9)
    assert len(drive.recoveries()) == 1
    drive.run(0.1)
    assert len(drive.recoveries()) == 2
    assert len({peer for _, peer, _ in drive.recoveries()}) == 2


def test_a_late_success_counts(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("p1")
    drive.join("p2")
    drive.answers = {"p1": SILENT, "p2": SILENT}
    kill(drive, dead)
    drive.run(70)
    first = drive.sent("recovery")[0][1]
    drive.reply(first, success=True)
    assert drive.status("dead") == "GONE"
    assert "late success" in [a["result"] for a in drive.audits("executor.recover")]
    second = drive.sent("recovery")[1][1]
    drive.reply(second, success=True)
    assert len(drive.audits("executor.delete")) == 1, "deleted once"


def test_what_a_deaf_peer_leaves_behind_is_bounded_and_its_last_answer_still_counts(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("deaf")
    drive.answers["deaf"] = SILENT
    kill(drive, dead)
    drive.run(20_000)
    frames = drive.sent("recovery")
    assert len(frames) > 10 * LATE_KEPT
    assert len(drive.core.late) <= LATE_KEPT
    drive.reply(frames[0][1], success=True)
    assert drive.status("dead") == "DEAD", "too old to count"
    drive.reply(frames[-2][1], success=True)
    assert drive.status("dead") == "GONE"
    assert not drive.core.late


@pytest.mark.parametrize("answered", ["before the return", "after the return"])
def test_an_executor_that_returns_is_healthy_at_once_and_never_deleted(drive: Driver, answered: str) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"recovery": lambda _: None, "exist_pending_workflows": lambda _: None}
    kill(drive, dead)
    frame = drive.sent("recovery")[0][1]
    if answered == "before the return":
        drive.reply(frame, success=True)
    drive.join("dead")
    assert drive.status("dead") == "HEALTHY"
    if answered == "after the return":
        drive.reply(frame, success=True)
        assert drive.audits("executor.recover")[-1]["executorReturned"] is True
    else:
        drive.reply(drive.sent("exist_pending_workflows")[0][1], exist=False)
    drive.run(100)
    assert drive.status("dead") == "HEALTHY"
    assert drive.audits("executor.delete") == []


def test_pending_work_after_a_success_keeps_the_record_and_tries_again(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    left = [True, True, False]
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: {"exist": left.pop(0)}}
    kill(drive, dead)
    assert drive.status("dead") == "DEAD"
    drive.run(10)
    assert drive.status("dead") == "GONE"
    assert len(drive.recoveries()) == 3


@pytest.mark.parametrize("answer", [None, {"error_message": "Unknown message type"}, {}])
def test_a_peer_that_cannot_verify_does_not_keep_the_record(drive: Driver, answer: dict[str, Any] | None) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: answer}
    kill(drive, dead)
    drive.run(10)
    assert drive.status("dead") == "GONE"
    assert drive.audits("executor.delete")[0]["verified"] is False


def test_a_check_that_failed_is_no_answer_and_others_are_asked(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: {"exist": False, "error_message": "database away"}}
    for n in range(4):
        drive.join(f"o{n}", version="v2")
        drive.answers[f"o{n}"] = drive.answers["peer"]
    kill(drive, dead)
    asked = [drive.peer_of(e.conn) for _, e in drive.sent("exist_pending_workflows")]
    assert asked[0] == "peer" and len(asked) == 3, "bounded: the success stands (REC-6)"
    assert [a["verified"] for a in drive.audits("executor.delete")] == [False]


def test_the_other_one_that_is_asked_can_still_say_yes(drive: Driver) -> None:
    dead = drive.join("dead")
    drive.join("peer")
    drive.join("other", version="v2")
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: {"exist": False, "error_message": "database away"}}
    drive.answers["other"] = {"exist_pending_workflows": lambda _: {"exist": True}}
    kill(drive, dead)
    assert drive.status("dead") == "DEAD"


def test_a_peer_lost_while_it_verifies_is_replaced_by_any_executor(drive: Driver) -> None:
    dead = drive.join("dead")
    peer = drive.join("peer")
    drive.join("other", version="v2")
    drive.answers["peer"] = {"exist_pending_workflows": lambda _: None}
    kill(drive, dead)
    drive.lose(peer)
    assert drive.status("dead") == "GONE"
    assert [drive.peer_of(e.conn) for _, e in drive.sent("exist_pending_workflows")][1:] == ["other"]


def test_many_dead_are_spread_over_the_peers(drive: Driver) -> None:
    peers = [f"p{n}" for n in range(4)]
    dead = [drive.join(f"d{n}") for n in range(8)]
    for peer in peers:
        drive.join(peer)
        drive.answers[peer] = SILENT
    for conn in dead:
        drive.lose(conn)
    drive.run(60)
    asked = [peer for _, peer, _ in drive.recoveries()]
    assert sorted(asked) == sorted(peers * 2)


def test_a_dead_adopter_is_recovered_in_turn(drive: Driver) -> None:
    a, b = drive.join("a"), drive.join("b")
    kill(drive, a)
    drive.join("c")
    kill(drive, b)
    assert [(peer, ids) for _, peer, ids in drive.recoveries()] == [("b", ["a"]), ("c", ["b"])]


class TestLatestVersion:
    """REC-13 to REC-15."""

    VERSIONS: ClassVar[dict[str, Any]] = {
        "output": [
            {"version_id": "1", "version_name": "v1", "version_timestamp": 5, "created_at": 1},
            {"version_id": "2", "version_name": "v2", "version_timestamp": 9, "created_at": 2},
        ]
    }

    def joined(self, drive: Driver) -> None:
        for name, version in (("new1", "v2"), ("new2", "v2"), ("odd", "v3")):
            drive.join(name, version=version)
            drive.answers[name] = {
                "list_application_versions": lambda _: self.VERSIONS,
                "exist_pending_workflows": lambda _: {"exist": True},
            }

    def test_each_candidate_of_the_latest_version_once_then_surfaced(self, drive: Driver) -> None:
        drive.app(recover_to_latest_version=True)
        dead = drive.join("dead")
        self.joined(drive)
        kill(drive, dead)
        drive.run(600)
        assert sorted(peer for _, peer, _ in drive.recoveries()) == ["new1", "new2"]
        assert drive.status("dead") == "DEAD"
        assert "every executor of the latest version was asked" in drive.audits("executor.wait_for_peer")[-1]["reason"]

    def test_allowing_it_while_it_waits_leads_to_the_dispatch(self, drive: Driver) -> None:
        dead = drive.join("dead")
        self.joined(drive)
        kill(drive, dead)
        drive.run(100)
        assert drive.recoveries() == []
        drive.app(recover_to_latest_version=True)
        drive.run(0.1)
        assert len(drive.recoveries()) == 2

    def test_a_peer_of_the_right_version_is_still_preferred(self, drive: Driver) -> None:
        drive.app(recover_to_latest_version=True)
        dead = drive.join("dead")
        self.joined(drive)
        drive.join("same")
        kill(drive, dead)
        assert [peer for _, peer, _ in drive.recoveries()] == ["same"]


class TestRememberedIds:
    """REC-25."""

    @staticmethod
    def owner(executor_id: str) -> dict[str, Any]:
        return {"output": [{"group": {"executor_id": executor_id, "application_version": "v1"}, "count": 3}]}

    def test_pending_work_of_a_remembered_id_is_recovered_again(self, drive: Driver) -> None:
        dead = drive.join("dead")
        drive.join("peer")
        kill(drive, dead)
        answers = [self.owner("dead"), self.owner("never seen")]
        drive.answers["peer"] = {
            "get_workflow_aggregates": lambda _: answers.pop(0) if answers else SUCCESS["get_workflow_aggregates"]
        }
        drive.run(60)
        assert [ids for _, _, ids in drive.recoveries()] == [["dead"], ["dead"]]
        drive.run(300)
        assert len(drive.recoveries()) == 2, "an id that was never recovered is nobody's"

    def test_never_while_it_is_connected(self, drive: Driver) -> None:
        dead = drive.join("dead")
        drive.join("peer")
        kill(drive, dead)
        drive.join("dead")
        for peer in ("peer", "dead"):
            drive.answers[peer] = {"get_workflow_aggregates": lambda _: self.owner("dead")}
        drive.run(600)
        assert len(drive.recoveries()) == 1

    def test_without_aggregates_ids_are_asked_one_by_one(self, drive: Driver) -> None:
        dead = drive.join("dead")
        drive.join("peer")
        kill(drive, dead)
        drive.answers["peer"] = {
            "get_workflow_aggregates": lambda _: {"error_message": "Unknown message type"},
            "exist_pending_workflows": lambda asked: {"exist": len(drive.recoveries()) < 2},
        }
        drive.run(61)
        assert len(drive.recoveries()) == 2

    def test_an_id_is_forgotten_after_its_time(self, drive: Driver) -> None:
        dead = drive.join("dead")
        drive.join("peer")
        kill(drive, dead)
        drive.run(86_500)
        assert not drive.core.remembered
        asked = len(drive.sent("get_workflow_aggregates"))
        drive.run(600)
        assert len(drive.sent("get_workflow_aggregates")) == asked, "nothing to ask for"


def test_two_languages_of_one_version_are_said_aloud(drive: Driver) -> None:
    drive.join("py")
    drive.join("ts", language="typescript")
    logs = [e.event for _, e in drive.effects if isinstance(e, fx.Log)]
    assert "two languages share an application and a version" in logs


def test_no_request_outlives_its_use(drive: Driver) -> None:
    dead = drive.join("dead")
    conns = [drive.join(peer) for peer in ("p1", "p2")]
    drive.answers = {"p1": SILENT, "p2": SILENT}
    kill(drive, dead)
    drive.run(500)
    drive.join("dead")
    for conn in conns:
        drive.lose(conn)
    assert not drive.core.pending and not drive.core.late and not drive.core.by_conn


def test_a_closed_key_ends_its_connections(drive: Driver) -> None:
    conn = drive.join("e1")
    drive.event(ev.CloseConnections((conn, 999), "key revoked"))
    assert drive.status("e1") == "DISCONNECTED"


class TestOneTickForManyDeadlines:
    """REC-5: the relay was held up for a while too short to be forgiven, and much is due at once."""

    HELD_UP_S = 6.0  # below a quarter of the ping wait

    def hold_up(self, drive: Driver) -> None:
        """Until the next deadline, and then for a while."""
        assert drive.core.next_due_ns is not None
        drive.now_ns = drive.core.next_due_ns + round(self.HELD_UP_S * 1e9)
        drive.event(ev.Tick())

    def test_no_recovery_leaves_with_a_peer_whose_silence_is_over_too(self, drive: Driver) -> None:
        dead = drive.join("dead")
        peer = drive.join("peer")
        drive.run(40)
        drive.lose(dead)
        drive.run(42)
        drive.mute(peer)  # last heard at 180 s, so its silence ends at 205 s and the grace of the other one at 200 s
        drive.run(17.9)
        assert drive.status("dead") == "DISCONNECTED" and drive.status("peer") == "HEALTHY"
        self.hold_up(drive)
        assert drive.status("peer") == "DISCONNECTED"
        assert drive.recoveries() == []
        assert drive.status("dead") == "DEAD"

    def test_nor_does_the_next_attempt_when_two_peers_have_been_silent(self, drive: Driver) -> None:
        dead, peers = drive.join("dead"), [drive.join("first"), drive.join("second")]
        for peer in ("first", "second"):
            drive.answers[peer] = SILENT
        kill(drive, dead)
        assert len(drive.recoveries()) == 1
        for peer_conn in peers:
            drive.mute(peer_conn)
        while drive.core.next_due_ns is not None and drive.status("first") == drive.status("second") == "HEALTHY":
            self.hold_up(drive)
        assert drive.status("first") == drive.status("second") == "DISCONNECTED"
        assert len(drive.recoveries()) == 1
