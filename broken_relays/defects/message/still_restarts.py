"""An operation of an older API is kept, with the message that it was made of."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from broken_relays.defect import defect
from conductor.messages import RestartResponse
from reference_relay.server.api.app import Api
from reference_relay.server.api.operation import ApiRequest, Operation


async def restart_workflow(request: ApiRequest) -> None:
    """As the API once had it."""
    await request.ask(RestartResponse, {"workflow_id": request.params["workflowId"]})


@defect(
    "still-restarts",
    clauses=("MSG-restart",),
    faults=(26,),
    where="server",
    summary="offers the former restart of a workflow, and sends restart for it",
)
class StillRestarts(Api):
    def operations(self) -> Mapping[str, Operation]:
        known = super().operations()
        resume = next(each for each in known.values() if each.path.endswith("{workflowId}/resume"))
        restart = replace(
            resume, name="restartWorkflow", path=resume.path.replace("/resume", "/restart"), sends=("restart",),
            body=None, audits="", handler=restart_workflow,
        )  # fmt: skip
        return {**known, restart.name: restart}
