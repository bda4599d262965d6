"""Rules about the states that the relay's list shows. Without a list: what the wire shows of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from evidence.events import Expect
from evidence.history import History
from evidence.rules import BLURRED, STALLED, rule, wire_states
from evidence.rules.base import (
    as_list,
    capable,
    covers,
    describe,
    finding,
    judged,
    never,
    stretch,
    unsupported,
    window,
)
from evidence.verdict import Finding, Verdict
from evidence.views import GONE, Sight, Who
from evidence.window import Span


@rule("transition", doubt=STALLED)
def transition(
    history: History,
    expect: Expect,
    *,
    executor: str,
    to: str | Sequence[str],
    after: int,
    latest: str | float | None,
    earliest: str | float = "0",
    g: float | None = None,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """The list first shows one of ``to`` inside the window after event ``after``."""
    who, wanted = history.who(executor, app=app, org=org), [status.upper() for status in as_list(to)]
    allowed = window(history, who.tenant, earliest, latest, g)
    if not capable(history, "list"):
        return wire_states.transition(history, expect, who, wanted, after, allowed)
    start, expected = history.span(after), f"{executor} {' or '.join(wanted)}"
    sights, recovered_ns = history.polls_of(who.tenant), _first_recovery_ns(history, who, start)
    for place, sight in enumerate(sights):
        if sight.poll.n <= after or sight.asked_ns < start.low_ns or not _shows(sight, who, wanted, recovered_ns):
            continue
        before = next((old for old in reversed(sights[:place]) if not _shows(old, who, wanted, recovered_ns)), None)
        changed = Span(start.low_ns if before is None else before.asked_ns, sight.at_ns)
        what = f"{'/'.join(sight.statuses(executor))} was first listed"
        return judged(
            history, expect, changed, start, allowed, expected=expected, what=what, events=(after, sight.poll.n)
        )
    later = [sight for sight in sights if sight.asked_ns >= start.low_ns and sight.poll.n > after]
    if not later:
        return finding(expect, Verdict.UNKNOWN, expected=expected, seen="no list was had after it", events=(after,))
    shown = "/".join(later[-1].statuses(executor))
    return never(
        history,
        expect,
        later[-1].asked_ns,
        start,
        allowed,
        expected=expected,
        what=f"never; the last list shows {shown}",
        events=(after, later[-1].poll.n),
    )


def _first_recovery_ns(history: History, who: Who, start: Span) -> int | None:
    """When the executor's recovery was first asked for since the start."""
    asked_ns = (ask.sent_ns for _, ask in history.recoveries(who.executor, who.tenant))
    return min((moment for moment in asked_ns if moment >= start.low_ns), default=None)


def _shows(sight: Sight, who: Who, wanted: Sequence[str], recovered_ns: int | None) -> bool:
    """A record that is gone after its recovery was asked for has been DEAD between two lists."""
    shown = sight.statuses(who.executor)
    if any(status in wanted for status in shown):
        return True
    return "DEAD" in wanted and shown == (GONE,) and recovered_ns is not None and recovered_ns <= sight.at_ns


@rule("stays", doubt=BLURRED)
def stays(
    history: History,
    expect: Expect,
    *,
    executor: str,
    statuses: str | Sequence[str],
    since: int | None = None,
    until: int | None = None,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """Every list in between shows one of the statuses; no list: VACUOUS."""
    who, allowed = history.who(executor, app=app, org=org), [status.upper() for status in as_list(statuses)]
    inside = stretch(history, since, until)
    if not capable(history, "list"):
        return wire_states.stays(history, expect, who, allowed, inside)
    expected = f"{executor} stays {' or '.join(allowed)} for {inside.length_s:.3f} s"
    sights = inside.sights(history.polls_of(who.tenant))
    if not sights:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="no list was had in that time")
    for sight in sights:
        shown = sight.statuses(executor)
        if any(status not in allowed for status in shown):
            return finding(
                expect, Verdict.FAILED, expected=expected, seen=f"listed {'/'.join(shown)}", events=(sight.poll.n,)
            )
    return finding(
        expect, Verdict.OK, expected=expected, seen=f"so in all {len(sights)} lists", events=(sights[-1].poll.n,)
    )


@rule("listed", doubt=BLURRED)
def listed(
    history: History,
    expect: Expect,
    *,
    executor: str,
    after: int,
    fields: Mapping[str, Any] | None = None,
    latest: str | float = "slack",
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """Some list within the window after ``after`` shows the record with these fields."""
    if not capable(history, "list"):
        return unsupported(expect, "list")
    who, wanted = history.who(executor, app=app, org=org), dict(fields or {})
    allowed, start = window(history, who.tenant, "0", latest), history.span(after)
    sights = [s for s in history.polls_of(who.tenant) if s.poll.n > after and s.asked_ns >= start.low_ns]
    expected = f"{executor} listed with {wanted}"
    closest: dict[str, Any] | None = None
    for place, sight in enumerate(sights):
        for record in sight.records(executor):
            closest = msgspec.to_builtins(msgspec.structs.asdict(record))
            if covers(wanted, closest):
                changed = Span(sights[place - 1].asked_ns if place else start.low_ns, sight.at_ns)
                return judged(
                    history,
                    expect,
                    changed,
                    start,
                    allowed,
                    expected=expected,
                    what="listed so",
                    events=(after, sight.poll.n),
                )
    if not sights:
        return finding(expect, Verdict.UNKNOWN, expected=expected, seen="no list was had after it", events=(after,))
    shown = closest or {}
    differing = {name: shown.get(name) for name in wanted if not covers(wanted[name], shown.get(name))}
    return never(
        history,
        expect,
        sights[-1].asked_ns,
        start,
        allowed,
        expected=expected,
        what="never listed" if closest is None else f"listed with {differing}",
        events=(after, sights[-1].poll.n),
    )


@rule("not_listed", doubt=BLURRED)
def not_listed(
    history: History,
    expect: Expect,
    *,
    executor: str,
    since: int | None = None,
    until: int | None = None,
    statuses: str | Sequence[str] | None = None,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """No list in between shows the executor (with one of these statuses); no list: VACUOUS."""
    if not capable(history, "list"):
        return unsupported(expect, "list")
    who = history.who(executor, app=app, org=org)
    banned = None if statuses is None else [status.upper() for status in as_list(statuses)]
    sights = stretch(history, since, until).sights(history.polls_of(who.tenant))
    expected = f"{describe(who)} is never listed{'' if banned is None else ' ' + ' or '.join(banned)}"
    if not sights:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="no list was had in that time")
    for sight in sights:
        shown = [s for s in sight.statuses(executor) if s != GONE and (banned is None or s in banned)]
        if shown:
            return finding(
                expect, Verdict.FAILED, expected=expected, seen=f"listed {'/'.join(shown)}", events=(sight.poll.n,)
            )
    return finding(
        expect, Verdict.OK, expected=expected, seen=f"so in all {len(sights)} lists", events=(sights[-1].poll.n,)
    )
