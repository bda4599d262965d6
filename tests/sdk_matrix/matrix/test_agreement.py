"""Where documented, declared and observed disagree."""

from __future__ import annotations

import pytest

from sdk_matrix.matrix.agreement import against_declared, against_documented, declared, declared_s
from sdk_matrix.matrix.model import Cell, Column, Row
from sdk_matrix.matrix.timings import timing

COLUMN = Column("go==1", "go", "1", ("cancel",), {"handshake_s": 10.0, "reconnect_1_s": 1.0})
ROW = Row(
    "liveness/x", "x", "15 s", {"go": "waits; long"}, expects="waits", documented_s={"go": 30.0, "any": 15.0},
    constants=("handshake_s", "reconnect_1_s"),
)  # fmt: skip


def waits(*samples_s: float) -> Cell:
    return Cell("waits", timing=timing(samples_s))


def test_declared_is_the_behaviour_and_the_sum_of_the_constants() -> None:
    assert declared_s(ROW, COLUMN) == 11.0
    assert declared(ROW, COLUMN) == "waits; long; 11 s by its constants"
    assert declared_s(ROW, Column("java==1", "java", "1", None, {"reconnect_1_s": 1.0})) is None
    assert declared(ROW, Column("java==1", "java", "1")) is None


@pytest.mark.parametrize(
    ("cell", "source", "documents"),
    [
        (waits(10.9, 11.0, 11.2), False, True),
        (waits(29.9, 30.0, 30.1), True, False),
        (waits(9.0, 20.0, 31.0), False, False),
        (Cell("hangs"), True, True),
        (Cell("waits"), False, False),
        (Cell("no database", measured=False), False, False),
    ],
)
def test_values_and_timings_are_marked(cell: Cell, source: bool, documents: bool) -> None:
    assert against_declared(ROW, COLUMN, cell) is source
    assert against_documented(ROW, COLUMN, cell) is documents


def test_of_a_language_that_is_not_named_the_documents_promise_what_they_promise_all() -> None:
    java = Column("java==1", "java", "1")
    assert not against_documented(ROW, java, waits(15.0))
    assert against_documented(ROW, java, waits(30.0))


@pytest.mark.parametrize(("kind", "value", "differs"), [("cancel", "answered", False), ("resume", "answered", True)])
def test_of_a_message_the_package_of_the_version_speaks(kind: str, value: str, differs: bool) -> None:
    row = Row(f"messages/{kind}", kind, "message", {"go": "answered"})
    assert against_declared(row, COLUMN, Cell(value)) is differs
