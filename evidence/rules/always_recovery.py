"""Invariants of recovery: whom a relay may ask, about whom, and how many at a time."""

from __future__ import annotations

from collections.abc import Callable

from evidence.history import History
from evidence.rules import BLURRED, invariant
from evidence.rules.base import seconds
from evidence.rules.recovery import overlapping
from evidence.verdict import Finding, Verdict
from evidence.views import Ask, Connection, Sight, Who
from evidence.window import NS_PER_S


@invariant("REC-1")
def names_exactly_one(history: History) -> list[Finding]:
    """Every recovery frame names exactly one executor: one dead executor, one dispatch, one answer."""
    expected, judged = "executor_ids is an array of exactly one id", 0
    for _, ask in history.asks_of("recovery"):
        judged += 1
        ids = ask.request.fields.get("executor_ids")
        if len(ask.names) != 1 or not isinstance(ids, list) or len(ids) != 1:
            seen = f"executor_ids is {str(ids)[:160]}"
            return [_found("REC-1", "names_exactly_one", Verdict.FAILED, expected, seen, ask)]
    return [_ok("REC-1", "names_exactly_one", expected, f"so in all {judged} recoveries")] if judged else []


@invariant("REC-3")
def own_application(history: History) -> list[Finding]:
    """No recovery frame names an executor of another application of the same organisation."""
    return _tenancy(
        history,
        "REC-3",
        "own_application",
        "recovery stays within its application",
        lambda named, conn: named.org == conn.tenant.org,
    )


@invariant("REC-4")
def own_organisation(history: History) -> list[Finding]:
    """No recovery frame names an executor of another organisation."""
    return _tenancy(
        history,
        "REC-4",
        "own_organisation",
        "recovery stays within its organisation",
        lambda named, conn: named.org != conn.tenant.org,
    )


def _tenancy(
    history: History, clause: str, rule: str, expected: str, about: Callable[[Who, Connection], bool]
) -> list[Finding]:
    homes: dict[str, set[Who]] = {}
    for conn in history.connections.values():
        homes.setdefault(conn.executor, set()).add(conn.who)
    orgs = {tenant.org for tenant in history.tenants}
    premise = len(orgs) > 1 if clause == "REC-4" else len(history.tenants) > len(orgs)
    judged = 0
    for conn, ask in history.asks_of("recovery"):
        judged += 1
        for name in ask.names:
            strangers = homes.get(name, set())
            if any(home.tenant == conn.tenant for home in strangers):
                continue  # the id is at home here too
            for home in sorted(strangers):
                if about(home, conn):
                    seen = f"{name} of {home.org}/{home.app} was named to {conn.executor} of {'/'.join(conn.tenant)}"
                    return [_found(clause, rule, Verdict.FAILED, expected, seen, ask)]
    if not premise or not judged:
        return []
    return [_ok(clause, rule, expected, f"so in all {judged} recoveries")]


@invariant("REC-5", doubt=BLURRED)
def healthy_peer_only(history: History) -> list[Finding]:
    """No recovery frame goes to the executor that it names, nor to one that the list shows not HEALTHY around it."""
    expected, judged = "only a HEALTHY peer is asked, never the dead executor itself", 0
    for conn, ask in history.asks_of("recovery"):
        judged += 1
        if conn.executor in ask.names:
            seen = f"{conn.executor} was asked to recover itself"
            return [_found("REC-5", "healthy_peer_only", Verdict.FAILED, expected, seen, ask)]
        if conn.fault_ns is not None and conn.fault_ns <= ask.sent_ns:
            continue  # it reads late: the frame may have left while it was HEALTHY
        before, after = _around(history, conn, ask.sent_ns)
        if before is not None and after is not None:
            was, then = before.statuses(conn.executor), after.statuses(conn.executor)
            if _down(was) and _down(then):
                seen = f"{conn.executor} was asked while it was listed {'/'.join(was)}"
                return [_found("REC-5", "healthy_peer_only", Verdict.FAILED, expected, seen, ask)]
    return [_ok("REC-5", "healthy_peer_only", expected, f"so in all {judged} recoveries")] if judged else []


