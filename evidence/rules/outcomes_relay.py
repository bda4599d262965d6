"""What the cases of a real run say about the relay: whom it had recover whom (REC), and what it wrote down (AUD)."""

from __future__ import annotations

from evidence.events import AuditPage, Expect, Fault, Relay
from evidence.history import History
from evidence.outcomes import Defect, Weighed, weigh
from evidence.rules import invariants, rule
from evidence.rules.base import capable, finding, seconds
from evidence.rules.management import audit_entry, texts_of
from evidence.verdict import FAILING, Finding, Verdict
from evidence.window import NS_PER_S

__all__ = ["adoption_audited", "dead_are_recovered", "recovery_is_kept", "right_recoverer"]

_SHOWN = 5


@rule("dead_are_recovered")
def dead_are_recovered(history: History, expect: Expect) -> Finding:
    """REC-1, REC-16: whoever died with work in hand was named to a peer in a recovery request.

    Asked only of executors that the relay had on record: nobody can name one that never told it who it was.
    """
    found = weigh(history)
    named = {name: ask.request.frame.n for _, ask in history.asks_of("recovery") for name in ask.names}
    wanted = "each executor that dies with work in hand is named to a peer"
    seen_by_relay = {conn.executor for conn in history.connections.values() if conn.handshake_ns is not None}
    dead = sorted(found.orphans.keys() & seen_by_relay, key=lambda executor: found.struck[executor])
    missing = [executor for executor in dead if executor not in named and _stayed(found, executor)]
    if missing:
        seen = "; ".join(f"{_label(found, each)} was never named in a recovery" for each in missing[:_SHOWN])
        return finding(expect, Verdict.FAILED, expected=wanted, seen=seen, events=_at(found, missing))
    recovered = [executor for executor in dead if executor in named]
    if not recovered:
        return finding(expect, Verdict.VACUOUS, expected=wanted, seen="nobody died with work in hand")
    seen = f"{len(recovered)} executors died with work in hand, each was named to a peer"
    return finding(expect, Verdict.OK, expected=wanted, seen=seen, events=_at(found, recovered[:_SHOWN]))


@rule("recovery_asked")
def recovery_asked(history: History, expect: Expect, *, kind: str) -> Finding:
    """REC-1: each executor that this kind of fault hit, and that lost work to others, was named to a peer."""
    found = weigh(history)
    hit = [fault.executor for fault in history.of(Fault) if fault.kind == kind]
    named = {name for _, ask in history.asks_of("recovery") for name in ask.names}
    wanted = f"each executor that was hit by {kind} is named to a peer"
    if not hit:
        return finding(expect, Verdict.VACUOUS, expected=wanted, seen=f"no executor was hit by {kind}")
    missing = [executor for executor in hit if executor not in named]
    if missing:
        seen = "; ".join(f"{_label(found, each)} was never named in a recovery" for each in missing[:_SHOWN])
        return finding(expect, Verdict.FAILED, expected=wanted, seen=seen, events=found.events[:1])
    return finding(expect, Verdict.OK, expected=wanted, seen=f"so for {len(hit)} executors")


def _stayed(found: Weighed, executor: str) -> bool:
    """Whether its work waited for somebody: what a peer had taken without a recovery is nobody's failure."""
    return found.moved[executor] < found.orphans[executor]


@rule("right_recoverer")
def right_recoverer(history: History, expect: Expect) -> list[Finding]:
    """REC-2, REC-3, REC-23: nobody of another application, version or language took a workflow."""
    found = weigh(history)
    kinds = {"REC-3": "other-application", "REC-2": "other-version", "REC-23": "other-language"}
    kind = kinds.get(expect.clause, "other-application")
    wanted = f"no workflow is taken by an executor of an{kind.replace('-', ' ')}"
    defects = found.of(kind)
    if defects:
        events = (*_at(found, [*found.struck][:_SHOWN]), *found.events[:1])
        return [finding(expect, Verdict.FAILED, expected=wanted, seen=_told(defects), events=events)]
    moved = sum(found.moved.values()) + sum(found.zombies.values())
    if not moved:
        return [finding(expect, Verdict.VACUOUS, expected=wanted, seen="no workflow changed hands")]
    return [finding(expect, Verdict.OK, expected=wanted, seen=f"{moved} workflows changed hands")]


@rule("adoption_audited")
def adoption_audited(history: History, expect: Expect) -> Finding:
    """AUD-1: whoever's work was taken over after a recovery has an entry of it in the audit log that was read last."""
    found, page = weigh(history), history.last_audit()
    wanted = "an entry for each dead executor whose work was taken over"
    if page is None or not capable(history, "audit") or "recovery" not in history.header.names:
        return finding(expect, Verdict.UNSUPPORTED, expected=wanted, seen="the relay shows no audit log")
    asked = _asked_before(history, page)
    told = [texts_of(entry) for entry in page.entries if audit_entry(history, entry, "recovery", {})]
    adopted = [executor for executor in found.moved if executor in asked]
    missing = [executor for executor in adopted if not any(executor in texts for texts in told)]
    if missing:
        seen = "; ".join(f"no entry names {_label(found, each)}" for each in missing[:_SHOWN])
        return finding(expect, Verdict.FAILED, expected=wanted, seen=seen, events=(*_at(found, missing), page.n))
    if not adopted:
        return finding(expect, Verdict.VACUOUS, expected=wanted, seen="no work was taken over", events=(page.n,))
    seen = f"{len(adopted)} adoptions have their entries"
    return finding(expect, Verdict.OK, expected=wanted, seen=seen, events=(page.n,))


