"""Invariants of what the relay shows: its list against the wire, its audit log against the frames."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass

from evidence.events import AuditPage
from evidence.history import History
from evidence.rules import BLURRED, STALLED, invariant
from evidence.rules.base import capable, seconds
from evidence.rules.management import audit_entry, texts_of
from evidence.verdict import Finding, Verdict
from evidence.views import Ask, Connection, Sight, Tenant, Who
from evidence.window import NS_PER_S


@invariant("LIV-5", doubt=BLURRED)
def answering_executor_stays_healthy(history: History) -> list[Finding]:
    """An executor that has just answered a ping, and is pinged on, is not listed as lost.

    Only an executor with one connection is looked at, and only after a list showed it HEALTHY on it.
    """
    name = "answering_executor_stays_healthy"
    expected, judged = "an executor that answers pings is listed HEALTHY", 0
    wait_ns, slack_ns = (int(seconds(history, each) * NS_PER_S) for each in ("w", "slack"))
    for conn in history.connections.values():
        if conn.handshake_ns is None or _overlapped(history, conn):
            continue
        known, pulse = False, _Pulse.of(history, conn, wait_ns, slack_ns)
        for sight in history.polls_of(conn.tenant):
            if sight.asked_ns < conn.handshake_ns:
                continue
            shown = sight.statuses(conn.executor)
            known = known or "HEALTHY" in shown
            if not known or not pulse.surely_alive(sight):
                continue
            judged += 1
            if "HEALTHY" not in shown:
                seen = f"{conn.executor} was listed {'/'.join(shown)} while it was pinged and answered"
                return [_found("LIV-5", name, Verdict.FAILED, expected, seen, sight.poll.n)]
    if not judged:
        return []
    return [_found("LIV-5", name, Verdict.OK, expected, f"so in {judged} lists")]


def _overlapped(history: History, conn: Connection) -> bool:
    """Whether the executor had another connection at the same time."""
    return any(
        other is not conn
        and other.upgraded_ns is not None
        and (conn.end_ns is None or other.upgraded_ns < conn.end_ns)
        and (other.end_ns is None or conn.upgraded_ns is None or other.end_ns > conn.upgraded_ns)
        for other in history.conns_of(conn.who)
    )


@dataclass(frozen=True, slots=True)
class _Pulse:
    """When one connection was pinged and answered: put together once, asked for each of thousands of lists."""

    history: History
    conn: Connection
    pongs_ns: list[int]
    last_ping_ns: int  # of the relay
    wait_ns: int
    slack_ns: int

    @classmethod
    def of(cls, history: History, conn: Connection, wait_ns: int, slack_ns: int) -> _Pulse:
        pongs_ns = [frame.t for frame in conn.frames if frame.by == "executor" and frame.op == "pong"]
        pings_ns = [frame.t for frame in conn.frames if frame.by == "relay" and frame.op == "ping"]
        return cls(history, conn, sorted(pongs_ns), max(pings_ns, default=-1), wait_ns, slack_ns)

    def surely_alive(self, sight: Sight) -> bool:
        """Whether the relay heard a pong less than the ping wait ago, and goes on pinging after this list."""
        if self.last_ping_ns <= sight.at_ns + self.slack_ns:
            return False
        if not self.conn.up(sight.asked_ns, sight.at_ns + 2 * self.slack_ns):
            return False
        heard = bisect_left(self.pongs_ns, sight.asked_ns - self.slack_ns)
        if not heard:
            return False
        jitter_ns = self.history.worst_jitter(sight.asked_ns - self.wait_ns, sight.at_ns)
        return sight.at_ns - self.pongs_ns[heard - 1] < self.wait_ns - self.slack_ns - jitter_ns


@invariant("AUD-1", doubt=STALLED)
def recoveries_are_audited(history: History) -> list[Finding]:
    """Every dispatch that ended well before the log was read has an entry with the dead executor and the peer."""
    expected = "an entry for each ended dispatch, with the dead executor and the peer"
    page, judged = _page(history, "recovery"), 0
    if page is None:
        return []
    ended: dict[tuple[Who, str], list[Ask]] = {}
    for conn, ask in history.asks_of("recovery"):
        if conn.tenant.org == page.org and _surely_ended(history, conn, ask, page.asked):
            for name in ask.names:
                ended.setdefault((Who(*conn.tenant, name), conn.executor), []).append(ask)
    told = _told(history, page, "recovery") if ended else []
    for (who, peer), asks in ended.items():
        judged += len(asks)
        found = [texts for texts in told if {who.executor, peer} <= texts]
        if len(found) < len(asks):
            seen = f"{len(found)} entries for {len(asks)} ended dispatches of {who.executor} to {peer}"
            n = asks[-1].request.frame.n
            return [_found("AUD-1", "recoveries_are_audited", Verdict.FAILED, expected, seen, n, page.n)]
    if not judged:
        return []
    return [_found("AUD-1", "recoveries_are_audited", Verdict.OK, expected, f"so for {judged} dispatches", page.n)]


def _surely_ended(history: History, conn: Connection, ask: Ask, read_ns: int) -> bool:
    """Whether the relay knew of the dispatch's end a slack before the log was read, and lived to write it down."""
    slack_ns = int(seconds(history, "slack") * NS_PER_S)
    deadline_ns = ask.sent_ns + int(seconds(history, "recovery") * NS_PER_S)
    lost_ns = conn.end_ns if conn.fault_ns is None else None
    answered_ns = ask.answered_ns if ask.answer is not None and ask.answer.type == ask.request.type else None
    ends_ns = min(moment for moment in (answered_ns, lost_ns, deadline_ns) if moment is not None)
    if any(ask.sent_ns <= moment <= ends_ns + slack_ns for moment in history.relay_stops()):
        return False
    return ends_ns + 2 * slack_ns + history.worst_jitter(ask.sent_ns, read_ns) < read_ns


