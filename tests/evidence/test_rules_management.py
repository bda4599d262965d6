"""answer, audited, redacted, surfaced, value, equal."""

from __future__ import annotations

from typing import Any

import pytest

from evidence import events
from evidence.rules.management import flattened, texts_of
from evidence.verdict import Verdict
from tests.evidence.evidence_play import APP, ORG, Play, deleted, recovered


@pytest.mark.parametrize(
    ("status", "body", "args", "verdict"),
    [
        (200, {"a": 1, "b": [1, 2]}, {"status": 200, "body": {"a": 1}}, Verdict.OK),
        (200, {"a": 1, "b": [1, 2]}, {"body": {"b": [2]}}, Verdict.FAILED),
        (200, {"a": 1.0}, {"body": {"a": 1}}, Verdict.OK),
        (200, {"a": True}, {"body": {"a": 1}}, Verdict.FAILED),
        (200, {"a": None}, {"body": {"a": None}}, Verdict.OK),
        (404, {}, {"status": ["4xx"]}, Verdict.OK),
        (404, {}, {"status": "2xx"}, Verdict.FAILED),
        (200, "all is well", {"body": "is well"}, Verdict.OK),
        (200, {}, {"content_type": "application/json"}, Verdict.OK),
        (200, {}, {"content_type": "application/problem+json"}, Verdict.FAILED),
        (200, {}, {"latest": "2"}, Verdict.OK),
        (200, {}, {"latest": "slack"}, Verdict.LATE),
        (0, None, {}, Verdict.FAILED),
    ],
)
def test_answer(status: int, body: Any, args: dict[str, Any], verdict: Verdict) -> None:
    play = Play("API-2")
    call = play.call()
    play.at(1.0).add(
        events.Answer,
        call=call,
        status=status,
        body=body,
        content_type="application/json; charset=utf-8",
        error="reset" if status == 0 else "",
    )
    play.expect("API-2", "answer", call=call, **args)
    assert play.verdict("answer") is verdict


def test_a_late_answer_within_the_jitter_is_unknown() -> None:
    play = Play("API-2")
    call = play.call()
    play.at(0.4).add(events.Answer, call=call, status=200)
    play.add(events.Jitter, worst=200_000_000)
    play.expect("API-2", "answer", call=call, latest="slack")
    assert play.verdict("answer") is Verdict.UNKNOWN


def test_an_answer_that_never_came_and_a_call_that_was_never_made() -> None:
    play = Play("API-2")
    play.expect("API-2", "answer", call=play.call(), content_type="x", body={}, latest="1", status=200)
    assert play.verdict("answer") is Verdict.FAILED
    play = Play("API-2")
    play.expect("API-2", "answer", call=7)
    assert play.verdict("answer") is Verdict.VACUOUS


ENTRIES = (
    {"operation": "executor.recover", "status": "success", "details": {"executorId": "e1", "peers": ["e2", "e3"]}},
    {"operation": "executor.delete", "target": {"id": "shop"}, "details": {"executorId": "e1"}},
)


@pytest.mark.parametrize(
    ("args", "verdict"),
    [
        ({"operation": "recovery"}, Verdict.OK),
        ({"operation": "executor.recover"}, Verdict.OK),
        ({"operation": "recovery", "match": {"status": "success", "executorId": "e1"}}, Verdict.OK),
        ({"operation": "recovery", "match": {"details.executorId": "e1", "peers": "e3"}}, Verdict.OK),
        ({"operation": "recovery", "match": {"executorId": "e9"}}, Verdict.FAILED),
        ({"operation": "recovery", "match": {"nothing": 1}}, Verdict.FAILED),
        ({"operation": "recovery", "mentions": ["e1", "e2"]}, Verdict.OK),
        ({"operation": "deletion", "mentions": ["e2"]}, Verdict.FAILED),
        ({"operation": "deletion", "at_least": 2}, Verdict.FAILED),
        ({"operation": "deletion", "at_least": 0, "at_most": 0}, Verdict.FAILED),
        ({"operation": "surfaced", "at_least": 0, "at_most": 0}, Verdict.OK),
        ({"operation": "recovery", "org": "other"}, Verdict.VACUOUS),
    ],
)
def test_audited(args: dict[str, Any], verdict: Verdict) -> None:
    play = Play("AUD-3")
    play.audit(*ENTRIES)
    play.expect("AUD-3", "audited", **args)
    assert play.verdict("audited") is verdict


def test_audited_since_an_event_looks_beyond_the_reading_before_it() -> None:
    for since_first, verdict in ((True, Verdict.FAILED), (False, Verdict.OK)):
        play = Play("AUD-3")
        before = play.poll()
        play.audit(ENTRIES[0])
        since = play.poll()
        play.audit(*ENTRIES)
        play.expect("AUD-3", "audited", operation="recovery", since=since if since_first else before)
        assert play.verdict("audited") is verdict


def test_audited_without_the_capability_is_unsupported() -> None:
    play = Play("AUD-3", capabilities={"audit": False})
    play.expect("AUD-3", "audited", operation="recovery")
    assert play.verdict("audited") is Verdict.UNSUPPORTED


