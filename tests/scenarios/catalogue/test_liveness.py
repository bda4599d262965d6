"""The liveness scenarios: complete, met by the reference at both timings, and able to refute a broken core."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from conductor.timing import DOCUMENTED, FAST, Timing
from reference_relay.core import events as ev
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
    Recovery,
    Status,
)
from scenarios import catalogue
from tests.scenarios.catalogue.playing import assert_killed, assert_passes, simulated_ids


@pytest.mark.parametrize("number", range(1, 20))
def test_each_clause_is_shown_in_virtual_time(number: int) -> None:
    assert any("simulated" in entry.worlds for entry in catalogue.select([f"LIV-{number}"]))


@pytest.mark.parametrize("timing", [FAST, DOCUMENTED], ids=["fast", "documented"])
@pytest.mark.parametrize("id", simulated_ids("LIV"))
def test_the_reference_passes(id: str, timing: Timing) -> None:
    assert_passes(id, timing)


class NeverPings(Core):
    def _ping_due(self, conn: int) -> None:
        pass


class PingsOnceAWait(Core):
    def _ping_due(self, conn: int) -> None:
        super()._ping_due(conn)
        if connection := self.connections.get(conn):
            later = replace(connection, next_ping_ns=connection.next_ping_ns + self._wait_ns)
            self._put("connections", conn, later)


class NeverSilent(Core):
    def _silence_due(self, conn: int) -> None:
        pass


class HastyAboutSilence(Core):
    def _silent_at_ns(self, connection: Connection) -> int:
        return connection.last_frame_ns + self._wait_ns // 2


class SlowAboutSilence(Core):
    def _silent_at_ns(self, connection: Connection) -> int:
        return connection.last_frame_ns + 4 * self._wait_ns


class KeepsSilentSockets(Core):
    """Says DISCONNECTED and leaves the socket open."""

    def _silence_due(self, conn: int) -> None:
        connection = self.connections.get(conn)
        if connection is not None and self._silent_at_ns(connection) <= self._now_ns:
            self._lost(connection, "silent")
        else:
            super()._silence_due(conn)


class NeverDisconnects(Core):
    def _was_its_last(self, executor: Executor, connection: Connection) -> bool:
        return False


class IgnoresPongs(Core):
    def _on_control(self, connection: Connection, event: ev.Pong | ev.Ping | ev.Progress) -> None:
        pass


class HalfAGrace(Core):
    def _grace_ns(self, application: AppKey) -> int:
        return super()._grace_ns(application) // 2


class TwoGraces(Core):
    def _grace_ns(self, application: AppKey) -> int:
        return super()._grace_ns(application) * 2


class KeepsTheGraceTimer(Core):
    """The timer of the first disconnection goes off whatever happened since."""

    def _grace_due(self, key: ExecutorKey) -> None:
        executor = self.executors.get(key)
        if executor is not None and executor.status is Status.HEALTHY:
            self._lost(self.connections[self._executor_conn(key)], "the grace period is over")
            executor = replace(self.executors[key], dead_at_ns=self._now_ns)
            self._put_executor(key, executor)
        super()._grace_due(key)


class GraceFromTheFirstDisconnection(Core):
    def __init__(self, *args: object) -> None:
        super().__init__(*args)  # type: ignore[arg-type]
        self.first_ns: dict[ExecutorKey, int] = {}

    def _dead_at_ns(self, executor: Executor) -> int:
        first_ns = self.first_ns.setdefault(executor.key, self._now_ns)
        return max(self._now_ns, first_ns + self._grace_ns(executor.key.application))


class OneGraceForAll(Core):
    """The first application's."""

    def _grace_ns(self, application: AppKey) -> int:
        return super()._grace_ns(min(self.applications))


class DemotesOnAnyClose(Core):
    def _was_its_last(self, executor: Executor, connection: Connection) -> bool:
        return executor.status is Status.HEALTHY


class RecoversTheSecondSocket(Core):
    """Takes the second connection of an id for the death of the first."""

    def _supersede(self, conn: int) -> None:
        older = self.connections[conn]
        super()._supersede(conn)
        key = ExecutorKey(*older.application, older.executor_id or "")
        peer = next(each for each in self.ready[older.application] if each != key.executor_id)
        self._request(
            self._executor_conn(ExecutorKey(*older.application, peer)),
            "recovery",
            {"executor_ids": [key.executor_id]},
            Purpose.RECOVERY,
            self._recovery_ns,
            executor=key,
        )


class KeepsOlderSockets(Core):
    def _supersede(self, conn: int) -> None:
        pass


class LocksTheReturningOut(Core):
    """Until its recovery is over."""

    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        before = self.executors.get(ExecutorKey(*connection.application, info.executor_id))
        if before is not None and before.status is Status.DEAD:
            self._close(connection, 1008, "you are being recovered")
        else:
            super()._register(connection, info)


class OverlooksTheReturned(Core):
    """Whoever was DISCONNECTED stays so."""

    def _register(self, connection: Connection, info: ExecutorInfo) -> None:
        before = self.executors.get(ExecutorKey(*connection.application, info.executor_id))
        if before is None or before.status is not Status.DISCONNECTED:
            super()._register(connection, info)


class DeletesOnLateAcknowledgement(Core):
    def _recovery_answered(self, pending: Pending, data: bytes) -> None:
        super()._recovery_answered(pending, data)
        key = pending.executor
        if pending.moot and key is not None and key in self.executors:
            self._lost(self.connections[self._executor_conn(key)], "recovered")
            self._put_executor(key, None)


class SilenceIsCatching(Core):
    def _silence_due(self, conn: int) -> None:
        known = conn in self.connections
        super()._silence_due(conn)
        if known and conn not in self.connections:
            for other in sorted(self.connections):
                self._close(self.connections[other], 1011, "somebody was silent")


