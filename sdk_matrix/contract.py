"""The contract between a launcher and a worker program, version 1; docs/real-executors.md is its prose.

A worker gets one `Config` as a JSON file, then `Start` and `Stop` commands as JSON lines on its standard input, and
writes `Report` lines on its standard output. Its log goes to standard error. When its standard input
ends it exits at once. The workload is data: a workflow is a list of instructions, written once for all languages.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from sdk_matrix.errors import ContractError

__all__ = [
    "CONTRACT",
    "Child",
    "Config",
    "Instruction",
    "Queue",
    "Ready",
    "Refused",
    "Report",
    "Sleep",
    "Start",
    "Started",
    "Step",
    "Stop",
    "Stopped",
    "Template",
    "encode",
    "expected_output",
    "read_report",
    "steps_of",
    "workflows_of",
]

CONTRACT = 1


class Step(msgspec.Struct, frozen=True, tag_field="op", tag="step"):
    """One durable step that takes ``duration_s`` and returns ``payload_bytes``. Names are unique in a workflow."""

    name: str
    duration_s: float = 0.0
    payload_bytes: int = 0


class Sleep(msgspec.Struct, frozen=True, tag_field="op", tag="sleep"):
    """The SDK's own durable sleep: the time of waking is recorded, a recovered workflow sleeps the rest."""

    duration_s: float


class Child(msgspec.Struct, frozen=True, tag_field="op", tag="child"):
    """Start a child workflow under this id and wait for its result."""

    workflow: str
    instructions: tuple[Step | Sleep | Child, ...]


Instruction = Step | Sleep | Child


class Queue(msgspec.Struct, frozen=True, omit_defaults=True):
    """A queue that the worker defines. ``worker_concurrency`` None: no bound."""

    name: str
    worker_concurrency: int | None = None
    polling_interval_s: float = 1.0


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker needs to know once. ``executor`` is a label for people, reported as metadata ``{"name": ...}``."""

    relay_url: str  # ws://host:port, without /websocket
    key: str
    application: str
    version: str
    system_database_url: str
    evidence_database: str  # path of the step ledger, a SQLite file that exists
    executor: str
    queues: tuple[Queue, ...] = ()
    log_level: str = "WARNING"
    contract: int = CONTRACT


class Template(msgspec.Struct, frozen=True):
    """First line to a worker that is forked from a template: where its `Config` is and where its log goes."""

    config: str
    log: str


class Start(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag="start"):
    """Start a workflow under this id, directly or through a queue. Answered by `Started` or `Refused`."""

    workflow: str
    instructions: tuple[Instruction, ...]
    queue: str | None = None


class Stop(msgspec.Struct, frozen=True, tag_field="do", tag="stop"):
    """Shut the SDK down in good order without waiting for running workflows, then exit. Answered by `Stopped`."""


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="ready"):
    """The SDK is launched: its tables exist, its queues are polled, its Conductor client dials."""

    contract: int
    language: str
    sdk_version: str
    executor_id: str  # made by the SDK at its launch, new for each process
    pid: int  # in the worker's own namespace; it leads a process group of its own where it was forked


class Started(msgspec.Struct, frozen=True, tag_field="event", tag="started"):
    workflow: str


class Refused(msgspec.Struct, frozen=True, tag_field="event", tag="refused"):
    workflow: str
    error: str


class Stopped(msgspec.Struct, frozen=True, tag_field="event", tag="stopped"):
    pass


Report = Ready | Started | Refused | Stopped
_REPORT: msgspec.json.Decoder[Report] = msgspec.json.Decoder(Ready | Started | Refused | Stopped)


def encode(value: Config | Template | Start | Stop) -> bytes:
    """The value as one JSON line, without its newline."""
    return msgspec.json.encode(value)


def read_report(line: bytes) -> Report:
    """Decode one line of a worker's standard output. Raises `ContractError`."""
    try:
        report = _REPORT.decode(line)
    except msgspec.DecodeError as problem:
        said = f"a worker wrote {line[:200]!r}, which is no report of contract {CONTRACT}: {problem}"
        raise ContractError(said) from None
    if isinstance(report, Ready) and report.contract != CONTRACT:
        raise ContractError(f"a worker speaks contract {report.contract}, this launcher speaks {CONTRACT}")
    return report


def expected_output(instructions: Sequence[Instruction]) -> list[Any]:
    """The one result that a workflow of these instructions can have, whoever runs it and how often.

    A step gives ``[name, payload_bytes]``, a sleep null, a child its own list of results.
    """
    results: list[Any] = []
    for instruction in instructions:
        match instruction:
            case Step(name=name, payload_bytes=size):
                results.append([name, size])
            case Sleep():
                results.append(None)
            case Child(instructions=inner):
                results.append(expected_output(inner))
    return results


def workflows_of(start: Start) -> Iterator[tuple[str, tuple[Instruction, ...]]]:
    """The workflow that a command starts, and all its children, with their instructions."""

    def walk(workflow: str, instructions: tuple[Instruction, ...]) -> Iterator[tuple[str, tuple[Instruction, ...]]]:
        yield workflow, instructions
        for instruction in instructions:
            if isinstance(instruction, Child):
                yield from walk(instruction.workflow, instruction.instructions)

    return walk(start.workflow, start.instructions)


def steps_of(instructions: Sequence[Instruction]) -> tuple[str, ...]:
    """Names of the workflow's own steps, in order."""
    return tuple(instruction.name for instruction in instructions if isinstance(instruction, Step))
