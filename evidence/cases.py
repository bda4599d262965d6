"""Cases: everything that a real run knows about one workflow, put together for the judge.

A `Ledger` event of source "cases" has rows ``{"case": TEXT}``; the text is one `Case` as a JSON array. Text in JSON, as
in a `Frame`: a hundred thousand of them stay small in memory and each is decoded only while it is judged.

Times are microseconds of the wall clock of one host, which stamps the status log and the step ledger alike. Order
within the status log is that of its sequence ``seq``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from evidence.events import Ledger
from evidence.history import History, Recorder

__all__ = ["SOURCE", "Case", "Change", "Checkpoint", "Execution", "Promise", "cases_of", "record"]

SOURCE = "cases"
_BATCH = 200


class Promise(msgspec.Struct, frozen=True, array_like=True):
    """What the harness started, and the one end that it may have."""

    kind: str  # "plain", "queued", "child", "sleeping", ...
    outcome: str  # terminal status
    output: str | None = None  # JSON text of the one result; None: not compared
    steps: tuple[str, ...] = ()  # names of its own steps, each of which must have been executed
    parent: str = ""  # of a child: started by that workflow and not by the harness
    error: str | None = None  # a text that the error must contain
    retries: bool = False  # its steps may fail and be tried again by the SDK
    asked: tuple[str, ...] = ()  # "cancel", "resume", "fork": what else the harness asked for


class Change(msgspec.Struct, frozen=True, array_like=True):
    """One change of the workflow's row, as the trigger saw it."""

    seq: int
    at_us: int
    kind: str  # "insert", "update", "delete"; "outcome": of an SDK that keeps outcomes in a table of their own
    old: str = ""  # status
    new: str = ""
    old_executor: str = ""
    new_executor: str = ""
    attempts: int = 0  # recovery_attempts after the change
    changed: bool = False  # output or error is another than before
    output: str | None = None  # after the change, cut at 4 KiB
    error: str | None = None
    version: str = ""  # application version of the row
    xid: int = 0  # transaction; 0 where there is none (SQLite)
    xmin: int = 0  # every transaction below had ended when this one looked


class Checkpoint(msgspec.Struct, frozen=True, array_like=True):
    """The recorded output of one step."""

    seq: int
    at_us: int
    step: str
    xid: int = 0
    digest: str = ""  # of the recorded output
    again: bool = False  # the row was written over


class Execution(msgspec.Struct, frozen=True, array_like=True):
    """One execution of a step's body."""

    executor: str  # label
    step: str
    attempt: int  # the how-manieth execution of this step of this workflow by this process: 1, 2, ...
    begin_us: int
    end_us: int | None = None


class Case(msgspec.Struct, frozen=True, array_like=True):
    """One workflow. ``promise`` None: nobody told the harness of it (a schedule's tick, a fork)."""

    workflow: str
    app: str
    promise: Promise | None
    changes: tuple[Change, ...] = ()
    checkpoints: tuple[Checkpoint, ...] = ()
    executions: tuple[Execution, ...] = ()


_ENCODER = msgspec.json.Encoder()
_DECODER: msgspec.json.Decoder[Case] = msgspec.json.Decoder(Case)


def record(recorder: Recorder, cases: Sequence[Case]) -> int:
    """Write them into the history, in lines of a bounded size; how many they were."""
    for start in range(0, len(cases), _BATCH):
        rows: tuple[dict[str, Any], ...] = tuple(
            {"case": _ENCODER.encode(case).decode()} for case in cases[start : start + _BATCH]
        )
        recorder.add(Ledger, source=SOURCE, rows=rows)
    return len(cases)


def cases_of(history: History) -> Iterator[Case]:
    """Every case of the history, decoded one by one."""
    for event in history.of(Ledger):
        if event.source == SOURCE:
            for row in event.rows:
                yield _DECODER.decode(row["case"])