def _asked_before(history: History, page: AuditPage) -> set[str]:
    """Dead executors whose recovery was answered well before the log was read."""
    slack_ns = int(2 * seconds(history, "slack") * NS_PER_S)
    return {
        name
        for _, ask in history.asks_of("recovery")
        if ask.answered_ns is not None and ask.answered_ns + slack_ns < page.asked
        for name in ask.names
    }


@rule("dead_records_go")
def dead_records_go(history: History, expect: Expect) -> Finding:
    """REC-6: in the last list nobody is whose process was ended and whose recovery a peer then acknowledged.

    From `slack + request` after the last that was said of it, or after the relay itself was away; and not while a peer
    says that it still owns work: so long the record is kept.
    """
    found = weigh(history)
    wanted = "the record of a recovered executor is gone"
    if not capable(history, "list"):
        return finding(expect, Verdict.UNSUPPORTED, expected=wanted, seen="the relay shows no list")
    last = {tenant.app: sights[-1] for tenant in history.tenants if (sights := history.polls_of(tenant))}
    allowed_ns = int(seconds(history, "slack + request") * NS_PER_S)
    left: list[str] = []
    told = gone = early = 0
    for executor, (acknowledged_ns, said_ns, kept) in _recovered(history, found).items():
        process = found.processes.get(executor)
        sight = last.get(process.app) if process is not None else None
        if sight is None or sight.asked_ns < acknowledged_ns:
            early += 1
        elif executor not in sight.shown:
            gone += 1
        elif kept:
            told += 1
        elif sight.asked_ns > said_ns + allowed_ns + history.worst_jitter(said_ns, sight.asked_ns):
            left.append(executor)
        else:
            early += 1
    if left:
        seen = "; ".join(f"{_label(found, each)} is still listed" for each in left[:_SHOWN])
        polls = tuple(dict.fromkeys(last[found.processes[each].app].poll.n for each in left))
        return finding(expect, Verdict.FAILED, expected=wanted, seen=seen, events=(*_at(found, left), *polls))
    if gone or told:
        kept_too = f"; {told} are kept while a peer says that they own work" if told else ""
        return finding(expect, Verdict.OK, expected=wanted, seen=f"so for {gone} recovered executors{kept_too}")
    if early:
        return finding(
            expect, Verdict.UNKNOWN, expected=wanted, seen=f"no list was read so late that {early} had to be gone"
        )
    return finding(expect, Verdict.VACUOUS, expected=wanted, seen="nobody was recovered")


def _recovered(history: History, found: Weighed) -> dict[str, tuple[int, int, bool]]:
    """Each ended process whose recovery was asked for after its end and acknowledged.

    When it was last acknowledged; when the relay last had something to do about it (a question, or its own return), ns;
    and whether a peer then said that it still owns work.
    """
    acknowledged: dict[str, int] = {}
    for _, ask in history.asks_of("recovery"):
        for name in ask.names if ask.succeeded else ():
            if name in found.struck and ask.sent_ns > history.events[found.struck[name]].t:
                acknowledged[name] = max(acknowledged.get(name, 0), ask.answered_ns or 0)
    asked: dict[str, int] = {}
    yes: dict[str, bool] = {}
    for _, ask in history.asks_of("exist_pending_workflows"):
        name = str(ask.request.fields.get("executor_id"))
        asked[name] = max(asked.get(name, 0), ask.sent_ns, ask.answered_ns or 0)
        if ask.answer is not None and ask.answered_ns is not None and ask.answered_ns > acknowledged.get(name, 0):
            yes[name] = ask.answer.fields.get("exist") is True
    away = [event.t for event in history.of(Fault) if event.executor == "relay"]
    back_ns = max((*away, *(event.t for event in history.of(Relay) if event.what == "ready")), default=0)
    return {
        name: (at_ns, max(at_ns, asked.get(name, 0), back_ns), yes.get(name, False))
        for name, at_ns in acknowledged.items()
    }


def recovery_is_kept(history: History) -> bool:
    """Whether the history breaks no recovery clause that is a MUST, by the invariants and by the cases."""
    found = weigh(history)
    if found.of("other-application", "other-version"):
        return False
    for name, (clauses, check) in invariants().items():
        if any(clause.startswith("REC-") for clause in clauses):
            for each in check(history):
                if each.verdict in FAILING and each.clause.startswith("REC-"):
                    assert each.rule, name
                    return False
    return True


def _label(found: Weighed, executor: str) -> str:
    process = found.processes.get(executor)
    return f"{process.label} ({executor[:8]})" if process is not None else executor


def _at(found: Weighed, executors: list[str]) -> tuple[int, ...]:
    return tuple(found.struck[each] for each in executors if each in found.struck)


def _told(defects: list[Defect]) -> str:
    more = f"; and {len(defects) - _SHOWN} more" if len(defects) > _SHOWN else ""
    return "; ".join(defect.text for defect in defects[:_SHOWN]) + more
