"""A caller can't tell an empty application from a broken one."""

from __future__ import annotations

from msgspec.structs import replace

from broken_relays.defect import defect
from reference_relay.core.core import Core
from reference_relay.core.effects import CallDone, Outcome
from reference_relay.core.records import CallState


@defect(
    "no-executor-is-a-failure",
    clauses=("ENV-9",),
    where="core",
    summary="answers as if executors had failed where there is none",
)
class NoExecutorIsAFailure(Core):
    def _finish(self, call: CallState, done: CallDone) -> None:
        if done.outcome is Outcome.NO_EXECUTOR:
            done = replace(done, outcome=Outcome.FAILED, error="all failed")
        super()._finish(call, done)
