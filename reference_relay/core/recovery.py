"""Recovery of DEAD executors: whom to ask, one at a time, until the work has moved (REC-1 to REC-27)."""

from __future__ import annotations

from msgspec.structs import replace

from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from conductor.messages import ListApplicationVersionsResponse, RecoveryResponse
from reference_relay.core.order import rotated
from reference_relay.core.records import AppKey, Executor, ExecutorKey, Pending, Phase, Purpose, Status
from reference_relay.core.state import Group
from reference_relay.core.verification import Verifying

LATE_KEPT = 16
"""Frames past their deadline whose answers still count, for each dead executor. A peer that answers pings and nothing
else adds one each round, for as long as it lives."""


class Recovering(Verifying):
    """Looks for a peer, asks it, and goes on to the next one when it fails."""

    # ---- looking for a peer

    def _seek_peer(self, key: ExecutorKey) -> None:
        """Ask the next candidate, or wait. Does nothing while a frame for this executor is out (REC-10)."""
        executor = self.executors[key]
        recovery = executor.recovery
        assert executor.status is Status.DEAD and recovery is not None, f"{key} is not DEAD"
        if recovery.phase in (Phase.DISPATCHED, Phase.VERIFYING):
            return
        candidates = self._candidates(executor)
        peer = self._choose(executor, candidates, recovery.asked)
        if peer is not None:
            self._dispatch(executor, peer)
        elif candidates:
            self._back_off(key)
        elif self.applications[key.application].settings.recover_to_latest_version:
            self._seek_latest(executor)
        else:
            self._wait_for_peer(executor, self._nobody(executor))

    def _candidates(self, dead: Executor) -> tuple[ExecutorKey, ...]:
        """HEALTHY executors of the same organisation, application, version and language, sorted."""
        group = Group(*dead.key.application, dead.info.application_version, dead.info.language)
        return tuple(ExecutorKey(dead.key.org, dead.key.app, peer) for peer in self.peers.get(group, ()))

    def _choose(
        self, dead: Executor, candidates: tuple[ExecutorKey, ...], asked: tuple[str, ...]
    ) -> ExecutorKey | None:
        """Of those not yet asked in this round, one with the fewest recoveries under way (REC-18)."""
        best: tuple[int, ExecutorKey] | None = None
        for peer in rotated(candidates, dead.key.executor_id):
            if peer.executor_id in asked:
                continue
            load = self._recoveries_at(peer)
            if load == 0:
                return peer
            if best is None or load < best[0]:
                best = (load, peer)
        return best[1] if best else None

    def _recoveries_at(self, peer: ExecutorKey) -> int:
        outstanding = self._requests_on(self._executor_conn(peer))
        return sum(1 for pending in outstanding if pending.purpose in (Purpose.RECOVERY, Purpose.VERIFY))

    def _nobody(self, dead: Executor) -> str:
        info = dead.info
        return f"no healthy executor of version {info.application_version} and language {info.language}"

    # ---- asking

    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        """Send the recovery frame, after its audit entry: durable before the frame leaves (AUD-5)."""
        assert dead.recovery is not None
        recovery = dead.recovery
        attempt = recovery.attempt + 1
        self._audit(
            "executor.dispatch_recovery",
            dead.key,
            applicationVersion=dead.info.application_version,
            language=dead.info.language,
            peerExecutorId=peer.executor_id,
            attempt=attempt,
            cause=recovery.cause,
        )
        pending = self._request(
            self._executor_conn(peer),
            "recovery",
            {"executor_ids": self._ids_to_recover(dead)},
            Purpose.RECOVERY,
            self._recovery_ns,
            executor=dead.key,
            attempt=attempt,
        )
        self._progress(
            dead.key,
            replace(
                recovery,
                phase=Phase.DISPATCHED,
                attempt=attempt,
                checks=0,
                due_ns=None,
                peer=peer.executor_id,
                request_id=pending.request_id,
                asked=(*recovery.asked, peer.executor_id),
                tried_latest=(*recovery.tried_latest, peer.executor_id) if latest else recovery.tried_latest,
            ),
        )

    def _ids_to_recover(self, dead: Executor) -> list[str]:
        """Exactly the dead executor (REC-1)."""
        return [dead.key.executor_id]

    # ---- answers

    def _recovery_answered(self, pending: Pending, data: bytes) -> None:
        """The answer to a recovery frame, in time or late."""
        key = pending.executor
        assert key is not None
        try:
            response = decode_response_as(data, RecoveryResponse)
        except DecodeError as error:
            self._dispatch_failed(pending, "refused", str(error))
            return
        error_message = response.error_message if isinstance(response.error_message, str) else ""
        if response.success is not True or error_message:
            self._dispatch_failed(pending, "refused", error_message or "success: false")
            return
        late = pending.due_ns < self._now_ns
        self._audit_end(pending, "late success" if late else "success")
        recovery = self._recovery_of(key)
        if pending.moot or (recovery is not None and recovery.phase is Phase.VERIFYING):
            return  # the question that is out has its answer coming: another one must not take its place
        self._verify(key, pending.conn)

    def _dispatch_failed(self, pending: Pending, result: str, error: str | None = None) -> None:
        """Audit the end and ask the next candidate at once (REC-7, REC-8, REC-9)."""
        key = pending.executor
        assert key is not None
        late = pending.due_ns < self._now_ns
        self._audit_end(pending, f"late {result}" if late and result == "refused" else result, error)
        recovery = self._recovery_of(key)
        if pending.moot or recovery is None or recovery.request_id != pending.request_id:
            return
        late_ids = (*recovery.late, pending.request_id) if result == "timeout" else recovery.late
        self._forget_late(late_ids[:-LATE_KEPT])
        self._progress(key, replace(recovery, phase=Phase.WAITING, request_id=None, late=late_ids[-LATE_KEPT:]))
        self._seek_peer(key)

    def _audit_end(self, pending: Pending, result: str, error: str | None = None) -> None:
        key = pending.executor
        assert key is not None
        self._audit(
            "executor.recover",
            key,
            success=result in ("success", "late success"),
            peerExecutorId=pending.peer,
            attempt=pending.attempt,
            result=result,
            error=error[:500] if error else None,
            executorReturned=True if pending.moot else None,
        )

    # ---- the latest version (REC-14)

    def _seek_latest(self, dead: Executor) -> None:
        """No peer of its version, and the settings allow the latest one: each such executor is asked once."""
        assert dead.recovery is not None
        latest = self.applications[dead.key.application].latest_version
        if latest is None:
            self._wait_for_peer(dead, self._nobody(dead))
            self._ask_versions(dead)
            return
        group = Group(*dead.key.application, latest, dead.info.language)
        peers = tuple(ExecutorKey(dead.key.org, dead.key.app, peer) for peer in self.peers.get(group, ()))
        peer = self._choose(dead, peers, dead.recovery.tried_latest)
        if peer is None:
            self._wait_for_peer(dead, f"{self._nobody(dead)}; every executor of the latest version was asked")
        else:
            self._dispatch(dead, peer, latest=True)

    def _ask_versions(self, dead: Executor) -> None:
        """Which version is the latest: any executor of the application can tell."""
        for peer in rotated(self.ready.get(dead.key.application, ()), dead.key.executor_id):
            conn = self._executor_conn(ExecutorKey(dead.key.org, dead.key.app, peer))
            if not any(pending.purpose is Purpose.VERSIONS for pending in self._requests_on(conn)):
                self._request(
                    conn, "list_application_versions", {}, Purpose.VERSIONS, self._request_ns, executor=dead.key
                )
            return

    def _versions_answered(self, pending: Pending, data: bytes) -> None:
        key = pending.executor
        assert key is not None
        try:
            answer = decode_response_as(data, ListApplicationVersionsResponse)
        except DecodeError:
            return
        versions = answer.output
        if versions and not answer.error_message:
            latest = max(versions, key=lambda version: (version.version_timestamp, version.version_name))
            self._set_latest(key.application, latest.version_name)

    def _set_latest(self, app: AppKey, version: str) -> None:
        """Learnt from an answer; not stored, since it changes elsewhere."""
        application = self.applications[app]
        if application.latest_version != version:
            self._put("applications", app, replace(application, latest_version=version))
            self._seek_soon(app, 0)
