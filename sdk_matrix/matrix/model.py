"""The matrix as data: what `matrix.json` holds."""

from __future__ import annotations

from typing import Literal

import msgspec

from sdk_matrix.matrix.timings import Timing, alike

__all__ = ["GROUPS", "Cell", "Column", "Frame", "Group", "Matrix", "Row", "agree"]

Group = Literal["messages", "variants", "misbehaviour", "liveness", "recovery", "shutdown"]
GROUPS: tuple[Group, ...] = ("messages", "variants", "misbehaviour", "liveness", "recovery", "shutdown")
FORMAT = 1
HARM = ("process exits", "closes", "drops TCP", "hangs", "no answer", "error")


class Frame(msgspec.Struct, frozen=True, omit_defaults=True):
    """One thing that the scripted relay sent or saw on a connection, or a dial."""

    at_s: float  # since the probe began
    by: Literal["relay", "executor"]
    kind: str  # text, binary, continuation, ping, pong, close, dial, end
    text: str = ""  # cut to a few hundred characters
    size_bytes: int = 0


class Cell(msgspec.Struct, frozen=True, omit_defaults=True):
    """What one SDK version did in one row. ``value`` is from a small vocabulary, the same in every run."""

    value: str
    notes: tuple[str, ...] = ()  # what is the same in every run, too: fields absent, null, extra, of another type
    detail: str = ""  # whatever helps a reader; may differ from run to run
    timing: Timing | None = None
    frames: tuple[Frame, ...] = ()  # that prove it
    measured: bool = True  # False: ``value`` is the reason


class Row(msgspec.Struct, frozen=True, omit_defaults=True):
    """One question. ``declared`` is by language; empty: no package of that language says anything."""

    id: str  # group/name
    title: str
    documented: str
    declared: dict[str, str] = {}
    clauses: tuple[str, ...] = ()  # of the contract that rest on the answer
    expects: str = ""  # the value that the documents promise, where they do
    never: str = ""  # the sentence for authors of relays, where an SDK is harmed
    harm: tuple[str, ...] = HARM  # how the values begin that harm
    documented_s: dict[str, float] = {}  # what the documents promise of the timing, by language; "any": for all
    constants: tuple[str, ...] = ()  # of the client, whose sum its timing should be

    @property
    def group(self) -> str:
        return self.id.partition("/")[0]


class Column(msgspec.Struct, frozen=True, omit_defaults=True):
    """One SDK version."""

    sdk: str  # python==2.31.1
    language: str
    version: str  # as the SDK itself reports it
    declares: tuple[str, ...] | None = None  # message types that its package names; None: its source was not found
    constants_s: dict[str, float] = {}  # read off its package, by name (`packages.CONSTANTS`)


class Matrix(msgspec.Struct, frozen=True, kw_only=True):
    """All cells of one measurement, by row, then by SDK."""

    measured_on: str  # date, UTC
    host: str
    took_s: float
    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    cells: dict[str, dict[str, Cell]]
    format: int = FORMAT

    def unmeasured(self) -> list[tuple[str, str, str]]:
        """Row, SDK and reason of each cell that was not measured."""
        return [
            (row.id, column.sdk, cell.value)
            for row in self.rows
            for column in self.columns
            if not (cell := self.cells[row.id][column.sdk]).measured
        ]


def agree(one: Cell, other: Cell) -> bool:
    """Whether two runs say the same: value and notes are equal, timings alike."""
    if (one.value, one.notes, one.measured) != (other.value, other.notes, other.measured):
        return False
    if one.timing is None or other.timing is None:
        return one.timing is other.timing
    return alike(one.timing, other.timing)
