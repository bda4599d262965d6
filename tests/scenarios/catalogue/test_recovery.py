"""The recovery scenarios: complete, met by the reference at both timings, and able to refute a broken core."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from conductor.timing import DOCUMENTED, FAST, Timing
from reference_relay.core.core import Core, Stored
from reference_relay.core.effects import Effect
from reference_relay.core.records import (
    AppKey,
    Connection,
    Executor,
    ExecutorInfo,
    ExecutorKey,
    Pending,
    Phase,
    Purpose,
    Remembered,
    Status,
)
from reference_relay.core.timers import Timer
from scenarios import catalogue
from tests.scenarios.catalogue.playing import assert_killed, assert_passes, simulated_ids

CLAUSES = [f"REC-{number}" for number in range(1, 28) if number != 20]  # REC-20 needs real executors


@pytest.mark.parametrize("clause", CLAUSES)
def test_each_clause_is_shown_in_virtual_time(clause: str) -> None:
    assert any("simulated" in entry.worlds for entry in catalogue.select([clause]))


@pytest.mark.parametrize("timing", [FAST, DOCUMENTED], ids=["fast", "documented"])
@pytest.mark.parametrize("id", simulated_ids("REC"))
def test_the_reference_passes(id: str, timing: Timing) -> None:
    assert_passes(id, timing)


class NeverAsks(Core):
    def _seek_peer(self, key: ExecutorKey) -> None:
        pass


class NamesAllTheDead(Core):
    def _ids_to_recover(self, dead: Executor) -> list[str]:
        return list(self.dead[dead.key.application])


class AnyCandidate(Core):
    """Candidates by a looser rule: `allowed` says who may be asked."""

    def allowed(self, dead: Executor, other: Executor) -> bool:
        return True

    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        found = [
            key for key, other in self.executors.items() if other.status is Status.HEALTHY and self.allowed(dead, other)
        ]
        return tuple(sorted(found, key=lambda key: (self.executors[key].info.application_version != "v2", key)))


class AnyVersion(AnyCandidate):
    def allowed(self, dead: Executor, other: Executor) -> bool:
        return dead.key.application == other.key.application


class AnyApplication(AnyCandidate):
    def allowed(self, dead: Executor, other: Executor) -> bool:
        return dead.key.org == other.key.org


class AnyOrganisation(AnyCandidate):
    def allowed(self, dead: Executor, other: Executor) -> bool:
        return dead.key.app == other.key.app


class AnyLanguage(AnyCandidate):
    def allowed(self, dead: Executor, other: Executor) -> bool:
        same = dead.info.application_version == other.info.application_version
        return same and dead.key.application == other.key.application


class AsksTheReturnedItself(Core):
    """Takes whoever joins for a candidate, also the dead one."""

    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        key = ExecutorKey(*connection.application, info.executor_id)
        before = self.executors.get(key)
        super()._register(connection, info)
        if before is not None and before.status is Status.DEAD:
            fields = {"executor_ids": [key.executor_id]}
            self._request(connection.conn, "recovery", fields, Purpose.RECOVERY, self._recovery_ns, executor=key)


class NeverDeletes(Core):
    def _delete_recovered(self, key: ExecutorKey, *, verified: bool) -> None:
        pass


class DeletesAtOnce(Core):
    """Before the answer."""

    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        super()._dispatch(dead, peer, latest=latest)
        self._delete_recovered(dead.key, verified=False)


class DeletesOnRefusal(Core):
    def _dispatch_failed(self, pending: Pending, result: str, error: str | None = None) -> None:
        assert pending.executor is not None
        if result == "refused" and self._recovery_of(pending.executor) is not None:
            self._delete_recovered(pending.executor, verified=False)
        else:
            super()._dispatch_failed(pending, result, error)


class Stalls(Core):
    """Does nothing more after one kind of failure."""

    after = ""

    def _dispatch_failed(self, pending: Pending, result: str, error: str | None = None) -> None:
        if result != self.after:
            super()._dispatch_failed(pending, result, error)


class StallsAfterRefusal(Stalls):
    after = "refused"


class StallsAfterLoss(Stalls):
    after = "peer lost"


class StallsAfterTimeout(Stalls):
    after = "timeout"


class AsksTwoAtOnce(Core):
    def _seek_peer(self, key: ExecutorKey) -> None:
        super()._seek_peer(key)
        executor = self.executors[key]
        if executor.recovery is not None and executor.recovery.phase is Phase.DISPATCHED:
            second = self._choose(executor, self._candidates(executor), executor.recovery.asked)
            if second is not None:
                self._dispatch(executor, second)


class ForgetsWithoutPeer(Core):
    def _wait_for_peer(self, executor: Executor, reason: str) -> None:
        self._delete_recovered(executor.key, verified=False)


class DeafToJoins(Core):
    def _seek_soon(self, app: AppKey, delay_ns: int) -> None:
        pass


class GivesUpAfterOneRound(Core):
    def _back_off(self, key: ExecutorKey) -> None:
        pass


class NeverSlowsDown(Core):
    def _backoff_ns(self, rounds: int) -> int:
        return super()._backoff_ns(0) // 4


class NeverSurfaces(Core):
    def _surface(self, key: ExecutorKey, reason: str) -> None:
        pass


class AsksTheLatestAgain(Core):
    def _choose(
        self, dead: Executor, candidates: tuple[ExecutorKey, ...], asked: tuple[str, ...]
    ) -> ExecutorKey | None:
        return candidates[0] if candidates else None


HOT = frozenset({AsksTheLatestAgain})
"""Ask in a loop without a pause: a minute of it is a history of 50,000 events, a few seconds show as much."""


class LatestByName(Core):
    def _set_latest(self, app: AppKey, version: str) -> None:
        super()._set_latest(app, max(version, "v3"))


class OneAtATimeForAll(Core):
    """One outstanding recovery blocks every other."""

    def _seek_peer(self, key: ExecutorKey) -> None:
        if not any(pending.type == "recovery" for pending in self.pending.values()):
            super()._seek_peer(key)


class ClosesOnLateAnswers(Core):
    def _recovery_answered(self, pending: Pending, data: bytes) -> None:
        late = pending.due_ns < self._now_ns
        super()._recovery_answered(pending, data)
        if late and pending.conn in self.connections:
            self._close(self.connections[pending.conn], 1008, "late")


class IgnoresLateAnswers(Core):
    def _let_lapse(self, pending: Pending) -> None:
        self._settle(pending)


class AsksTheFirstAlways(Core):
    def _choose(
        self, dead: Executor, candidates: tuple[ExecutorKey, ...], asked: tuple[str, ...]
    ) -> ExecutorKey | None:
        return next((peer for peer in candidates if peer.executor_id not in asked), None)


class ForgetsTheDeadOnRestart(Core):
    def load(self, stored: Stored, now_ns: int, now_ms: int = 0) -> list[Effect]:
        living = tuple(executor for executor in stored.executors if executor.status is not Status.DEAD)
        return super().load(replace(stored, executors=living), now_ns, now_ms)


class BelievesEverySuccess(Core):
    def _verify(self, key: ExecutorKey, conn: int) -> None:
        if self._recovery_of(key) is not None:
            self._delete_recovered(key, verified=False)


class RemembersNobody(Core):
    def _save_remembered(self, key: ExecutorKey, record: Remembered | None) -> None:
        pass


class GoesOnAfterTheReturn(Core):
    """The deadline of the recovery goes on running when the executor is back."""

    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        before = self.executors.get(ExecutorKey(*connection.application, info.executor_id))
        super()._register(connection, info)
        if before is not None and before.status is Status.DEAD:
            self._arm(Timer.GRACE, before.key, self._now_ns + self._recovery_ns // 2)

    def _grace_due(self, key: ExecutorKey) -> None:
        super()._grace_due(key)
        executor = self.executors.get(key)
        peers = [peer for peer in self.ready.get(key.application, ()) if peer != key.executor_id]
        if executor is not None and executor.status is Status.HEALTHY and peers:
            conn = self._executor_conn(ExecutorKey(*key.application, peers[0]))
            fields = {"executor_ids": [key.executor_id]}
            self._request(conn, "recovery", fields, Purpose.RECOVERY, self._recovery_ns, executor=key)


@pytest.mark.parametrize(
    ("broken", "id", "clause"),
    [
        (NeverAsks, "REC-1/dead-executor/close-1000", "REC-1"),
        (NeverAsks, "REC-1/silent", "REC-1"),
        (NamesAllTheDead, "REC-16/several-at-once", "REC-1"),
        (AnyVersion, "REC-2/same-version/joined-last", "REC-2"),
        (AnyApplication, "REC-3/other-application", "REC-3"),
        (AnyOrganisation, "REC-4/other-organisation", "REC-4"),
        (AnyOrganisation, "REC-4/same-executor-id", "REC-4"),
        (AsksTheReturnedItself, "REC-5/not-the-dead-one", "REC-5"),
        (NeverDeletes, "REC-6/deleted", "REC-6"),
        (DeletesAtOnce, "REC-6/deleted", "REC-6"),
        (BelievesEverySuccess, "REC-21/pending-left", "REC-6"),
        (DeletesOnRefusal, "REC-7/refused/false", "REC-7"),
        (StallsAfterRefusal, "REC-7/refused/error-message", "REC-7"),
        (StallsAfterLoss, "REC-8/peer-lost/rst", "REC-8"),
        (StallsAfterLoss, "REC-8/peer-freezes", "REC-8"),
        (StallsAfterTimeout, "REC-9/deaf-peer", "REC-9"),
        (AsksTwoAtOnce, "REC-10/slow-answer", "REC-10"),
        (AsksTwoAtOnce, "REC-10/round", "REC-10"),
        (ForgetsWithoutPeer, "REC-11/no-peer", "REC-11"),
        (DeafToJoins, "REC-11/no-peer", "REC-11"),
        (DeafToJoins, "REC-11/all-refused", "REC-11"),
        (GivesUpAfterOneRound, "REC-12/keeps-trying/one-refuses", "REC-12"),
        (GivesUpAfterOneRound, "REC-12/gives-in-late", "REC-12"),
        (NeverSlowsDown, "REC-12/keeps-trying/one-refuses", "REC-12"),
        (AnyVersion, "REC-13/other-version/newer", "REC-13"),
        (NeverSurfaces, "REC-27/surfaced/nobody", "REC-27"),
        (NeverSurfaces, "REC-14/latest-version/by-name", "REC-14"),
        (AsksTheLatestAgain, "REC-14/latest-version/by-name", "REC-14"),
        (LatestByName, "REC-14/latest-version/by-timestamp-alone", "REC-14"),
        (DeafToJoins, "REC-13/other-version/older", "REC-15"),
        (DeafToJoins, "REC-15/setting-allowed", "REC-15"),
        (OneAtATimeForAll, "REC-16/several-at-once", "REC-16"),
        (OneAtATimeForAll, "REC-16/hung-dispatch", "REC-16"),
        (ClosesOnLateAnswers, "REC-17/late-answer/success-before-the-next-one", "REC-17"),
        (AsksTheFirstAlways, "REC-16/several-at-once", "REC-18"),
        (ForgetsTheDeadOnRestart, "REC-19/dispatch-outstanding", "REC-19"),
        (ForgetsTheDeadOnRestart, "REC-19/in-backoff", "REC-19"),
        (BelievesEverySuccess, "REC-21/asks-before-deleting/answered", "REC-21"),
        (AnyLanguage, "REC-23/other-language", "REC-23"),
        (IgnoresLateAnswers, "REC-24/late-success", "REC-24"),
        (RemembersNobody, "REC-25/owns-work-again", "REC-25"),
        (RemembersNobody, "REC-25/survives-a-restart", "REC-25"),
        (GoesOnAfterTheReturn, "REC-26/returns-during-recovery/while-all-refuse", "REC-26"),
    ],
)
def test_a_broken_core_fails_the_clause_that_it_breaks(broken: type[Core], id: str, clause: str) -> None:
    assert_killed(broken, id, clause, FAST if broken in HOT else DOCUMENTED)
