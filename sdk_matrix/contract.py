"""The contract between a launcher and a worker program, version 2; docs/real-executors.md is its prose.

A worker gets one `Config` as a JSON file, then commands as JSON lines on its standard input, and writes `Report` lines
on its standard output: one answer a command, in order, and `Alert` whenever one comes. Its log goes to standard
error. When its standard input ends it exits at once. The workload is data (`sdk_matrix.instructions`): a workflow is
a list of instructions, written once for all languages.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

import msgspec

from sdk_matrix.errors import ContractError
from sdk_matrix.instructions import (
    Child,
    Fail,
    GetEvent,
    Instruction,
    Outcome,
    Recv,
    Send,
    SetEvent,
    Sleep,
    Step,
    WriteStream,
    expected_outcome,
    expected_output,
    least_duration_s,
    steps_of,
    walk,
)

__all__ = [
    "CONTRACT",
    "Alert",
    "Cancel",
    "Child",
    "Command",
    "Config",
    "Done",
    "Fail",
    "Fork",
    "GetEvent",
    "Instruction",
    "Outcome",
    "Queue",
    "Ready",
    "Recv",
    "Refused",
    "Report",
    "Resume",
    "Schedule",
    "Send",
    "SendMessage",
    "SetEvent",
    "Sleep",
    "Start",
    "Started",
    "Step",
    "Stop",
    "Stopped",
    "Template",
    "Unschedule",
    "Unsupported",
    "WriteStream",
    "encode",
    "expected_outcome",
    "expected_output",
    "least_duration_s",
    "read_report",
    "steps_of",
    "workflows_of",
]

CONTRACT = 2


class Queue(msgspec.Struct, frozen=True, omit_defaults=True):
    """A queue that the worker defines. A concurrency of None: no bound."""

    name: str
    worker_concurrency: int | None = None  # at once in one worker
    concurrency: int | None = None  # at once in all workers
    priority: bool = False  # starts may carry one
    polling_interval_s: float = 1.0


class Config(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker needs to know once. ``executor`` is a label for people, reported as metadata ``{"name": ...}``."""

    relay_url: str  # ws://host:port, without /websocket
    key: str
    application: str
    version: str
    system_database_url: str  # sqlite:///path or postgresql://user[:password]@host:port/database
    evidence_database: str  # path of a SQLite step ledger that exists, or postgresql://... with relayproof.step_runs
    executor: str
    queues: tuple[Queue, ...] = ()
    alert_handler: Literal["none", "record", "fails"] = "none"  # "fails" reports the alert, then raises
    metadata_only: bool = False  # the SDK's mode of telling the relay no workflow data, where it has one
    log_level: str = "WARNING"
    contract: int = CONTRACT


class Template(msgspec.Struct, frozen=True):
    """First line to a worker that is forked from a template: where its `Config` is and where its log goes."""

    config: str
    log: str


class Start(msgspec.Struct, frozen=True, kw_only=True, tag_field="do", tag="start", omit_defaults=True):
    """Start a workflow under this id, directly or through a queue. Answered by `Started`."""

    workflow: str
    instructions: tuple[Instruction, ...]
    queue: str | None = None
    deduplication_id: str | None = None  # with a queue: a second one is refused while the first has not ended
    priority: int | None = None  # with a queue that has priorities; 1 first
    timeout_s: float | None = None  # from its start; then it is CANCELLED


class Cancel(msgspec.Struct, frozen=True, tag_field="do", tag="cancel"):
    workflow: str


class Resume(msgspec.Struct, frozen=True, tag_field="do", tag="resume"):
    """Run a cancelled or dead-lettered workflow on from its last checkpoint."""

    workflow: str


class Fork(msgspec.Struct, frozen=True, tag_field="do", tag="fork"):
    """Copy a workflow under a new id, with its checkpoints before ``from_step``, and run the rest.

    ``from_step`` counts from 1 what the SDK records. Only steps are one record each in every SDK: what comes before
    ``from_step`` in a portable workload are steps.
    """

    workflow: str
    forked: str
    from_step: int = 1


class Schedule(msgspec.Struct, frozen=True, tag_field="do", tag="schedule"):
    """Create a schedule (cron with six fields, seconds first, UTC) of the workflow "scheduled": it carries out these.

    Each tick is a workflow of its own, whose id the SDK makes; a child in the instructions would have one id for all.
    """

    schedule: str
    cron: str
    instructions: tuple[Instruction, ...]


class Unschedule(msgspec.Struct, frozen=True, tag_field="do", tag="unschedule"):
    """Delete a schedule."""

    schedule: str


class SendMessage(msgspec.Struct, frozen=True, tag_field="do", tag="send"):
    """Send a text to a workflow that exists, from outside of any workflow."""

    to: str
    topic: str
    message: str


class Stop(msgspec.Struct, frozen=True, tag_field="do", tag="stop", omit_defaults=True):
    """Shut the SDK down in good order and exit with code 0; answered by `Stopped`. `Refused` and code 1: it failed to.

    Running workflows get ``drain_s`` to end, where the SDK can wait for them.
    """

    drain_s: float = 0.0


Command = Start | Cancel | Resume | Fork | Schedule | Unschedule | SendMessage | Stop


class Ready(msgspec.Struct, frozen=True, kw_only=True, tag_field="event", tag="ready"):
    """The SDK is launched: its tables exist, its queues are polled, its Conductor client dials."""

    contract: int
    language: str
    sdk_version: str
    executor_id: str  # made by the SDK at its launch, new for each process
    pid: int  # in the worker's own namespace; it leads a process group of its own where it was forked
    unsupported: dict[str, str] = {}  # "command fork", "option drain_s", "config metadata_only" ... -> the reason


class Started(msgspec.Struct, frozen=True, tag_field="event", tag="started"):
    workflow: str


class Done(msgspec.Struct, frozen=True, tag_field="event", tag="done"):
    """The SDK took another command than start. ``subject``: the workflow (a fork: the new one) or schedule."""

    do: str
    subject: str


class Refused(msgspec.Struct, frozen=True, tag_field="event", tag="refused"):
    """The SDK raised. ``workflow`` is the command's subject, as in `Done`."""

    workflow: str
    error: str
    do: str = "start"


class Unsupported(msgspec.Struct, frozen=True, tag_field="event", tag="unsupported"):
    """This SDK lacks what the command or one of its instructions asks for; nothing was started."""

    do: str
    subject: str
    what: str  # a key of `Ready.unsupported`
    reason: str


class Alert(msgspec.Struct, frozen=True, tag_field="event", tag="alert"):
    """The alert handler was called. Comes unasked, between any two answers, and only with a handler configured."""

    name: str
    message: str
    metadata: dict[str, Any]


class Stopped(msgspec.Struct, frozen=True, tag_field="event", tag="stopped"):
    pass


Report = Ready | Started | Done | Refused | Unsupported | Alert | Stopped
_REPORT: msgspec.json.Decoder[Report] = msgspec.json.Decoder(
    Ready | Started | Done | Refused | Unsupported | Alert | Stopped
)


def encode(value: Config | Template | Command) -> bytes:
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


def workflows_of(start: Start) -> Iterator[tuple[str, tuple[Instruction, ...]]]:
    """The workflow that a command starts, and all its children, with their instructions."""
    return walk(start.workflow, start.instructions)
