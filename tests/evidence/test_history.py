"""Recording a history and reading it back."""

from __future__ import annotations

import base64
import itertools
from pathlib import Path
from typing import Any

import pytest

from evidence import errors
from evidence.events import Footer, Frame, Header, Jitter, Note, Open, Poll, Seen
from evidence.history import History, Recorder, load, parse

HEADER: dict[str, Any] = {
    "scenario": "LIV-4/close",
    "title": "a close",
    "clauses": ("LIV-4",),
    "world": "simulated",
    "relay": "reference",
    "profile_digest": "",
    "timing": {"w": 25.0},
    "capabilities": {},
    "names": {},
    "seed": 7,
}


def recorder(path: Path | None = None, **header: Any) -> Recorder:
    ticks = itertools.count(0, 1_000)
    made = Recorder(path, clock=lambda: next(ticks))
    made.header(**(HEADER | header))
    return made


def written(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def test_a_history_reads_back_as_it_was_recorded(tmp_path: Path) -> None:
    path = tmp_path / "histories" / "h.jsonl"
    with recorder(path) as rec:
        assert rec.add(Open, conn=1, org="o", app="a", executor="e1") == 1
        assert rec.add(Note, text="marked", t=123) == 2
    back = load(path)
    assert back.events == tuple(rec.events) == rec.history().events
    assert back.header.tool.startswith("relayproof")
    assert back[2].t == 123
    assert back.footer.outcome == "complete"
    assert back.end_ns == back.footer.t
    back.save(tmp_path / "copy.jsonl")
    assert (tmp_path / "copy.jsonl").read_bytes() == path.read_bytes()


def test_each_line_is_on_disk_at_once(tmp_path: Path) -> None:
    path = tmp_path / "h.jsonl"
    rec = recorder(path)
    rec.add(Note, text="x")
    assert len(written(path)) == 2


def test_an_exception_makes_the_footer_an_error(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError), recorder(tmp_path / "h.jsonl"):
        raise ZeroDivisionError("by nought")
    footer = load(tmp_path / "h.jsonl").footer
    assert (footer.outcome, footer.error) == ("error", "ZeroDivisionError: by nought")


def test_after_close_nothing_is_recorded(tmp_path: Path) -> None:
    rec = recorder(tmp_path / "h.jsonl")
    rec.close("complete")
    rec.add(Note, text="late")
    rec.close("error", "too late")
    assert isinstance(load(tmp_path / "h.jsonl").events[-1], Footer)
    assert load(tmp_path / "h.jsonl").footer.outcome == "complete"


def test_a_secret_is_replaced_in_every_form() -> None:
    rec = recorder()
    rec.secret("main", 's3cr"et/key')
    rec.secret("empty", "")
    rec.add(Note, text='plain s3cr"et/key', detail={"url": "/websocket/a/s3cr%22et%2Fkey"})
    rec.add(Frame, conn=1, by="relay", op="text", data='{"k": "s3cr\\"et/key"}')
    rec.add(Frame, conn=1, by="relay", op="binary", data=base64.b64encode(b'\xffs3cr"et/key').decode(), b64=True)
    rec.add(Frame, conn=1, by="relay", op="binary", data="not base64", b64=True)
    note, frame, binary, odd = rec.events[1:]
    assert isinstance(note, Note) and isinstance(frame, Frame) and isinstance(binary, Frame) and isinstance(odd, Frame)
    assert note.text == "plain <key:main>"
    assert note.detail == {"url": "/websocket/a/<key:main>"}
    assert frame.data == '{"k": "<key:main>"}'
    assert base64.b64decode(binary.data) == b"\xff<key:main>"
    assert odd.data == "not base64"


def test_an_unchanged_list_is_written_once() -> None:
    rec = recorder()
    seen = (Seen("e1", "HEALTHY"),)
    rec.add(Poll, org="o", app="a", asked=0, executors=seen)
    rec.add(Poll, org="o", app="b", asked=0, executors=seen)
    rec.add(Poll, org="o", app="a", asked=0, error="503")
    rec.add(Poll, org="o", app="a", asked=0, executors=seen)
    rec.add(Poll, org="o", app="a", asked=0, executors=())
    rec.add(Poll, org="o", app="a", asked=0, same=True)
    assert [event.same for event in rec.events if isinstance(event, Poll)] == [False, False, False, True, False, True]


def test_last_finds_the_newest_event_of_a_tag() -> None:
    rec = recorder()
    first = rec.add(Open, conn=1, org="o", app="a", executor="e1")
    rec.add(Open, conn=2, org="o", app="a", executor="e2")
    assert rec.last("open", executor="e1") == first
    assert rec.last("open") == first + 1
    with pytest.raises(LookupError, match="executor='e3'"):
        rec.last("open", executor="e3")
    with pytest.raises(LookupError, match="any fields"):
        rec.last("closed")


def test_the_header_comes_first_and_once() -> None:
    rec = Recorder(None, clock=lambda: 0)
    with pytest.raises(errors.RecorderMisuse, match="before the header"):
        rec.add(Note, text="x")
    rec.header(**HEADER)
    with pytest.raises(errors.RecorderMisuse, match="once"):
        rec.header(**HEADER)


def test_digest_ignores_the_time_of_day_only() -> None:
    def one(started: str, seed: int) -> str:
        rec = recorder(started=started, seed=seed)
        rec.close("complete")
        return rec.history().digest()

    assert one("2026-01-01T00:00:00Z", 1) == one("2027-01-01T00:00:00Z", 1)
    assert one("2026-01-01T00:00:00Z", 1) != one("2026-01-01T00:00:00Z", 2)


def complete(tmp_path: Path) -> list[bytes]:
    path = tmp_path / "complete.jsonl"
    with recorder(path) as rec:
        rec.add(Jitter, worst=5)
        rec.add(Note, text="x")
    return written(path)


def text(lines: list[bytes]) -> bytes:
    return b"".join(line + b"\n" for line in lines)


@pytest.mark.parametrize("keep", [1, 2, 3])
def test_a_history_without_footer_is_truncated(tmp_path: Path, keep: int) -> None:
    with pytest.raises(errors.TruncatedHistory, match="no footer"):
        parse(text(complete(tmp_path)[:keep]))


def test_a_cut_line_or_an_empty_file_is_truncated(tmp_path: Path) -> None:
    with pytest.raises(errors.TruncatedHistory, match="line 4 is cut off"):
        parse(text(complete(tmp_path))[:-5])
    with pytest.raises(errors.TruncatedHistory, match="empty"):
        parse(b"")


def test_a_footer_that_counts_more_is_truncated(tmp_path: Path) -> None:
    lines = complete(tmp_path)
    lines[-1] = lines[-1].replace(b'"events":3', b'"events":9')
    with pytest.raises(errors.TruncatedHistory, match="counts 9"):
        parse(text(lines))


def test_a_gap_a_second_header_and_nonsense_are_malformed(tmp_path: Path) -> None:
    lines = complete(tmp_path)
    with pytest.raises(errors.MalformedHistory, match="has number 2, expected 1"):
        parse(text(lines[:1] + lines[2:]))
    with pytest.raises(errors.MalformedHistory, match="line 2 is no event"):
        parse(text([lines[0], b"{}", *lines[2:]]))
    with pytest.raises(errors.MalformedHistory, match="line 1 is no event"):
        parse(text([b"\xff", *lines[1:]]))
    with pytest.raises(errors.MalformedHistory, match="a second header"):
        second = lines[0].replace(b'"n":0', b'"n":1')
        parse(text([lines[0], second, *lines[2:]]))
    with pytest.raises(errors.MalformedHistory, match="no header but 'jitter'"):
        parse(text(lines[1:]))


def test_a_later_format_is_named_before_its_fields_are_read(tmp_path: Path) -> None:
    lines = complete(tmp_path)
    with pytest.raises(errors.UnknownFormat, match="format 99"):
        parse(text([b'{"ev":"header","format":99,"strange":true}', *lines[1:]]))
    header = Header(n=0, t=0, format=2, tool="", started="", **HEADER)
    with pytest.raises(errors.UnknownFormat, match="format 2"):
        History([header])


def test_events_are_found_by_number(tmp_path: Path) -> None:
    history = parse(text(complete(tmp_path)))
    assert history[1] == Jitter(n=1, t=history[1].t, worst=5)
    with pytest.raises(errors.HistoryError, match="no event 4; the last one is 3"):
        history[4]


def test_a_recorder_tells_whether_data_holds_a_secret() -> None:
    recorder = Recorder(None, clock=lambda: 0)
    recorder.secret("admin", 'dbos_"a"/b')
    for form in (b'x dbos_"a"/b', b'{"k":"dbos_\\"a\\"/b"}', b"/websocket/app/dbos_%22a%22%2Fb"):
        assert recorder.holds_secret(form)
    assert not recorder.holds_secret(b"dbos_")
