"""Rules about what a relay leaves behind once it has done the right thing. What they find is UNCLEAN, never FAILED."""

from __future__ import annotations

from evidence.events import Expect, Surfaced
from evidence.history import History
from evidence.rules import rule
from evidence.rules.base import capable, finding, stretch, unsupported, window
from evidence.verdict import Finding, Verdict
from evidence.window import NS_PER_S


@rule("released")
def released(history: History, expect: Expect, *, conn: int, after: int, latest: str | float) -> Finding:
    """The relay gives up a socket that is of no use any more; left open beyond the window it is UNCLEAN."""
    connection = history.connection(conn)
    allowed, start = window(history, connection.tenant, "0", latest), history.span(after)
    expected, end = f"the relay ends connection {conn} {allowed.text()} after event {after}", connection.relay_end
    if end is None and connection.end_ns is not None:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="somebody else ended it first", events=(after,))
    until_ns = history.end_ns if end is None else end.t
    open_s = (until_ns - start.high_ns) / NS_PER_S
    over_s = open_s - (allowed.latest_s or 0.0)
    jitter_s = history.worst_jitter(start.low_ns, until_ns) / NS_PER_S
    verdict = Verdict.OK
    if over_s > jitter_s:
        verdict = Verdict.UNCLEAN
    elif end is None or over_s > 0:
        verdict = Verdict.UNKNOWN
    return finding(
        expect,
        verdict,
        expected=expected,
        seen=f"{'left open' if end is None else 'ended'} after {open_s:.3f} s",
        measured_s=open_s,
        window=allowed,
        events=(after,) if end is None else (after, end.n),
    )


@rule("cleared")
def cleared(
    history: History, expect: Expect, *, executor: str, since: int, app: str | None = None, org: str | None = None
) -> Finding:
    """A recovery that is over is no longer in the query for surfaced ones; still there it is UNCLEAN."""
    if not capable(history, "surfaced"):
        return unsupported(expect, "surfaced")
    who, inside = history.who(executor, app=app, org=org), stretch(history, since, None)
    expected = f"the recovery of {executor} is no longer surfaced"
    readings = [
        each
        for each in history.of(Surfaced)
        if (each.org, each.app) == who.tenant and each.asked >= inside.since_ns and inside.holds(each)
    ]
    if not readings:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="nobody asked for surfaced recoveries")
    last = readings[-1]
    still = executor in last.executors
    return finding(
        expect,
        Verdict.UNCLEAN if still else Verdict.OK,
        expected=expected,
        seen="still surfaced" if still else "not surfaced",
        events=(last.n,),
    )
