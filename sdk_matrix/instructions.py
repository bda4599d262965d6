"""What a workflow does, as data: instructions, and the one outcome that a list of them can have, whoever runs it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal

import msgspec

__all__ = [
    "Child",
    "Fail",
    "GetEvent",
    "Instruction",
    "Outcome",
    "Recv",
    "Send",
    "SetEvent",
    "Sleep",
    "Step",
    "WriteStream",
    "expected_outcome",
    "expected_output",
    "least_duration_s",
    "steps_of",
    "walk",
]


class Step(msgspec.Struct, frozen=True, tag_field="op", tag="step"):
    """One durable step that takes ``duration_s`` and returns ``payload_bytes``. Names are unique in a workflow.

    Its first ``fails_times`` attempts in each execution raise at once, then the SDK's own retry runs it again.
    """

    name: str
    duration_s: float = 0.0
    payload_bytes: int = 0
    fails_times: int = 0


class Sleep(msgspec.Struct, frozen=True, tag_field="op", tag="sleep"):
    """The SDK's own durable sleep: the time of waking is recorded, a recovered workflow sleeps the rest."""

    duration_s: float


class Child(msgspec.Struct, frozen=True, tag_field="op", tag="child"):
    """Start a child workflow under this id, directly or through a queue, and wait for its result."""

    workflow: str
    instructions: tuple[Instruction, ...]
    queue: str | None = None


class Send(msgspec.Struct, frozen=True, tag_field="op", tag="send"):
    """Send a text to a workflow that exists, under a topic."""

    to: str
    topic: str
    message: str


class Recv(msgspec.Struct, frozen=True, tag_field="op", tag="recv"):
    """Wait for a message under a topic. ``expects`` is what the author of the workload sends; null: nothing comes.

    Workers ignore ``expects``: it is there for the expected result.
    """

    topic: str
    timeout_s: float = 60.0
    expects: str | None = None


class SetEvent(msgspec.Struct, frozen=True, tag_field="op", tag="set_event"):
    """Publish a text as this workflow's event."""

    key: str
    value: str


class GetEvent(msgspec.Struct, frozen=True, tag_field="op", tag="get_event"):
    """Wait for an event of a workflow. ``expects`` as with `Recv`."""

    workflow: str
    key: str
    timeout_s: float = 60.0
    expects: str | None = None


class WriteStream(msgspec.Struct, frozen=True, tag_field="op", tag="write_stream"):
    """Write texts into this workflow's stream, in order. It stays open until the workflow ends."""

    key: str
    values: tuple[str, ...]


class Fail(msgspec.Struct, frozen=True, tag_field="op", tag="fail"):
    """Raise an error with this message: the workflow's expected end is ERROR."""

    message: str


Instruction = Step | Sleep | Child | Send | Recv | SetEvent | GetEvent | WriteStream | Fail


class Outcome(msgspec.Struct, frozen=True, omit_defaults=True):
    """How a workflow must end. ``output`` counts with SUCCESS, ``error`` (the message) with ERROR."""

    status: Literal["SUCCESS", "ERROR", "CANCELLED"]
    output: list[Any] | None = None
    error: str | None = None


def expected_outcome(
    instructions: Sequence[Instruction], *, cancelled: bool = False, timeout_s: float | None = None
) -> Outcome:
    """The one lawful end of a workflow. ``cancelled``: the launcher cancels it before it can end.

    A timeout counts where the instructions alone take longer; whoever sets one leaves a margin on either side.
    """
    if cancelled or (timeout_s is not None and least_duration_s(instructions) > timeout_s):
        return Outcome("CANCELLED")
    for instruction in instructions:
        if isinstance(instruction, Fail):
            return Outcome("ERROR", error=instruction.message)
    return Outcome("SUCCESS", output=expected_output(instructions))


def expected_output(instructions: Sequence[Instruction]) -> list[Any]:
    """The one result that a workflow of these instructions can have, whoever runs it and how often.

    A step gives ``[name, payload_bytes]``; a child its own list of results, or ``{"error": message}`` where it fails;
    recv and get_event give the text or null; all others null.
    """
    return [_result(instruction) for instruction in instructions]


def _result(instruction: Instruction) -> Any:
    match instruction:
        case Step(name=name, payload_bytes=size):
            return [name, size]
        case Child(instructions=inner):
            outcome = expected_outcome(inner)
            return outcome.output if outcome.status == "SUCCESS" else {"error": outcome.error}
        case Recv(expects=text) | GetEvent(expects=text):
            return text
        case _:
            return None


def least_duration_s(instructions: Sequence[Instruction]) -> float:
    """Seconds that steps, sleeps and unanswered waits take at least, children included."""
    total_s = 0.0
    for instruction in instructions:
        match instruction:
            case Step(duration_s=own_s) | Sleep(duration_s=own_s):
                total_s += own_s
            case Recv(timeout_s=own_s, expects=None) | GetEvent(timeout_s=own_s, expects=None):
                total_s += own_s
            case Child(instructions=inner):
                total_s += least_duration_s(inner)
            case Fail():
                break
            case _:
                pass
    return total_s


def steps_of(instructions: Sequence[Instruction]) -> tuple[str, ...]:
    """Names of the workflow's own steps that are reached, in order."""
    names: list[str] = []
    for instruction in instructions:
        if isinstance(instruction, Fail):
            break
        if isinstance(instruction, Step):
            names.append(instruction.name)
    return tuple(names)


def walk(workflow: str, instructions: tuple[Instruction, ...]) -> Iterator[tuple[str, tuple[Instruction, ...]]]:
    """The workflow and all its children that are reached, with their instructions, depth first."""
    yield workflow, instructions
    for instruction in instructions:
        if isinstance(instruction, Fail):
            break
        if isinstance(instruction, Child):
            yield from walk(instruction.workflow, instruction.instructions)
