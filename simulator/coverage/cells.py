"""The table: what may happen (events, columns) to an executor or a connection in which state and phase (rows).

What is not in `REACHABLE` can't happen: the exhaustive runs must never come there. What is in it must be reached.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple


class Row(StrEnum):
    """What the event meets: the state of an executor, with its phase while DEAD, or of a connection."""

    UNKNOWN = "unknown"  # no record, not remembered
    HEALTHY = "HEALTHY"
    DISCONNECTED = "DISCONNECTED"
    WAITING = "DEAD, waiting"
    BACKOFF = "DEAD, backoff"
    DISPATCHED = "DEAD, dispatched"
    VERIFYING = "DEAD, verifying"
    REMEMBERED = "remembered"  # recovered and deleted, and no record
    STRANGER = "connection without handshake"
    REGISTERED = "registered connection"
    ENDED = "connection that has ended"


class Column(StrEnum):
    """What happens."""

    REGISTERS = "it registers"
    ENDS = "its connection ends"
    FALLS_SILENT = "its silence is noticed"
    TIME = "time passes"
    GRACE_ENDS = "its grace ends"
    BACKOFF_ENDS = "its backoff ends"
    EXPIRES = "the request about it expires"
    PEER_JOINS = "another one registers"
    SUCCESS = "the peer says true"
    REFUSAL = "the peer refuses"
    LATE_SUCCESS = "an earlier peer says true, late"
    LATE_REFUSAL = "an earlier peer refuses, late"
    MOOT = "a peer answers that was asked before it came back"
    NOTHING_LEFT = "no work is left"
    WORK_LEFT = "work is left"
    NOT_SAID = "whether work is left can't be said"
    PEER_LOST = "the peer is lost"
    OWNS_AGAIN = "it owns work again"
    SETTINGS = "settings change"
    DELETED = "the application is deleted"
    RESTART = "the relay starts"
    ANSWERS = "answers"
    STRAY = "sends what nobody asked for"
    BROKEN = "sends what is no JSON"
    BINARY = "sends a binary message"
    PING = "pings"
    PONG = "pongs"
    PROGRESS = "sends a part of a message"
    CLOSES = "closes"
    REVOKED = "its key is revoked"
    TOO_LATE = "its handshake is overdue"


class Cell(NamedTuple):
    row: Row
    column: Column


DEAD = (Row.WAITING, Row.BACKOFF, Row.DISPATCHED, Row.VERIFYING)
LISTED = (Row.HEALTHY, Row.DISCONNECTED, *DEAD)
OPEN = (Row.STRANGER, Row.REGISTERED)

REACHABLE: Mapping[Column, tuple[Row, ...]] = {
    Column.REGISTERS: (Row.UNKNOWN, *LISTED, Row.REMEMBERED),
    Column.ENDS: (Row.HEALTHY,),
    Column.FALLS_SILENT: (Row.HEALTHY,),
    Column.TIME: (*LISTED, Row.REMEMBERED),
    Column.GRACE_ENDS: (Row.DISCONNECTED,),
    Column.BACKOFF_ENDS: (Row.BACKOFF,),
    Column.EXPIRES: (Row.DISPATCHED, Row.VERIFYING),
    Column.PEER_JOINS: (*LISTED, Row.REMEMBERED),
    Column.SUCCESS: (Row.DISPATCHED,),
    Column.REFUSAL: (Row.DISPATCHED,),
    Column.LATE_SUCCESS: DEAD,
    Column.LATE_REFUSAL: DEAD,
    Column.MOOT: (*LISTED, Row.REMEMBERED),
    Column.NOTHING_LEFT: (Row.VERIFYING,),
    Column.WORK_LEFT: (Row.VERIFYING,),
    Column.NOT_SAID: (Row.VERIFYING,),
    Column.PEER_LOST: (Row.DISPATCHED, Row.VERIFYING),
    Column.OWNS_AGAIN: (Row.REMEMBERED,),
    Column.SETTINGS: (*LISTED, Row.REMEMBERED),
    Column.DELETED: (*LISTED, Row.REMEMBERED),
    Column.RESTART: (Row.HEALTHY, Row.DISCONNECTED, Row.WAITING, Row.REMEMBERED),
    Column.ANSWERS: OPEN,
    Column.STRAY: OPEN,
    Column.BROKEN: OPEN,
    Column.BINARY: OPEN,
    Column.PING: OPEN,
    Column.PONG: OPEN,
    Column.PROGRESS: OPEN,
    Column.CLOSES: (*OPEN, Row.ENDED),
    Column.REVOKED: OPEN,
    Column.TOO_LATE: (Row.STRANGER,),
}
"""Columns of the table, and the rows in which each can happen."""

ALL = tuple(Cell(row, column) for column, rows in REACHABLE.items() for row in rows)


class Mark(NamedTuple):
    """Something rare that must have happened at least so often: the sum over some cells."""

    name: str
    cells: tuple[Cell, ...]
    minimum: int


MARKS = (
    Mark("a peer was lost while a recovery was in flight at it", (Cell(Row.DISPATCHED, Column.PEER_LOST),), 20),
    Mark("a peer was lost while it was asked what is left", (Cell(Row.VERIFYING, Column.PEER_LOST),), 10),
    Mark(
        "an executor came back while its recovery was in flight",
        (Cell(Row.DISPATCHED, Column.REGISTERS), Cell(Row.VERIFYING, Column.REGISTERS)),
        20,
    ),
    Mark("an answer came after its executor was DEAD and HEALTHY again", (Cell(Row.HEALTHY, Column.MOOT),), 10),
    Mark("a success came late", tuple(Cell(row, Column.LATE_SUCCESS) for row in DEAD), 10),
    Mark("the relay died while an executor was DEAD", (Cell(Row.WAITING, Column.RESTART),), 20),
    Mark("a forgotten executor owned work again", (Cell(Row.REMEMBERED, Column.OWNS_AGAIN),), 5),
    Mark("a grace period changed while it ran", (Cell(Row.DISCONNECTED, Column.SETTINGS),), 5),
)
