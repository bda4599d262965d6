"""What a launcher can ask for: one function a command. Each returns the subject that its answer names."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from dbos import DBOS, SetEnqueueOptions, SetWorkflowID, SetWorkflowTimeout

from sdk_matrix.workers.python.interpret import PORTABLE, Definitions

Command = Mapping[str, Any]


def start(command: Command, definitions: Definitions) -> str:
    queue, instructions = command.get("queue"), command["instructions"]
    with ExitStack() as options:
        options.enter_context(SetWorkflowID(command["workflow"]))
        if (timeout_s := command.get("timeout_s")) is not None:
            options.enter_context(SetWorkflowTimeout(timeout_s))
        if queue is None:
            DBOS.start_workflow(definitions.interpret, instructions)
        else:
            enqueue = SetEnqueueOptions(
                deduplication_id=command.get("deduplication_id"), priority=command.get("priority")
            )
            options.enter_context(enqueue)
            DBOS.enqueue_workflow(queue, definitions.interpret, instructions)
    return str(command["workflow"])


def cancel(command: Command, definitions: Definitions) -> str:
    DBOS.cancel_workflow(command["workflow"])
    return str(command["workflow"])


def resume(command: Command, definitions: Definitions) -> str:
    DBOS.resume_workflow(command["workflow"])
    return str(command["workflow"])


def fork(command: Command, definitions: Definitions) -> str:
    with SetWorkflowID(command["forked"]):
        DBOS.fork_workflow(command["workflow"], command.get("from_step", 1))  # this SDK counts from 1, too
    return str(command["forked"])


def schedule(command: Command, definitions: Definitions) -> str:
    DBOS.create_schedule(
        schedule_name=command["schedule"],
        workflow_fn=definitions.scheduled,
        schedule=command["cron"],
        context=command["instructions"],
    )
    return str(command["schedule"])


def unschedule(command: Command, definitions: Definitions) -> str:
    DBOS.delete_schedule(command["schedule"])
    return str(command["schedule"])


def send(command: Command, definitions: Definitions) -> str:
    DBOS.send(command["to"], command["message"], command["topic"], serialization_type=PORTABLE)
    return str(command["to"])


def stop(command: Command) -> None:
    DBOS.destroy(workflow_completion_timeout_sec=math.ceil(command.get("drain_s", 0)))


COMMANDS: dict[str, Callable[[Command, Definitions], str]] = {
    "start": start, "cancel": cancel, "resume": resume, "fork": fork, "schedule": schedule, "unschedule": unschedule,
    "send": send,
}  # fmt: skip
SUBJECTS = {"fork": "forked", "schedule": "schedule", "unschedule": "schedule", "send": "to"}  # others: workflow
