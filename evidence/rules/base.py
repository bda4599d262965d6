"""What rules share: stretches of a history, windows, matching, and the making of findings."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from evidence.errors import RuleMisuse
from evidence.events import Base, Expect, Poll
from evidence.history import History
from evidence.verdict import Finding, Verdict
from evidence.views import Connection, Sight, Tenant, Who
from evidence.window import NS_PER_S, Span, Window, evaluate, judge_span

__all__ = [
    "Stretch",
    "amount",
    "as_list",
    "capable",
    "covers",
    "describe",
    "finding",
    "judged",
    "never",
    "scope",
    "seconds",
    "stretch",
    "unsupported",
    "window",
]


@dataclass(frozen=True, slots=True)
class Stretch:
    """From after one event to before another; ``until_n`` None: to the end. Only what is surely inside counts."""

    since_n: int
    since_ns: int
    until_n: int | None
    until_ns: int

    def holds(self, event: Base) -> bool:
        """Whether an instantaneous event lies inside."""
        return (
            event.n > self.since_n
            and event.t >= self.since_ns
            and (self.until_n is None or (event.n < self.until_n and event.t <= self.until_ns))
        )

    def sights(self, sights: Iterable[Sight]) -> list[Sight]:
        """The lists that were asked for and answered inside."""
        return [sight for sight in sights if sight.asked_ns >= self.since_ns and self.holds(sight.poll)]

    @property
    def length_s(self) -> float:
        return (self.until_ns - self.since_ns) / NS_PER_S


def stretch(history: History, since: int | None, until: int | None) -> Stretch:
    """``since`` None: from the start. An event that took time counts from its end, and to its beginning."""
    since_ns = 0 if since is None else history.span(since).high_ns
    if until is None:
        return Stretch(-1 if since is None else since, since_ns, None, history.end_ns)
    event = history.event(until)
    until_ns = event.t if isinstance(event, Poll) else history.span(until).low_ns
    return Stretch(-1 if since is None else since, since_ns, until, until_ns)


def scope(
    history: History, executor: str | None, conn: int | None, app: str | None, org: str | None = None
) -> Sequence[Connection]:
    """The connections that an expectation speaks of. Raises `RuleMisuse` without executor, conn or app."""
    if conn is not None:
        return [history.connection(conn)]
    if executor is not None:
        return history.conns_of(history.who(executor, app=app, org=org))
    if app is not None:
        tenant = history.tenant(app, org)
        return [each for each in history.connections.values() if each.tenant == tenant]
    raise RuleMisuse("give the rule an executor, a conn or an app")


def names(history: History, tenant: Tenant | None, g: float | None = None) -> dict[str, float]:
    """The timing's short names; ``g`` is the given one, else the application's own, else the run's."""
    timing = dict(history.header.timing)
    own = history.grace_s(tenant) if tenant is not None else None
    if g is not None or own is not None:
        timing["g"] = float(g if g is not None else own or 0.0)
    return timing


def seconds(history: History, text: str | float, tenant: Tenant | None = None, g: float | None = None) -> float:
    """A duration by the header's timing. Raises `WindowError`."""
    if not isinstance(text, str):
        return evaluate(text, {})
    key, known = (text, tenant, g), history.durations_s
    if key not in known:
        known[key] = evaluate(text, names(history, tenant, g))
    return known[key]


def window(
    history: History, tenant: Tenant | None, earliest: str | float, latest: str | float | None, g: float | None = None
) -> Window:
    """Raises `WindowError` for texts that are no windows."""
    known = names(history, tenant, g)
    return Window(evaluate(earliest, known), None if latest is None else evaluate(latest, known))


def judged(
    history: History,
    expect: Expect,
    span: Span,
    start: Span,
    allowed: Window,
    *,
    expected: str,
    what: str,
    events: Sequence[int],
) -> Finding:
    """The finding for something that was seen in ``span``, allowed in a window after ``start``."""
    jitter_ns = history.worst_jitter(start.low_ns, span.high_ns)
    verdict = judge_span(span, start, allowed, jitter_ns)
    least_s, most_s = span.since(start)
    when = f"{most_s:.3f} s" if most_s - least_s < 0.0005 else f"between {least_s:.3f} and {most_s:.3f} s"
    aside = f" (the host's own jitter was {jitter_ns / NS_PER_S:.3f} s)" if verdict is Verdict.UNKNOWN else ""
    return finding(
        expect,
        verdict,
        expected=f"{expected} {allowed.text()} after event {events[0]}",
        seen=f"{what} {when} after{aside}",
        measured_s=least_s if verdict is Verdict.LATE else most_s,
        window=allowed,
        events=events,
    )


