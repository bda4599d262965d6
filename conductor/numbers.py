"""Every number that the documents give about timing and sizes, each with its source, contradictions side by side.

The timing profile (`conductor.timing`) chooses among them; this table is what it chose from, and what reports quote.
Sources: "recovery page" and "protocol page" are the two pages of the DBOS documentation, "API document" the public
management API, "Python client" and so on the MIT-licensed SDK sources (dbos 2.31.1, @dbos-inc/dbos-sdk 4.27.6, Go,
Java), "measured" what those two packages did.
"""

from __future__ import annotations

from msgspec import Struct

__all__ = ["NUMBERS", "DocumentedNumber", "contradictions", "documented"]


class DocumentedNumber(Struct, frozen=True):
    """One figure. The same `name` more than once means that the sources disagree or speak of different SDKs."""

    name: str
    value: float
    unit: str
    source: str
    note: str


_S = "s"

NUMBERS: tuple[DocumentedNumber, ...] = (
    # the relay
    DocumentedNumber("server_ping_interval", 10, _S, "protocol page", "given twice there; the default here"),
    DocumentedNumber("server_ping_interval", 20, _S, "recovery page", "contradicts the protocol page"),
    DocumentedNumber(
        "server_ping_wait", 25, _S, "recovery page", "silence until DISCONNECTED; measured from what is not said"
    ),
    DocumentedNumber("server_ping_wait", 25, _S, "protocol page", "called the pong deadline"),
    DocumentedNumber("grace_period", 60, _S, "recovery page", "executorTimeoutSecs by default"),
    DocumentedNumber("grace_period_minimum", 1, _S, "API document", "executorTimeoutSecs is whole seconds"),
    DocumentedNumber("metrics_collection_period", 300, _S, "API document", "DBOS__METRICS_COLLECTION_PERIOD"),
    DocumentedNumber("forward_timestamp_tolerance", 30, _S, "protocol page", "a signed forward, either way"),
    DocumentedNumber("forward_hop_limit", 1, "hops", "protocol page", "a forward with this many is refused"),
    # pings that executors send
    DocumentedNumber("client_ping_interval", 10, _S, "protocol page", "'10 s, or the SDK default of 20 s'"),
    DocumentedNumber("client_ping_interval", 20, _S, "all four clients, measured", "no user setting changes it"),
    DocumentedNumber("client_first_ping_java", 0, _S, "Java client", "at once after the upgrade; the others after 20"),
    # how long executors wait for a pong
    DocumentedNumber("client_pong_timeout", 15, _S, "protocol page", "Python, TypeScript and Java"),
    DocumentedNumber("client_pong_timeout", 30, _S, "protocol page", "Go"),
    DocumentedNumber("client_pong_timeout_python", 20, _S, "measured", "with websockets 15 or later (its own default)"),
    DocumentedNumber("client_pong_timeout_python", 15, _S, "Python client", "with websockets 14 only"),
    DocumentedNumber("client_pong_timeout_typescript", 15, _S, "measured", "any message clears it"),
    DocumentedNumber("client_pong_timeout_go", 30, _S, "Go client", "since the last pong, not since the ping"),
    DocumentedNumber("client_pong_timeout_java", 15, _S, "Java client", "a pong alone clears it"),
    # how executors dial again
    DocumentedNumber("reconnect_first", 1, _S, "recovery page", "said to grow exponentially to reconnect_cap"),
    DocumentedNumber("reconnect_cap", 30, _S, "recovery page", "true of Go alone"),
    DocumentedNumber("reconnect_python", 1, _S, "measured", "fixed: no growth, no jitter, never gives up"),
    DocumentedNumber("reconnect_typescript", 1, _S, "measured", "fixed: no growth, no jitter, never gives up"),
    DocumentedNumber("reconnect_java", 1, _S, "Java client", "fixed: no growth, no jitter, never gives up"),
    DocumentedNumber("reconnect_go_after_drop", 0, _S, "Go client", "at once when an established connection ends"),
    DocumentedNumber("reconnect_go_first", 1, _S, "Go client", "after a failed dial; every dial that works resets it"),
    DocumentedNumber("reconnect_go_cap", 30, _S, "Go client", "before jitter, so up to 45 s"),
    DocumentedNumber("reconnect_go_factor", 2, "times", "Go client", "from one failed dial to the next"),
    DocumentedNumber(
        "reconnect_go_jitter_low", 0.5, "times", "Go client", "each delay times a random factor from here"
    ),
    DocumentedNumber("reconnect_go_jitter_high", 1.5, "times", "Go client", "up to here"),
    # how long executors wait for the upgrade, the close and a write
    DocumentedNumber("handshake_timeout_python", 5, _S, "measured", "a silent relay sees a new dial every 6 s"),
    DocumentedNumber("handshake_timeout_typescript", 5, _S, "measured", "a silent relay sees a new dial every 6 s"),
    DocumentedNumber("handshake_timeout_go", 10, _S, "Go client", "then the backoff"),
    DocumentedNumber("close_timeout_python", 5, _S, "measured", "close frame until TCP ends"),
    DocumentedNumber("close_timeout_typescript", 30, _S, "TypeScript client", "the default of its library"),
    DocumentedNumber("write_timeout_go", 5, _S, "Go client", "per frame; the other three have none"),
    # sizes
    DocumentedNumber("largest_message_typescript", 100 * 1024 * 1024, "bytes", "TypeScript client", "library default"),
    DocumentedNumber("most_fragments_python", 4096, "fragments", "Python client", "library limit"),
    DocumentedNumber("most_fragments_typescript", 16384, "fragments", "TypeScript client", "library default"),
    DocumentedNumber("reply_fragment_java", 128 * 1024, "bytes", "Java client", "cut at byte positions"),
    DocumentedNumber("import_sniff_java", 200, "characters", "Java client", "searched for the import type's name"),
    DocumentedNumber("queued_frames_python", 16, "frames", "measured", "no pongs while so many wait for a handler"),
    # work
    DocumentedNumber("queue_poll", 1, _S, "measured", "the internal queue, in every SDK"),
    DocumentedNumber(
        "recovery_attempts_limit", 100, "attempts", "all four clients", "above it a workflow is dead-lettered"
    ),
    DocumentedNumber("retention_batch_python", 10_000, "rows", "Python client", "gc_batch_size when absent"),
    DocumentedNumber("recovery_of_5000_rows_python", 30, _S, "measured", "about what one recovery request took"),
)


def documented(name: str) -> tuple[DocumentedNumber, ...]:
    """Every figure of that name, in table order. Raises KeyError for a name that the table does not have."""
    found = tuple(number for number in NUMBERS if number.name == name)
    if not found:
        raise KeyError(f"no documented number is called {name!r}; NUMBERS lists them all")
    return found


def contradictions() -> dict[str, tuple[DocumentedNumber, ...]]:
    """The names for which the sources give more than one value, with all their figures."""
    several = {number.name: documented(number.name) for number in NUMBERS}
    return {name: figures for name, figures in several.items() if len({figure.value for figure in figures}) > 1}
