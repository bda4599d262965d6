"""The workflow definitions: they carry out a list of instructions and return a list of results."""

from __future__ import annotations

import itertools
import time
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from dbos import DBOS, PortableWorkflowError, SetWorkflowID, WorkflowSerializationFormat

from sdk_matrix.workers.python.ledger import Evidence

PORTABLE = WorkflowSerializationFormat.PORTABLE
_RETRY_S = 0.05


class PlannedFailure(Exception):
    """What a failing instruction raises."""


class Definitions(NamedTuple):
    interpret: Callable[[list[dict[str, Any]]], list[Any]]
    scheduled: Callable[[datetime, Any], None]


def define(evidence: Evidence) -> Definitions:
    """Register them with the SDK."""

    def step_body(workflow: str, run: int, retries: Iterator[int], instruction: dict[str, Any]) -> dict[str, Any]:
        step, retry = instruction["name"], next(retries)
        attempt = evidence.attempt(workflow, step)
        evidence.add("begin", workflow, step, attempt, run=run, retry=retry)
        if retry <= instruction.get("fails_times", 0):
            evidence.add("end", workflow, step, attempt, run=run, retry=retry, failed=True)
            raise PlannedFailure(f"planned failure {retry} of step {step}")
        time.sleep(instruction.get("duration_s", 0))
        evidence.add("end", workflow, step, attempt, run=run, retry=retry)
        return {"step": step, "payload": "x" * instruction.get("payload_bytes", 0)}

    def perform(workflow: str, run: int, instruction: dict[str, Any]) -> Any:
        match instruction["op"]:
            case "step":
                done = DBOS.run_step(
                    {
                        "name": instruction["name"],
                        "retries_allowed": instruction.get("fails_times", 0) > 0,
                        "max_attempts": instruction.get("fails_times", 0) + 1,
                        "interval_seconds": _RETRY_S,
                        "backoff_rate": 1.0,
                    },
                    step_body, workflow, run, itertools.count(1), instruction,
                )  # fmt: skip
                return [done["step"], len(done["payload"])]
            case "sleep":
                DBOS.sleep(instruction["duration_s"])
            case "child":
                with SetWorkflowID(instruction["workflow"]):
                    if (queue := instruction.get("queue")) is not None:
                        child = DBOS.enqueue_workflow(queue, interpret, instruction["instructions"])
                    else:
                        child = DBOS.start_workflow(interpret, instruction["instructions"])
                try:
                    return child.get_result()
                except (PlannedFailure, PortableWorkflowError) as problem:
                    return {"error": str(problem)}
            case "send":
                to, message, topic = instruction["to"], instruction["message"], instruction["topic"]
                DBOS.send(to, message, topic, serialization_type=PORTABLE)
            case "recv":
                return DBOS.recv(instruction["topic"], timeout_seconds=instruction.get("timeout_s", 60))
            case "set_event":
                DBOS.set_event(instruction["key"], instruction["value"], serialization_type=PORTABLE)
            case "get_event":
                key, timeout_s = instruction["key"], instruction.get("timeout_s", 60)
                return DBOS.get_event(instruction["workflow"], key, timeout_seconds=timeout_s)
            case "write_stream":
                for value in instruction["values"]:
                    DBOS.write_stream(instruction["key"], value, serialization_type=PORTABLE)
            case "fail":
                raise PlannedFailure(instruction["message"])
            case other:
                raise ValueError(f"workflow {workflow}: unknown instruction {other!r}")
        return None

    def carry_out(instructions: list[dict[str, Any]]) -> list[Any]:
        workflow = DBOS.workflow_id
        assert workflow is not None, "a workflow body runs within a workflow"
        evidence.executor_id = evidence.executor_id or DBOS.executor_id  # kept: a shutdown resets the SDK's
        run = evidence.run(workflow)
        return [perform(workflow, run, instruction) for instruction in instructions]

    @DBOS.workflow(name="interpret", serialization_type=PORTABLE)
    def interpret(instructions: list[dict[str, Any]]) -> list[Any]:
        return carry_out(instructions)

    @DBOS.workflow(name="scheduled", serialization_type=PORTABLE)
    def scheduled(at: datetime, context: Any) -> Any:
        return carry_out(context)

    return Definitions(interpret, scheduled)
