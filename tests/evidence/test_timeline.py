"""Views over a history: connections, requests, lists, moments."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError

import pytest

from evidence import events
from evidence import history as history_module
from evidence.errors import RuleMisuse
from evidence.timeline import Timeline
from evidence.views import Tenant, Who
from evidence.window import Span
from tests.evidence.evidence_play import APP, ORG, Play

HERE = Tenant(ORG, APP)


def test_a_connection_goes_by_the_id_that_it_reported() -> None:
    play = Play()
    conn = play.dial("announced", shake=False)
    play.reply(conn, play.ask(conn, "executor_info"), executor_id="reported")
    view = play.history()
    assert view.connection(conn).who == Who(ORG, APP, "reported")
    assert view.who("announced") == Who(ORG, APP, "announced")
    assert view.conns_of(Who(ORG, APP, "announced")) == []
    with pytest.raises(RuleMisuse, match=r"no connection 9; dialled were \[1\]"):
        view.connection(9)


def test_a_later_introduction_changes_nobodys_id() -> None:
    play = Play()
    conn = play.dial("e1")
    done_ns = play.history().connection(conn).handshake_ns
    play = Play()
    conn = play.dial("e1")
    ask = play.recorder.last("frame", by="relay")
    play.at(1.0).reply(conn, ask, executor_id="e2")
    view = play.history().connection(conn)
    assert (view.executor, view.handshake_ns) == ("e1", done_ns)


def test_the_first_end_of_a_connection_counts() -> None:
    play = Play()
    conn = play.dial("e1")
    closing = play.at(1.0).frame(conn, "close", code=1000)
    play.at(2.0).frame(conn, "close", code=1001)
    closed = play.at(3.0).end(conn, by="relay")
    play.at(4.0).add(events.Relay, what="killed")
    play.add(events.Fault, kind="freeze", conn=conn)
    view = play.history().connection(conn)
    assert view.relay_end is not None
    assert (view.relay_end.n, view.end_n, view.end_ns) == (closing, closed, 3_000_000_000)
    assert view.fault_ns is None  # what was over can't be broken


def test_a_relay_that_ends_takes_its_connections_along() -> None:
    play = Play()
    conn = play.dial("e1")
    killing = play.at(1.0).add(events.Relay, what="killing")
    play.at(1.9).add(events.Relay, what="killed")  # the command took its time
    play.at(2.0).add(events.Relay, what="ready")
    fresh = play.dial("e1")
    view = play.history()
    assert view.connection(conn).end_n == killing
    assert view.connection(fresh).end_n is None
    assert view.relay_stops() == [1_000_000_000, 1_900_000_000]


def test_a_fault_hits_its_connection_its_executor_or_everybody() -> None:
    play = Play()
    one, two, three = play.dial("e1"), play.dial("e1"), play.dial("e2")
    play.at(1.0).add(events.Fault, kind="freeze", conn=one)
    play.at(2.0).add(events.Fault, kind="no-pongs", executor="e1")
    play.at(3.0).add(events.Fault, kind="pause")
    view = play.history()
    assert [view.connection(conn).fault_ns for conn in (one, two, three)] == [10**9, 2 * 10**9, 3 * 10**9]


def test_a_request_has_the_first_response_under_its_id() -> None:
    play = Play()
    conn = play.dial("e1")
    ask = play.recover(conn, "e9")
    answer = play.reply(conn, ask, success=True)
    play.reply(conn, ask, success=False)
    view = play.history()
    [(_, pair)] = list(view.asks_of("recovery"))
    assert pair.answer is not None
    assert (pair.answer.frame.n, pair.succeeded, pair.names) == (answer, True, ("e9",))


def test_what_is_no_success() -> None:
    play = Play()
    conn = play.dial("e1")
    for answer in ({"success": True, "error_message": "no"}, {"success": True, "type": "cancel"}, {"success": 1}, None):
        ask = play.recover(conn, "e9")
        if answer is not None:
            play.reply(conn, ask, **answer)
    assert [ask.succeeded for _, ask in play.history().asks_of("recovery")] == [False] * 4


def test_a_request_without_an_id_has_no_answer_and_odd_ids_name_nobody() -> None:
    play = Play()
    conn = play.dial("e1")
    play.text(conn, {"type": "recovery", "executor_ids": "e9"})
    play.text(conn, {"type": "recovery"}, by="executor")
    [(_, ask)] = list(play.history().asks_of("recovery"))
    assert (ask.answer, ask.answered_ns, ask.names) == (None, None, ())


def test_lists_leave_out_errors_and_repeat_what_was_the_same() -> None:
    play = Play()
    play.poll(e1="HEALTHY")
    play.add(events.Poll, org=ORG, app=APP, asked=0, error="503")
    play.poll(e1="HEALTHY")
    sights = play.history().polls_of(HERE)
    assert [sight.statuses("e1") for sight in sights] == [("HEALTHY",), ("HEALTHY",)]
    assert sights[1].poll.same
    assert sights[0].statuses("e2") == ("GONE",)


def test_an_event_that_took_time_is_an_interval() -> None:
    play = Play()
    first = play.at(1.0).poll(took_s="0.5", e1="HEALTHY")
    second = play.at(2.0).poll(took_s="0.5", e1="DEAD")
    call = play.at(3.0).call()
    answer = play.at(4.0).add(events.Answer, call=call, status=200)
    stray = play.add(events.Answer, call=99, status=200)
    setting = play.at(5.0).add(events.Setting, org=ORG, app=APP, asked=4_500_000_000, changes={})
    page = play.audit()
    view = play.history()

    def span(n: int) -> tuple[float, float]:
        return view.span(n).low_ns / 1e9, view.span(n).high_ns / 1e9

    assert [span(n) for n in (first, second, answer, stray, setting, page)] == [
        (0.5, 1.0),
        (0.5, 2.0),
        (3.0, 4.0),
        (4.0, 4.0),
        (4.5, 5.0),
        (5.0, 5.0),
    ]
    assert view.span(0) == Span.at(0)


def test_grace_is_what_the_application_was_made_with() -> None:
    play = Play()
    play.app(grace_s=5)
    play.add(events.Setting, org=ORG, app=APP, asked=0, changes={"executorTimeoutSecs": 3, "other": "x"})
    play.add(events.Setting, org=ORG, app=APP, asked=0, changes={"executorTimeoutSecs": None})
    view = play.history()
    assert (view.grace_s(HERE), view.least_grace_s(HERE, 60)) == (5, 3.0)
    assert (view.grace_s(Tenant("x", "y")), view.least_grace_s(Tenant("x", "y"), 60)) == (None, 60)


def test_jitter_is_the_worst_of_the_time_in_question() -> None:
    play = Play()
    for at_s, worst in ((1.0, 5), (2.0, 9), (3.0, 7)):
        play.at(at_s).add(events.Jitter, worst=worst)
    view = play.history()
    second = 10**9
    assert view.worst_jitter(0, second // 2) == 5
    assert view.worst_jitter(second * 3 // 2, second * 3 // 2) == 9
    assert view.worst_jitter(0, 5 * second) == 9
    assert view.worst_jitter(second * 5 // 2, 9 * second) == 7
    assert view.worst_jitter(4 * second, 5 * second) == 0


def test_events_of_connections_that_nobody_dialled_are_passed_over() -> None:
    assert Timeline([events.Upgraded(n=0, t=0, conn=4)]).connections == {}


def test_applications_are_found_by_name_and_organisation() -> None:
    play = Play()
    play.app("a")
    play.app("a", org="other")
    view = play.history()
    assert view.tenant("a") == Tenant(ORG, "a")
    assert view.tenant("a", "other") == Tenant("other", "a")
    with pytest.raises(RuleMisuse, match="no application 'b'"):
        view.tenant("b")


def test_frames_that_are_no_json_object_are_no_messages() -> None:
    play = Play()
    conn = play.dial("e1")
    numbers = [
        play.text(conn, "[]"),
        play.text(conn, "{"),
        play.frame(conn, "text", data="{}", size=9),
        play.frame(conn, "text", data="e30=", b64=True),
        play.frame(conn, "binary", data="{}"),
    ]
    view = play.history()
    frames = [view.events[n] for n in numbers]
    assert [view.message(frame) for frame in frames if isinstance(frame, events.Frame)] == [None] * 5


def test_the_tool_names_itself_also_where_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr("evidence.history.version", missing)
    history_module._tool.cache_clear()
    try:
        assert Play().history().header.tool == "relayproof"
    finally:
        history_module._tool.cache_clear()