class ForgetsOnRestart(Core):
    def load(self, stored: Stored, now_ns: int, now_ms: int = 0) -> list[Effect]:
        return super().load(replace(stored, executors=()), now_ns, now_ms)


class KillsOnRestart(Core):
    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        dead = replace(executor, status=Status.DEAD, conn=None, recovery=Recovery(Phase.WAITING), dead_at_ns=None)
        super()._restore_executor(dead, gap_ns)


class NeverDiesAfterARestart(Core):
    """Who is away when the relay starts again is waited for without an end."""

    restarted = False

    def load(self, stored: Stored, now_ns: int, now_ms: int = 0) -> list[Effect]:
        self.restarted = True
        return super().load(stored, now_ns, now_ms)

    def _grace_due(self, key: ExecutorKey) -> None:
        if not self.restarted:
            super()._grace_due(key)


class CountsDowntime(Core):
    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        super()._restore_executor(executor, 0)


class WholeGraceForAll(Core):
    """Who was DISCONNECTED at the crash starts anew."""

    def _restore_executor(self, executor: Executor, gap_ns: int) -> None:
        if executor.status is Status.DISCONNECTED:
            executor = replace(executor, status=Status.HEALTHY, dead_at_ns=None, disconnected_ns=None)
        super()._restore_executor(executor, gap_ns)


class GraceByTheWallClock(Core):
    """Looks at the wall clock when the timer goes off, and at every frame."""

    def _grace_due(self, key: ExecutorKey) -> None:
        executor = self.executors.get(key)
        if executor is not None and executor.status is Status.DISCONNECTED:
            left_ns = self._grace_ns(key.application) - (self._now_ms - executor.updated_ms) * 1_000_000
            executor = replace(executor, dead_at_ns=self._now_ns + max(0, left_ns - 2_000_000))
            self._put_executor(key, executor)
        super()._grace_due(key)


@pytest.mark.parametrize(
    ("broken", "id", "clause"),
    [
        (NeverPings, "LIV-1/idle", "LIV-1"),
        (PingsOnceAWait, "LIV-1/talking", "LIV-1"),
        (NeverSilent, "LIV-3/silent-socket", "LIV-3"),
        (NeverSilent, "LIV-3/silent-from-the-start/first-connection", "LIV-3"),
        (HastyAboutSilence, "LIV-3/silent-socket", "LIV-3"),
        (SlowAboutSilence, "LIV-3/silent-socket", "LIV-3"),
        (KeepsSilentSockets, "LIV-3/closes-the-socket", "LIV-3"),
        (NeverDisconnects, "LIV-4/socket-ends/fin", "LIV-4"),
        (IgnoresPongs, "LIV-5/idle", "LIV-5"),
        (IgnoresPongs, "LIV-5/late-pongs", "LIV-5"),
        (HalfAGrace, "LIV-6/reconnect/late", "LIV-6"),
        (KeepsTheGraceTimer, "LIV-6/reconnect/half-way", "LIV-6"),
        (OverlooksTheReturned, "LIV-6/reconnect/early", "LIV-6"),
        (HalfAGrace, "LIV-7/stays-away/rst", "LIV-7"),
        (TwoGraces, "LIV-7/stays-away/close-1000", "LIV-7"),
        (TwoGraces, "LIV-7/silent", "LIV-7"),
        (GraceFromTheFirstDisconnection, "LIV-8/flapping", "LIV-8"),
        (OneGraceForAll, "LIV-9/per-application", "LIV-9"),
        (OneGraceForAll, "LIV-9/changed", "LIV-9"),
        (DemotesOnAnyClose, "LIV-11/stale-close/rst-at-once", "LIV-11"),
        (DemotesOnAnyClose, "LIV-11/stale-close/ping-wait-expiry", "LIV-11"),
        (OverlooksTheReturned, "LIV-11/crossing/fin", "LIV-11"),
        (RecoversTheSecondSocket, "LIV-12/second-socket/frozen", "LIV-12"),
        (KeepsOlderSockets, "LIV-12/second-socket/answering", "LIV-18"),
        (LocksTheReturningOut, "LIV-13/only-executor", "LIV-13"),
        (LocksTheReturningOut, "LIV-13/only-executor", "LIV-19"),
        (DeletesOnLateAcknowledgement, "LIV-13/late-acknowledgement/success", "LIV-13"),
        (SilenceIsCatching, "LIV-14/silence", "LIV-14"),
        (ForgetsOnRestart, "LIV-15/healthy/short", "LIV-15"),
        (ForgetsOnRestart, "LIV-15/dead", "LIV-15"),
        (KillsOnRestart, "LIV-15/healthy/short", "LIV-15"),
        (KillsOnRestart, "LIV-15/disconnected-returns", "LIV-15"),
        (OverlooksTheReturned, "LIV-15/disconnected-returns", "LIV-15"),
        (NeverDiesAfterARestart, "LIV-15/healthy/short", "LIV-15"),
        (NeverDiesAfterARestart, "LIV-15/disconnected/short", "LIV-15"),
        (ForgetsOnRestart, "LIV-15/disconnected-returns", "LIV-15"),
        (CountsDowntime, "LIV-15/disconnected/longer-than-the-rest", "LIV-15"),
        (WholeGraceForAll, "LIV-15/disconnected/short", "LIV-15"),
        (GraceByTheWallClock, "LIV-16/while-away/back", "LIV-16"),
    ],
)
def test_a_broken_core_fails_the_clause_that_it_breaks(broken: type[Core], id: str, clause: str) -> None:
    assert_killed(broken, id, clause)
