"""Rules about the management side: answers, the audit log, secrets, surfaced recoveries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import msgspec

from evidence.events import Answer, AuditPage, Base, Expect, Frame, Refused, RelayLog, Request, Surfaced
from evidence.history import History
from evidence.rules import STALLED, rule
from evidence.rules.base import amount, as_list, capable, covers, finding, seconds, stretch, unsupported
from evidence.rules.sockets import has_code
from evidence.verdict import Finding, Verdict
from evidence.window import NS_PER_S, Window

SECRET_MARK = "<key:"


@rule("answer", doubt=STALLED)
def answer(
    history: History,
    expect: Expect,
    *,
    call: int,
    status: int | str | Sequence[int | str] | None = None,
    body: Any = None,
    content_type: str | None = None,
    latest: str | float | None = None,
) -> Finding:
    """The management answer: its code (or class, "2xx"), a subset of its body, its type, how long it took."""
    request, reply = history.request_of(call), history.answer_of(call)
    wanted = [f"status {' or '.join(map(str, as_list(status)))}" if status is not None else "an answer"]
    wanted += [f"with {body}"] if body is not None else []
    wanted += [f"as {content_type}"] if content_type else []
    limit_s = None if latest is None else seconds(history, latest)
    wanted += [f"within {limit_s:g} s"] if limit_s is not None else []
    expected = ", ".join(wanted)
    if request is None:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen=f"call {call} was never made")
    if reply is None or reply.status == 0:
        seen = "no answer came" + (f": {reply.error}" if reply is not None and reply.error else "")
        return finding(expect, Verdict.FAILED, expected=expected, seen=seen, events=(request.n,))
    took_s, events = (reply.t - request.t) / NS_PER_S, (request.n, reply.n)
    seen = f"{reply.status} {_short(reply.body)} after {took_s:.3f} s"
    if (
        (status is not None and not has_code(reply.status, as_list(status)))
        or (body is not None and not _in_body(body, reply.body))
        or (content_type is not None and not reply.content_type.lower().startswith(content_type.lower()))
    ):
        return finding(expect, Verdict.FAILED, expected=expected, seen=f"{seen} ({reply.content_type})", events=events)
    verdict = Verdict.OK
    if limit_s is not None and took_s > limit_s:
        jitter_s = history.worst_jitter(request.t, reply.t) / NS_PER_S
        verdict = Verdict.UNKNOWN if took_s - limit_s <= jitter_s else Verdict.LATE
    return finding(
        expect,
        verdict,
        expected=expected,
        seen=seen,
        measured_s=took_s,
        events=events,
        window=None if limit_s is None else Window(0.0, limit_s),
    )


@rule("audited", doubt=STALLED)
def audited(
    history: History,
    expect: Expect,
    *,
    operation: str,
    org: str | None = None,
    match: Mapping[str, Any] | None = None,
    mentions: Sequence[str] = (),
    at_least: int = 1,
    at_most: int | None = None,
    since: int | None = None,
) -> Finding:
    """The last reading of the audit log has such entries; ``since``: beyond those of the reading before that event.

    ``match`` is a subset of the flattened entry; each of ``mentions`` is a text somewhere in it, whatever its key.
    """
    if not capable(history, "audit"):
        return unsupported(expect, "audit")
    page = history.last_audit(org)
    named = f" that mention {' and '.join(mentions)}" if mentions else ""
    matching = f" with {dict(match)}" if match else ""
    expected = f"{amount(at_least, at_most)} audit entries of a {operation}{matching}{named}"
    if page is None:
        return finding(expect, Verdict.VACUOUS, expected=expected, seen="nobody read the audit log")
    old = [each for each in history.of(AuditPage) if since is not None and each.n < since and each.org == page.org]
    known = old[-1].entries if old else ()
    found = [
        entry
        for entry in page.entries
        if entry not in known
        and audit_entry(history, entry, operation, match or {})
        and texts_of(entry).issuperset(mentions)
    ]
    good = at_least <= len(found) and (at_most is None or len(found) <= at_most)
    seen = f"{len(found)} among {len(page.entries)} entries"
    return finding(expect, Verdict.OK if good else Verdict.FAILED, expected=expected, seen=seen, events=(page.n,))


def audit_entry(history: History, entry: Mapping[str, Any], operation: str, match: Mapping[str, Any]) -> bool:
    """Whether an entry has this operation (a key of the header's ``names``, or the name itself) and these values."""
    if entry.get("operation") != history.header.names.get(operation, operation):
        return False
    flat = flattened(entry) if match else {}
    return all(
        name in flat and (covers(value, flat[name]) or _holds(flat[name], value)) for name, value in match.items()
    )


def flattened(entry: Mapping[str, Any]) -> dict[str, Any]:
    """Every value under its dotted path and under its last name, the outermost of equal names first."""
    flat: dict[str, Any] = {}
    deeper: list[tuple[str, Mapping[str, Any]]] = [("", entry)]
    while deeper:
        prefix, mapping = deeper.pop(0)
        for name, value in mapping.items():
            flat.setdefault(name, value)
            flat.setdefault(prefix + name, value)
            if isinstance(value, dict):
                deeper.append((f"{prefix}{name}.", value))
    return flat


def texts_of(entry: Mapping[str, Any]) -> set[str]:
    """Every text in an entry, at any depth, also within lists."""
    found: set[str] = set()
    for value in flattened(entry).values():
        if isinstance(value, str):
            found.add(value)
        elif isinstance(value, list | tuple):
            found.update(each for each in value if isinstance(each, str))
    return found


@rule("redacted")
def redacted(history: History, expect: Expect) -> Finding:
    """No key is in any answer, error body, audit entry, frame or line of the relay's log (CON-6)."""
    expected, looked_at = "no key in answers, bodies, audit log, frames or the relay's log", 0
    for event, text in _public_texts(history):
        looked_at += 1
        if SECRET_MARK in text:
            at = text.index(SECRET_MARK)
            seen = f"...{text[max(0, at - 60) : at + 40]}..."
            return finding(expect, Verdict.FAILED, expected=expected, seen=seen, events=(event.n,))
    verdict = Verdict.OK if looked_at else Verdict.VACUOUS
    return finding(expect, verdict, expected=expected, seen=f"none in {looked_at} texts")


def _public_texts(history: History) -> Iterator[tuple[Base, str]]:
    """Everything that the relay gave away. The answer to a key's creation holds the key by right."""
    creations = {request.call for request in history.of(Request) if request.op.startswith("create_")}
    for event in history.events:
        match event:
            case Answer() if event.call not in creations:
                yield event, f"{_json(event.body)} {event.error}"
            case Refused():
                yield event, event.body
            case AuditPage():
                yield event, _json(event.entries)
            case RelayLog():
                yield event, "\n".join(event.lines)
            case Frame(by="relay"):
                yield event, event.data


@rule("surfaced", doubt=STALLED)
def surfaced(
    history: History,
    expect: Expect,
    *,
    executor: str,
    since: int | None = None,
    until: int | None = None,
    app: str | None = None,
    org: str | None = None,
) -> Finding:
    """The waiting recovery is in the audit log or in the query for surfaced recoveries (REC-27)."""
    if not capable(history, "surfaced") and not capable(history, "audit"):
        return unsupported(expect, "surfaced")
    who, inside = history.who(executor, app=app, org=org), stretch(history, since, until)
    expected, looked_at = f"the waiting for {executor} is surfaced", 0
    readings: list[Surfaced | AuditPage] = [*history.of(Surfaced), *history.of(AuditPage)]
    for event in readings:
        # The audit log keeps what was surfaced: a later reading shows it too.
        if not inside.holds(event) and not (isinstance(event, AuditPage) and event.n > inside.since_n):
            continue
        looked_at += 1
        if isinstance(event, Surfaced):
            shown = event.executors if (event.org, event.app) == who.tenant else ()
            found = executor in shown
        else:
            found = event.org == who.org and any(
                audit_entry(history, entry, "surfaced", {}) and executor in _json(entry) for entry in event.entries
            )
        if found:
            return finding(expect, Verdict.OK, expected=expected, seen="surfaced", events=(event.n,))
    verdict = Verdict.FAILED if looked_at else Verdict.VACUOUS
    return finding(expect, verdict, expected=expected, seen=f"not in {looked_at} readings of audit log or query")


def _in_body(wanted: Any, body: Any) -> bool:
    if isinstance(wanted, str) and isinstance(body, str):
        return wanted in body
    return covers(wanted, body)


def _holds(found: Any, value: Any) -> bool:
    return isinstance(found, list | tuple) and value in found


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _short(body: Any) -> str:
    text = body if isinstance(body, str) else _json(body)
    return text if len(text) <= 160 else f"{text[:157]}..."