@invariant("AUD-2", doubt=STALLED)
def deletions_are_audited(history: History) -> list[Finding]:
    """No record disappears from the list without an entry of its deletion."""
    expected = "an entry for each record that disappeared"
    page = _page(history, "deletion")
    if page is None or not capable(history, "list"):
        return []
    slack_ns = int(seconds(history, "slack") * NS_PER_S)
    gone = [
        who
        for tenant in history.tenants
        if tenant.org == page.org
        for who in _disappeared(history, tenant, page.asked - slack_ns)
    ]
    told = _told(history, page, "deletion") if gone else []
    for who in gone:
        if not any(who.executor in texts for texts in told):
            seen = f"{who.executor} of {who.app} is no longer listed, and no entry says so"
            return [_found("AUD-2", "deletions_are_audited", Verdict.FAILED, expected, seen, page.n)]
    if not gone:
        return []
    return [_found("AUD-2", "deletions_are_audited", Verdict.OK, expected, f"so for {len(gone)} records", page.n)]


def _disappeared(history: History, tenant: Tenant, before_ns: int) -> list[Who]:
    listed: set[str] = set()
    gone: dict[str, None] = {}
    for sight in history.polls_of(tenant):
        if sight.at_ns >= before_ns:
            break
        now = {seen.executor for seen in sight.executors}
        gone.update(dict.fromkeys(sorted(listed - now)))
        listed |= now
    return [Who(*tenant, executor) for executor in gone]


def _told(history: History, page: AuditPage, operation: str) -> list[set[str]]:
    """The texts of each entry of one operation."""
    return [texts_of(entry) for entry in page.entries if audit_entry(history, entry, operation, {})]


def _page(history: History, operation: str) -> AuditPage | None:
    """The last reading of the audit log, where the profile says what the operation is called."""
    if operation not in history.header.names or not capable(history, "audit"):
        return None
    return history.last_audit()


def _found(clause: str, rule: str, verdict: Verdict, expected: str, seen: str, *events: int) -> Finding:
    return Finding(clause=clause, verdict=verdict, rule=rule, expected=expected, seen=seen, events=events)
