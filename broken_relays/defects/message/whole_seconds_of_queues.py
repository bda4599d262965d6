"""A period of one and a half seconds is none of one."""

from __future__ import annotations

from broken_relays.defect import defect
from broken_relays.frames import changed, fields_of
from reference_relay.core.core import Core
from reference_relay.core.records import Pending


@defect(
    "whole-seconds-of-queues",
    clauses=("MSG-get_queue",),
    where="core",
    summary="shows the periods of a queue in whole seconds",
)
class WholeSecondsOfQueues(Core):
    def _call_answered(self, pending: Pending, data: bytes, error_message: str | None) -> None:
        queue = fields_of(data).get("output")
        if pending.type == "get_queue" and isinstance(queue, dict):
            data = changed(data, output={k: int(v) if isinstance(v, float) else v for k, v in queue.items()})
        super()._call_answered(pending, data, error_message)