def never(
    history: History,
    expect: Expect,
    watched_ns: int,
    start: Span,
    allowed: Window,
    *,
    expected: str,
    what: str,
    events: Sequence[int],
) -> Finding:
    """The finding for something that was not seen up to ``watched_ns``: FAILED only if its window had passed."""
    watched_s = (watched_ns - start.high_ns) / NS_PER_S
    jitter_s = history.worst_jitter(start.low_ns, watched_ns) / NS_PER_S
    over = watched_s > (allowed.earliest_s if allowed.latest_s is None else allowed.latest_s) + jitter_s
    verdict = Verdict.FAILED if over else Verdict.UNKNOWN
    return finding(
        expect,
        verdict,
        expected=f"{expected} {allowed.text()} after event {events[0]}",
        seen=f"{what}; watched for {watched_s:.3f} s",
        measured_s=watched_s,
        window=allowed,
        events=events,
    )


def finding(
    expect: Expect,
    verdict: Verdict,
    *,
    expected: str = "",
    seen: str = "",
    measured_s: float | None = None,
    window: Window | None = None,
    events: Sequence[int] = (),
) -> Finding:
    """A finding about an expectation; its own words come first."""
    words = f"{expect.text}: {expected}" if expect.text and expected else expect.text or expected
    conn = expect.args.get("conn")
    subject = expect.args.get("executor") or ("" if conn is None else f"connection {conn}")
    return Finding(
        clause=expect.clause,
        verdict=verdict,
        rule=expect.rule,
        subject=str(subject),
        expected=words,
        seen=seen,
        measured_s=measured_s,
        window_s=None if window is None else window.as_pair(),
        events=tuple(events),
    )


def capable(history: History, capability: str) -> bool:
    """Whether the relay can show this, by its profile; what the header doesn't name it can."""
    return history.header.capabilities.get(capability, True)


def unsupported(expect: Expect, capability: str) -> Finding:
    return finding(expect, Verdict.UNSUPPORTED, seen=f"the relay's profile has no {capability!r}")


def amount(at_least: int, at_most: int | None) -> str:
    """ "exactly 1", "at least 1", "at most 3", "1 to 3", "any number of", "no"."""
    if at_most is None:
        return f"at least {at_least}" if at_least else "any number of"
    if at_most == at_least:
        return f"exactly {at_least}" if at_least else "no"
    return f"{at_least} to {at_most}" if at_least else f"at most {at_most}"


def as_list(value: str | int | Sequence[Any]) -> list[Any]:
    """A single value as a list of one."""
    return [value] if isinstance(value, str | int) else list(value)


def covers(wanted: Any, found: Any, *, containing: bool = False) -> bool:
    """Whether ``wanted`` is a subset of ``found``: mappings by key, lists equal (or, ``containing``, contained)."""
    if isinstance(wanted, Mapping):
        return isinstance(found, Mapping) and all(
            key in found and covers(value, found[key], containing=containing) for key, value in wanted.items()
        )
    if isinstance(wanted, list | tuple) and isinstance(found, list | tuple):
        if containing:
            return all(any(covers(each, other, containing=True) for other in found) for each in wanted)
        return len(wanted) == len(found) and all(covers(a, b) for a, b in zip(wanted, found, strict=True))
    return (type(wanted) is type(found) and bool(wanted == found)) or _same_number(wanted, found)


def _same_number(wanted: Any, found: Any) -> bool:
    numbers = (int, float)
    flags = isinstance(wanted, bool) or isinstance(found, bool)
    return not flags and isinstance(wanted, numbers) and isinstance(found, numbers) and wanted == found


def describe(who: Who) -> str:
    return f"executor {who.executor} of {who.org}/{who.app}"
