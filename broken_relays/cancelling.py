"""For defects that have workflows cancelled: nobody asked for that."""

from __future__ import annotations

from typing import Any

from conductor.codec import decode_response_as
from conductor.messages import ListWorkflowsResponse
from reference_relay.core.core import Core
from reference_relay.core.records import ExecutorKey, Pending, Purpose


class Cancelling(Core):
    def _cancel_unfinished(self, peer: ExecutorKey, dead: ExecutorKey, **filters: Any) -> None:
        """Ask the peer for all workflows that have not ended and match ``filters``, then to cancel each."""
        body = {"status": ["PENDING", "ENQUEUED"], "load_input": False, "load_output": False, **filters}
        conn = self._executor_conn(peer)
        self._request(conn, "list_workflows", {"body": body}, Purpose.CALL, self._request_ns, executor=dead)

    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        super()._call_answered(pending, data, error_message)
        if pending.executor is None or pending.type != "list_workflows":
            return
        for workflow in decode_response_as(data, ListWorkflowsResponse).output or ():
            fields = {"workflow_id": workflow.WorkflowUUID}
            self._request(pending.conn, "cancel", fields, Purpose.CALL, self._request_ns)
