"""After a peer's success: is the work really gone, and may the record go (REC-6, REC-21, REC-25)."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec.structs import replace

from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from conductor.messages import ExistPendingWorkflowsResponse
from reference_relay.core.effects import Save
from reference_relay.core.order import rotated
from reference_relay.core.records import Executor, ExecutorKey, Pending, Phase, Purpose, Recovery, Remembered, Status
from reference_relay.core.waiting import Waiting

MOST_CHECKS = 2  # further executors that are asked when one answers with an error: the record must not stay for long


class Verifying(Waiting):
    """Asks exist_pending_workflows, deletes the record, remembers the id."""

    # ---- verification (REC-6, REC-21)

    def _verify(self, key: ExecutorKey, conn: int) -> None:
        """Success proves little: ask whether the dead executor still owns PENDING work."""
        executor = self.executors.get(key)
        if executor is None or executor.status is not Status.DEAD or executor.recovery is None:
            return
        recovery = executor.recovery
        if recovery.phase is Phase.DISPATCHED and recovery.request_id in self.pending:
            # A late success while another peer is being asked: that one's answer changes nothing any more.
            self._make_moot(str(recovery.request_id))
        pending = self._request(
            conn,
            "exist_pending_workflows",
            {"executor_id": key.executor_id, "application_version": executor.info.application_version},
            Purpose.VERIFY,
            self._request_ns,
            executor=key,
            attempt=recovery.attempt,
        )
        self._progress(key, replace(recovery, phase=Phase.VERIFYING, due_ns=None, request_id=pending.request_id))

    def _verified(self, pending: Pending, data: bytes) -> None:
        key = pending.executor
        assert key is not None
        try:
            answer = decode_response_as(data, ExistPendingWorkflowsResponse)
        except DecodeError:
            self._verification_failed(pending, answered=True)
            return
        recovery = self._recovery_of(key)
        if answer.exist is True:
            self._still_owns(key)
        elif recovery is None or recovery.request_id != pending.request_id:
            return
        elif answer.exist is False and not answer.error_message:
            self._delete_recovered(key, verified=True)
        else:
            self._verification_failed(pending, answered=True)

    def _still_owns(self, key: ExecutorKey) -> None:
        """A yes counts while the executor is being verified, whichever question it answers: rather twice than never."""
        recovery = self._recovery_of(key)
        if recovery is not None and recovery.phase is Phase.VERIFYING:
            self._work_left(key, recovery)

    def _work_left(self, key: ExecutorKey, recovery: Recovery) -> None:
        """The answer is yes: keep the record, say so, try again after the backoff."""
        self._progress(key, replace(recovery, phase=Phase.WAITING, request_id=None))
        self._surface(key, "a peer reported success, but the executor still owns pending workflows")
        if recovery.peer in recovery.tried_latest:
            self._seek_peer(key)  # each candidate of the latest version is asked once
        else:
            self._back_off(key)
            self._go_on_with_others(key, recovery.asked)

    def _go_on_with_others(self, key: ExecutorKey, asked: tuple[str, ...]) -> None:
        """A peer that reports success and does nothing must not hide those that were not asked yet."""
        recovery = self._recovery_of(key)
        if recovery is not None and any(p.executor_id not in asked for p in self._candidates(self.executors[key])):
            self._progress(key, replace(recovery, asked=asked))

    def _verification_failed(self, pending: Pending, *, peer_lost: bool = False, answered: bool = False) -> None:
        """This one could not say. Another executor on the same database may; without one the success stands (REC-6)."""
        key = pending.executor
        assert key is not None
        recovery = self._recovery_of(key)
        if recovery is None or recovery.request_id != pending.request_id:
            return
        others = tuple(peer for peer in self.ready.get(key.application, ()) if peer != pending.peer)
        if others and (peer_lost or (answered and recovery.checks < MOST_CHECKS)):
            self._progress(key, replace(recovery, checks=min(recovery.checks + 1, MOST_CHECKS)))
            peer = next(rotated(others, f"{key.executor_id} {recovery.checks}"))
            self._verify(key, self._executor_conn(ExecutorKey(key.org, key.app, peer)))
        elif peer_lost:
            self._progress(key, replace(recovery, phase=Phase.WAITING, request_id=None))
            self._seek_peer(key)
        else:
            self._delete_recovered(key, verified=False)

    # ---- the end of a recovery

    def _delete_recovered(self, key: ExecutorKey, *, verified: bool) -> None:
        """Forget the record, remember the id (REC-6, REC-25, AUD-2)."""
        executor = self.executors[key]
        assert executor.recovery is not None
        self._forget_late(executor.recovery.late)
        self._audit(
            "executor.delete", key, reason="recovered", peerExecutorId=executor.recovery.peer, verified=verified
        )
        self._put_executor(key, None)
        self._emit(Save(key, None, "executors"))
        self._remember(executor)

    def _remember(self, executor: Executor) -> None:
        record = Remembered(
            key=executor.key,
            application_version=executor.info.application_version,
            language=executor.info.language,
            until_ns=self._now_ns + self._remember_ns,
        )
        self._save_remembered(executor.key, record)
        self._start_sweeping(executor.key.application)

    def _forget_late(self, request_ids: Iterable[str]) -> None:
        for request_id in request_ids:
            if (pending := self.late.get(request_id)) is not None:
                self._settle(pending)

    def _make_moot(self, request_id: str) -> None:
        """Its answer will be audited and change nothing."""
        pending = self.pending.get(request_id)
        if pending is not None:
            self._put("pending", request_id, replace(pending, moot=True))
