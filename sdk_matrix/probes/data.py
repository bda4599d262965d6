"""Real data behind the message rows: workflows in every state that a relay can ask about, made by the SDK itself."""

from __future__ import annotations

from sdk_matrix.contract import (
    Cancel,
    Child,
    Fail,
    Instruction,
    Recv,
    Refused,
    Schedule,
    SendMessage,
    SetEvent,
    Sleep,
    Start,
    Step,
    Unsupported,
    WriteStream,
)
from sdk_matrix.probes.bench import Bench, Executor, ProbeFailed

__all__ = ["SCHEDULE", "TERMINAL", "prepare"]

SCHEDULE = "nightly"
TERMINAL = ("SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED")
_WAIT = Recv(topic="never", timeout_s=3600.0)
_FULL: tuple[Instruction, ...] = (
    Step("first", payload_bytes=8),
    SetEvent("progress", "half"),
    WriteStream("lines", ("one", "two")),
    Recv(topic="go", timeout_s=120.0, expects="now"),
    Child("full-child", (Step("inner"),)),
    Sleep(0.05),
    Step("last", fails_times=1),
)
_SHORT: tuple[Instruction, ...] = (Step("only"), Step("second"))


async def prepare(bench: Bench, executor: Executor) -> None:
    """Start all of it and wait until it stands. Raises `ProbeFailed`."""
    starts = [
        Start(workflow="full", instructions=_FULL),
        Start(workflow="failed", instructions=(Step("before"), Fail("planned"))),
        *(Start(workflow=name, instructions=_SHORT) for name in ("moved", "restarted", "rewound", "deleted", "forked")),
        *(Start(workflow=name, instructions=(Step("only"), _WAIT)) for name in ("pending", "to-cancel", "cancelled")),
        Start(workflow="holder", instructions=(_WAIT,), queue="single"),
        Start(workflow="waiting", instructions=(Step("only"),), queue="single"),
        Start(workflow="queued", instructions=(Step("only"),), queue="wide"),
    ]
    for start in starts:
        _granted(await executor.ask(start))
    _granted(await executor.ask(SendMessage(to="full", topic="go", message="now")))
    for name in ("full", "moved", "restarted", "rewound", "deleted", "forked", "queued"):
        await bench.status(name, "SUCCESS", within_s=180.0)
    await bench.status("failed", "ERROR")
    await bench.status("pending", "PENDING")
    _granted(await executor.ask(Cancel("cancelled")))
    _granted(await executor.ask(Schedule(SCHEDULE, "0 0 3 * * *", (Step("tick"),))))


def _granted(report: object) -> None:
    if isinstance(report, Refused | Unsupported):
        raise ProbeFailed(f"the data behind the messages: {report}")