def _down(statuses: tuple[str, ...]) -> bool:
    return bool(statuses) and all(status in ("DISCONNECTED", "DEAD") for status in statuses)


@invariant("REC-10")
def one_at_a_time(history: History) -> list[Finding]:
    """At no time are two recoveries of one dead executor outstanding at two peers within their deadline."""
    expected = "one recovery of a dead executor at a time"
    named = {
        Who(conn.tenant.org, conn.tenant.app, name) for conn, ask in history.asks_of("recovery") for name in ask.names
    }
    for who in sorted(named):
        pair = overlapping(history, who)
        if pair is not None:
            after_s = (pair[1].sent_ns - pair[0].sent_ns) / NS_PER_S
            seen = f"{who.executor}: a second peer was asked {after_s:.3f} s after the first"
            return [_found("REC-10", "one_at_a_time", Verdict.FAILED, expected, seen, *pair)]
    return [_ok("REC-10", "one_at_a_time", expected, f"so for {len(named)} dead executors")] if named else []


@invariant("REC-26", doubt=BLURRED)
def no_healthy_executor_named(history: History) -> list[Finding]:
    """No recovery frame names an executor while it is listed HEALTHY; one that crossed its return is excepted."""
    expected, judged = "no recovery names a HEALTHY executor", 0
    for conn, ask in history.asks_of("recovery"):
        for name in ask.names:
            judged += 1
            if _wrongly_named(history, conn, ask, Who(conn.tenant.org, conn.tenant.app, name)):
                seen = f"{name} was named to {conn.executor} while it was connected and listed HEALTHY"
                return [_found("REC-26", "no_healthy_executor_named", Verdict.FAILED, expected, seen, ask)]
    return [_ok("REC-26", "no_healthy_executor_named", expected, f"so for {judged} names")] if judged else []


def _wrongly_named(history: History, conn: Connection, ask: Ask, who: Who) -> bool:
    """Whether the executor was HEALTHY beyond doubt when the frame left.

    The frame left at most a slack before it was seen. A list that was answered before then must show the executor
    HEALTHY, on a connection that is up from before that list until after the frame; and that list must be younger
    than the grace period, so that no lawful death fits in between.
    """
    if conn.fault_ns is not None and conn.fault_ns <= ask.sent_ns:
        return False
    delay_ns = int(seconds(history, "slack") * NS_PER_S)
    delay_ns += history.worst_jitter(ask.sent_ns - delay_ns, ask.sent_ns)
    left_ns = ask.sent_ns - delay_ns
    last = history.lists_of(who.tenant).before(left_ns)
    if last is None or set(last.statuses(who.executor)) != {"HEALTHY"}:
        return False
    grace_s = history.least_grace_s(who.tenant, seconds(history, "g"))
    if ask.sent_ns - last.asked_ns >= int(grace_s * NS_PER_S):
        return False
    return any(own.up(last.asked_ns, ask.sent_ns) for own in history.conns_of(who))


def _around(history: History, conn: Connection, sent_ns: int) -> tuple[Sight | None, Sight | None]:
    """The last list that was answered a slack before, and the first that was asked for after.

    A list from before the peer's newest handshake shows what its connection before this one had come to.
    """
    slack_ns = int(seconds(history, "slack") * NS_PER_S)
    lists = history.lists_of(conn.tenant)
    shaken_ns = [
        each.handshake_ns
        for each in history.conns_of(conn.who)
        if each.handshake_ns is not None and each.handshake_ns <= sent_ns
    ]
    since_ns = max(shaken_ns, default=0)
    return lists.before(sent_ns - slack_ns, asked_after_ns=since_ns), lists.after(sent_ns)


def _found(clause: str, rule: str, verdict: Verdict, expected: str, seen: str, *asks: Ask) -> Finding:
    events = tuple(ask.request.frame.n for ask in asks)
    return Finding(clause=clause, verdict=verdict, rule=rule, expected=expected, seen=seen, events=events)


def _ok(clause: str, rule: str, expected: str, seen: str) -> Finding:
    return Finding(clause=clause, verdict=Verdict.OK, rule=rule, expected=expected, seen=seen)
