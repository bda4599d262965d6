"""The dead executor's work comes to an end, only not to its own."""

from __future__ import annotations

from broken_relays.defect import defect
from conductor.codec import decode_response_as
from conductor.messages import ListWorkflowsResponse
from reference_relay.core.core import Core
from reference_relay.core.records import Executor, ExecutorKey, Pending, Purpose


@defect(
    "cancels-instead",
    clauses=("OUT-2", "OUT-3"),
    where="core",
    summary="has the workflows of a dead executor cancelled instead of recovered",
)
class CancelsInstead(Core):
    def _dispatch(self, dead: Executor, peer: ExecutorKey, *, latest: bool = False) -> None:
        wanted = {"executor_id": [dead.key.executor_id], "status": ["PENDING", "ENQUEUED"]}
        body = {**wanted, "load_input": False, "load_output": False}
        conn = self._executor_conn(peer)
        self._request(conn, "list_workflows", {"body": body}, Purpose.CALL, self._request_ns, executor=dead.key)
        self._delete_recovered(dead.key, verified=False)

    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        if pending.executor is None:
            super()._call_answered(pending, data, error_message)
            return
        for workflow in decode_response_as(data, ListWorkflowsResponse).output or ():
            self._request(
                pending.conn, "cancel", {"workflow_id": workflow.WorkflowUUID}, Purpose.CALL, self._request_ns
            )
