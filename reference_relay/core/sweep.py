"""Ids that were recovered and forgotten, and may own work again (REC-25).

A falsely dead executor that still reaches the database can win a step checkpoint after its record
is gone. If it then dies for good, its work is stranded under an id that nobody watches. So the ids
are remembered, and each grace period one request asks who owns PENDING work.
"""

from __future__ import annotations

from msgspec.structs import replace

from conductor.codec import decode_response_as
from conductor.errors import DecodeError
from conductor.messages import ExistPendingWorkflowsResponse, GetWorkflowAggregatesResponse
from reference_relay.core.order import rotated
from reference_relay.core.records import (
    AppKey,
    Executor,
    ExecutorInfo,
    ExecutorKey,
    Pending,
    Phase,
    Purpose,
    Recovery,
    Remembered,
    Status,
)
from reference_relay.core.recovery import Recovering
from reference_relay.core.timers import Timer

ASKED_ONE_BY_ONE = 16  # per sweep, for executors that know no aggregates

OWNERS_OF_PENDING = {
    "body": {
        "group_by_executor_id": True,
        "group_by_application_version": True,
        "select_count": True,
        "status": ["PENDING"],
    }
}


class Sweeping(Recovering):
    """Asks each grace period which remembered ids own pending work, and recovers those again."""

    def _start_sweeping(self, app: AppKey) -> None:
        application = self.applications[app]
        if application.sweep_ns is None:
            sweep_ns = self._now_ns + self._grace_ns(app)
            self._put("applications", app, replace(application, sweep_ns=sweep_ns))
            self._arm(Timer.SWEEP, app, sweep_ns)

    def _sweep(self, app: AppKey) -> None:
        for executor_id in self.remembered_ids.get(app, ()):
            key = ExecutorKey(*app, executor_id)
            if self.remembered[key].until_ns <= self._now_ns:
                self._save_remembered(key, None)
        application = self.applications[app]
        if not self.remembered_ids.get(app):
            self._put("applications", app, replace(application, sweep_ns=None))
            return
        sweep_ns = self._now_ns + self._grace_ns(app)
        self._put("applications", app, replace(application, sweep_ns=sweep_ns))
        self._arm(Timer.SWEEP, app, sweep_ns)
        conn = self._conn_to_ask(app)
        if conn is not None:
            self._request(
                conn,
                "get_workflow_aggregates",
                OWNERS_OF_PENDING,
                Purpose.SWEEP,
                self._request_ns,
                executor=ExecutorKey(*app, ""),
            )

    def _conn_to_ask(self, app: AppKey) -> int | None:
        """Any HEALTHY executor will do; another one each time, in case one is deaf."""
        for peer in rotated(self.ready.get(app, ()), str(self.sent)):
            return self._executor_conn(ExecutorKey(*app, peer))
        return None

    def _sweep_answered(self, pending: Pending, data: bytes) -> None:
        app = pending.executor
        assert app is not None
        try:
            rows = decode_response_as(data, GetWorkflowAggregatesResponse).output or ()
        except DecodeError:
            self._sweep_failed(pending)
            return
        for row in rows:
            key = ExecutorKey(app.org, app.app, row.group.get("executor_id") or "")
            remembered = self.remembered.get(key)
            version = row.group.get("application_version")
            if remembered is not None and version in (None, remembered.application_version):
                self._recover_again(remembered)

    def _sweep_failed(self, pending: Pending) -> None:
        """No aggregates to be had: ask for a few ids one by one."""
        where = pending.executor
        assert where is not None
        if pending.type != "get_workflow_aggregates":
            return
        app = where.application
        ids = self.remembered_ids.get(app, ())
        conn = self._conn_to_ask(app)
        if conn is None:
            return
        for executor_id, _ in zip(rotated(ids, str(self.sent)), range(ASKED_ONE_BY_ONE), strict=False):
            key = ExecutorKey(*app, executor_id)
            fields = {"executor_id": executor_id, "application_version": self.remembered[key].application_version}
            self._request(conn, "exist_pending_workflows", fields, Purpose.SWEEP, self._request_ns, executor=key)

    def _sweep_one_answered(self, pending: Pending, data: bytes) -> None:
        key = pending.executor
        assert key is not None
        remembered = self.remembered.get(key)
        try:
            exist = decode_response_as(data, ExistPendingWorkflowsResponse).exist
        except DecodeError:
            return
        if exist is not True:
            return
        if key in self.executors:
            self._still_owns(key)  # also where the id is remembered no longer
        elif remembered is not None:
            self._recover_again(remembered)

    def _recover_again(self, remembered: Remembered) -> None:
        """Only for an id that is not connected and has no record (REC-25, REC-26)."""
        key = remembered.key
        if key in self.executors:
            self._still_owns(key)
            return
        executor = Executor(
            key=key,
            info=ExecutorInfo(key.executor_id, remembered.application_version, language=remembered.language),
            status=Status.DEAD,
            conn=None,
            created_ms=self._now_ms,
            updated_ms=self._now_ms,
            recovery=Recovery(Phase.WAITING, cause="remembered"),
        )
        self._save_executor(executor)
        self._log("warning", "a recovered executor owns work again", org=key.org, app=key.app, executor=key.executor_id)
        self._seek_peer(key)