def test_flattened_keeps_paths_and_the_outermost_name() -> None:
    flat = flattened({"id": 1, "a": {"id": 2, "b": {"c": 3}}})
    assert (flat["id"], flat["a.id"], flat["a.b.c"], flat["c"]) == (1, 2, 3, 3)
    assert texts_of({"a": {"b": ["x", 1, "y"]}, "c": "z", "d": 4}) == {"x", "y", "z"}


@pytest.mark.parametrize("kind", ["answer", "refused", "audit", "log", "frame"])
def test_a_key_anywhere_in_public_is_found(kind: str) -> None:
    play = Play("CON-6")
    call = play.call()
    conn = play.dial("e1", shake=False)
    match kind:
        case "answer":
            play.add(events.Answer, call=call, status=401, body={"detail": "bad <key:main>"})
        case "refused":
            play.add(events.Refused, conn=conn, status=401, body="bad <key:main>")
        case "audit":
            play.audit({"details": {"token": "<key:main>"}})
        case "log":
            play.add(events.RelayLog, lines=("ready", "GET /websocket/a/<key:main>"))
        case "frame":
            play.text(conn, '{"key": "<key:main>"}')
    play.expect("CON-6", "redacted")
    finding = play.found("redacted")
    assert finding.verdict is Verdict.FAILED
    assert "<key:main>" in finding.seen


def test_the_answer_to_a_keys_creation_may_hold_it() -> None:
    play = Play("CON-6")
    call = play.call("create_key")
    play.add(events.Answer, call=call, status=201, body={"secret": "<key:new>"})
    play.expect("CON-6", "redacted")
    assert play.verdict("redacted") is Verdict.VACUOUS
    play = Play("CON-6")
    play.add(events.Answer, call=play.call(), status=200, body=None)
    play.expect("CON-6", "redacted")
    assert play.verdict("redacted") is Verdict.OK


def test_surfaced_in_the_query_or_in_the_audit_log() -> None:
    def surfaced(*, query: tuple[str, ...] | None = None, entry: dict[str, Any] | None = None) -> Verdict:
        play = Play("REC-27")
        play.dial("e1")
        since = play.poll(e1="DEAD")
        if query is not None:
            play.at(1.0).add(events.Surfaced, org=ORG, app=APP, asked=0, executors=query)
        until = play.at(2.0).poll(e1="DEAD")
        if entry is not None:
            play.at(3.0).audit(entry)
        play.expect("REC-27", "surfaced", executor="e1", since=since, until=until)
        [finding] = [each for each in play.judge().findings if each.rule == "surfaced"]
        return finding.verdict

    assert surfaced(query=("e1", "e2")) is Verdict.OK
    assert surfaced(query=("e2",)) is Verdict.NON_STRICT
    assert surfaced(entry={"operation": "executor.surface", "details": {"executorId": "e1"}}) is Verdict.OK
    assert surfaced(entry=deleted("e1")) is Verdict.NON_STRICT
    assert surfaced() is Verdict.VACUOUS


def test_surfaced_is_looked_for_after_the_event_only() -> None:
    play = Play("REC-27")
    play.dial("e1")
    play.add(events.Surfaced, org=ORG, app=APP, asked=0, executors=("e1",))
    play.audit({"operation": "executor.surface", "details": {"executorId": "e1"}})
    since = play.at(1.0).poll(e1="DEAD")
    play.expect("REC-27", "surfaced", executor="e1", since=since)
    assert play.verdict("surfaced") is Verdict.VACUOUS


def test_surfaced_elsewhere_or_where_nothing_shows_it() -> None:
    play = Play("REC-27")
    play.dial("e1")
    play.add(events.Surfaced, org=ORG, app="other", asked=0, executors=("e1",))
    play.expect("REC-27", "surfaced", executor="e1")
    assert play.verdict("surfaced") is Verdict.NON_STRICT
    play = Play("REC-27", capabilities={"surfaced": False, "audit": False})
    play.dial("e1")
    play.expect("REC-27", "surfaced", executor="e1")
    assert play.verdict("surfaced") is Verdict.UNSUPPORTED


def test_value_is_information_whatever_the_clause() -> None:
    play = Play("LIV-10")
    play.expect("LIV-10", "value", name="from when", value=1.5, unit="s")
    finding = play.found("value")
    assert (finding.verdict, finding.measured_s, finding.seen) == (Verdict.INFO, 1.5, "from when: 1.5 s")


@pytest.mark.parametrize(
    ("want", "got", "verdict"),
    [
        (1, 1, Verdict.OK),
        (1, 1.0, Verdict.OK),
        (1, True, Verdict.FAILED),
        ("a", "b", Verdict.FAILED),
        ({"a": [1]}, {"a": [1]}, Verdict.OK),
        ({"a": 1}, {"a": 1, "b": 2}, Verdict.FAILED),
        ([1], [1, 2], Verdict.FAILED),
        ({"a": 1}, [1], Verdict.FAILED),
    ],
)
def test_equal(want: Any, got: Any, verdict: Verdict) -> None:
    play = Play("ENV-2")
    play.expect("ENV-2", "equal", name="the answer", want=want, got=got, events=[0])
    assert play.verdict("equal") is verdict


def test_the_entry_of_a_recovery_names_both() -> None:
    assert texts_of(recovered("e1", "e2")) >= {"e1", "e2"}
