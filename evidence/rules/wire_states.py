"""States without a list: what the wire shows of them.

DISCONNECTED shows in the socket that the relay closes, DEAD in the first recovery frame that names
the executor (clause LIV-7). HEALTHY and GONE show nowhere on the wire.
"""

from __future__ import annotations

from collections.abc import Sequence

from evidence.events import Closed, Expect, Frame
from evidence.history import History
from evidence.rules.base import Stretch, finding, judged, never, unsupported
from evidence.verdict import Finding, Verdict
from evidence.views import Connection, Who
from evidence.window import Span, Window

__all__ = ["stays", "transition"]


def transition(
    history: History, expect: Expect, who: Who, wanted: Sequence[str], after: int, allowed: Window
) -> Finding:
    """As the rule of this name, from closed sockets and recovery frames."""
    start = history.span(after)
    if wanted == ["DISCONNECTED"]:
        ends = _last_ends(history, who)
        what, expected = "the relay ended the connection", f"the relay ends {who.executor}'s connection"
        events = [(event.n, event.t) for event in ends]
    elif "DEAD" in wanted:
        what, expected = "a recovery frame named it", f"a recovery frame names {who.executor}"
        events = [(ask.request.frame.n, ask.sent_ns) for _, ask in history.recoveries(who.executor, who.tenant)]
    else:
        return unsupported(expect, "list")
    seen = sorted((n, t) for n, t in events if n > after and t >= start.low_ns)
    if seen:
        n, t = seen[0]
        return judged(history, expect, Span.at(t), start, allowed, expected=expected, what=what, events=(after, n))
    if "DEAD" in wanted and not _peer_was_there(history, who, start.high_ns):
        return finding(
            expect, Verdict.UNSUPPORTED, expected=expected, seen="without a list and without a peer nothing shows it"
        )
    if "DEAD" not in wanted and _left_itself(history, who):
        return finding(
            expect, Verdict.UNSUPPORTED, expected=expected, seen="without a list nothing shows the end of what it left"
        )
    return never(history, expect, history.end_ns, start, allowed, expected=expected, what="never", events=(after,))


def stays(history: History, expect: Expect, who: Who, allowed: Sequence[str], inside: Stretch) -> Finding:
    """As the rule of this name: nothing on the wire contradicts it."""
    expected = f"nothing shows {who.executor} to be other than {' or '.join(allowed)}"
    if "DEAD" not in allowed:
        for _, ask in history.recoveries(who.executor, who.tenant):
            if inside.holds(ask.request.frame):
                return finding(
                    expect,
                    Verdict.FAILED,
                    expected=expected,
                    seen="a recovery frame named it",
                    events=(ask.request.frame.n,),
                )
    if allowed == ["HEALTHY"]:
        for conn in history.conns_of(who):
            if conn.relay_end is not None and inside.holds(conn.relay_end):
                return finding(
                    expect,
                    Verdict.FAILED,
                    expected=expected,
                    seen="the relay ended its connection",
                    events=(conn.relay_end.n,),
                )
    if "HEALTHY" not in allowed and "DISCONNECTED" not in allowed:
        return unsupported(expect, "list")
    return finding(expect, Verdict.OK, expected=expected, seen="so on the wire")


def _last_ends(history: History, who: Who) -> list[Frame | Closed]:
    """The relay's ends that left the executor without a connection: one that a newer dial replaced says nothing."""
    made = history.conns_of(who)
    return [
        conn.relay_end
        for conn in made
        if conn.relay_end is not None
        and not any(other is not conn and _open(other, conn.relay_end.t) for other in made)
    ]


def _open(conn: Connection, moment_ns: int) -> bool:
    return (
        conn.handshake_ns is not None
        and conn.upgraded_ns is not None
        and conn.upgraded_ns <= moment_ns
        and (conn.end_ns is None or conn.end_ns > moment_ns)
        and (conn.relay_end is None or conn.relay_end.t > moment_ns)
    )


def _left_itself(history: History, who: Who) -> bool:
    """Whether nothing is left that the relay could still end: the executor ended every connection of its own."""
    made = [conn for conn in history.conns_of(who) if conn.upgraded_ns is not None]
    return bool(made) and all(conn.end_ns is not None and conn.relay_end is None for conn in made)


def _peer_was_there(history: History, who: Who, since_ns: int) -> bool:
    return any(
        conn.tenant == who.tenant
        and conn.executor != who.executor
        and conn.handshake_ns is not None
        and (conn.end_ns is None or conn.end_ns > since_ns)
        for conn in history.connections.values()
    )
