"""The reports of one run: terminal, JUnit, Markdown, page, picture; and the commands that write them."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from html import escape, unescape
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from rich.console import Console

import spec
from evidence import events, run
from evidence.history import load
from evidence.verdict import Finding, RunResult, ScenarioResult, Verdict
from relayproof import cli, report
from relayproof.report.picture import MOST_LANES, picture
from relayproof.report.screenshot import opened
from tests.evidence import recorded
from tests.evidence.evidence_play import Play

HOSTILE = 'x</script><script>alert(1)</script>\x00\x1b[31m|`<b>"&'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run with one scenario for each kind of verdict, one with hostile texts and one that is cut off."""
    made = run.new_folder(tmp_path / "results", "builtin:reference")
    histories = made / run.HISTORIES
    recorded.write(histories)
    hostile = Play("CON-1", path=histories / "hostile.jsonl", scenario="CON-1/hostile", title=HOSTILE)
    conn = hostile.dial(HOSTILE, upgrade=False)
    hostile.add(events.Refused, conn=conn, status=500, body=HOSTILE)
    hostile.expect("CON-1", "accepted", conn=conn)
    hostile.history()
    entries = tuple(
        run.Entry(scenario=_header(path).scenario, world="simulated", path=f"{run.HISTORIES}/{path.name}")
        for path in sorted(histories.glob("*.jsonl"))
    )
    index = run.Index(
        tool="relayproof 0",
        relay="my relay",
        target="cmd:serve {port}",
        started="2026-01-01T00:00:00+00:00",
        seed=3,
        pace="fast",
        timing={"w": 1.25},
        scenarios=entries,
        duration_s=12.5,
        host=run.host_facts(),
        command="relayproof",
    )
    run.write_index(made, index)
    return made


def _header(path: Path) -> events.Header:
    return msgspec.json.decode(path.read_bytes().partition(b"\n")[0], type=events.Header)


@pytest.fixture
def judged(folder: Path) -> RunResult:
    return run.judge_run(folder, spec.clauses())


def printed(result: RunResult) -> str:
    out = io.StringIO()
    report.terminal(result, Console(file=out, width=160))
    return out.getvalue()


def test_the_terminal_shows_clauses_failures_and_how_to_see_them_again(judged: RunResult) -> None:
    text = printed(judged)
    assert "LIV-7" in text and "HARNESS-ERROR" in text
    assert "expected" in text and "seen" in text and "measured" in text and "window" in text
    again = "relayproof conform --relay 'cmd:serve {port}' --world simulated --timing fast --seed 3 --select LIV-7/edge"
    assert again in text
    assert text.rstrip().splitlines()[-1].startswith("FAIL 13 scenarios")


def test_a_run_that_conform_can_not_play_says_itself_how_it_is_seen_again(folder: Path) -> None:
    index = run.read_index(folder)
    line = "relayproof replay 'my file.toml' --relay builtin:reference"
    entries = tuple(msgspec.structs.replace(entry, again=line) for entry in index.scenarios)
    run.write_index(folder, msgspec.structs.replace(index, scenarios=entries))
    told = run.judge_run(folder, spec.clauses())
    suite = ElementTree.fromstring(report.junit_xml(told))
    assert f"again: {line}\n" in "".join(suite.itertext())
    for text in (printed(told), report.markdown(told), unescape(report.page(told, folder))):
        assert line in text and "relayproof conform" not in text


def test_what_nothing_tells_how_to_see_again_is_seen_with_the_command_as_it_was_typed(judged: RunResult) -> None:
    old = msgspec.structs.replace(judged, pace="chaos", command="relayproof chaos --test all")
    assert "again     relayproof chaos --test all\n" in printed(old)


def test_the_terminal_leaves_out_what_would_never_be_read(judged: RunResult) -> None:
    many = tuple(
        ScenarioResult(scenario=f"LIV-4/{n}", title="t", world="wire", clauses={"LIV-4": Verdict.FAILED})
        for n in range(25)
    )
    text = printed(msgspec.structs.replace(judged, scenarios=many))
    assert "... and 5 more; report.html has them all" in text
    assert "LIV-4/0@wire, LIV-4/1@wire, LIV-4/2@wire and 22 more" in " ".join(text.split())


def test_a_run_that_passes_says_so(judged: RunResult) -> None:
    fine = tuple(scenario for scenario in judged.scenarios if scenario.verdict is Verdict.OK)
    passing = msgspec.structs.replace(judged, scenarios=fine)
    assert "PASS 1 scenario, 1 clause: 1 OK" in printed(passing)
    assert "✅ PASS" in report.markdown(passing)


def test_junit_counts_by_kind(judged: RunResult) -> None:
    suite = ElementTree.fromstring(report.junit_xml(judged)).find("testsuite")
    assert suite is not None
    counted = {name: suite.get(name) for name in ("tests", "failures", "errors", "skipped")}
    assert counted == {"tests": "13", "failures": "6", "errors": "3", "skipped": "1"}
    cases = {case.get("name"): case for case in suite.iter("testcase")}
    edge = suite.findall("testcase[@name='LIV-7/edge']/failure")
    assert {each.get("type") for each in edge} == {"EARLY", "LATE"}
    assert "again: relayproof conform" in (edge[0].text or "")
    hostile = cases["CON-1/hostile"].find("failure")
    assert hostile is not None and "�" in (hostile.text or "")


def test_markdown_keeps_hostile_text_within_its_line(judged: RunResult) -> None:
    text = report.markdown(judged)
    assert "<script" not in text and "<b>" not in text
    assert "| LIV liveness | 💥 HARNESS-ERROR |" in text
    many = tuple(judged.scenarios[0] for _ in range(31))
    failing = msgspec.structs.replace(many[0], clauses={"LIV-7": Verdict.LATE})
    assert "... and 1 more" in report.markdown(msgspec.structs.replace(judged, scenarios=(failing,) * 31))


class Elements(HTMLParser):
    """Counts elements, and keeps what would go to the network."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [value or "" for name, value in attrs if name in ("src", "href", "action", "data")]


def test_the_page_is_whole_by_itself(judged: RunResult, folder: Path) -> None:
    html = report.page(judged, folder)
    seen = Elements()
    seen.feed(html)
    assert all(link.startswith(("#", "histories/")) for link in seen.links)
    assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", html)
    assert seen.tags.count("figure") == 12  # all but the one that is cut off
    assert "No drawing: truncated.jsonl: no footer" in html
    assert "no-such" not in html


def test_the_page_gives_no_hostile_text_a_chance(judged: RunResult, folder: Path) -> None:
    html = report.page(judged, folder)
    assert "<script>alert" not in html and "</script><script>" not in html
    data = re.findall(r'<script type="application/json">(.*?)</script>', html, re.DOTALL)
    assert any("alert(1)" in json.dumps(json.loads(each)) for each in data)
    assert not any(set("<>&") & set(each) for each in data)


def test_write_all_leaves_every_report(judged: RunResult, folder: Path) -> None:
    paths = report.write_all(judged, folder)
    assert [path.name for path in paths] == list(report.FILES)
    assert msgspec.json.decode((folder / "verdicts.json").read_bytes(), type=RunResult) == judged


def test_one_scenario_can_be_unfolded_for_a_photograph(judged: RunResult, folder: Path) -> None:
    html = report.page(judged, folder)
    moved = opened(html, "CON-8/status")
    assert len(moved) == len(html) + len(" open")
    end = moved.index("</details>", moved.index('class="scenario"'))
    assert moved.index("<details open") < moved.index('<span class="id">CON-8/status') < end
    with pytest.raises(LookupError, match="no scenario 'LIV-1/nowhere'"):
        opened(html, "LIV-1/nowhere")


# ---------------------------------------------------------------- picture


def test_the_picture_has_lanes_bands_marks_and_the_window(folder: Path) -> None:
    history = load(folder / run.HISTORIES / "late.jsonl")
    [late] = [each for each in run.judge_run(folder, spec.clauses()).scenarios if each.verdict is Verdict.LATE]
    drawn = picture(history, late.findings)
    assert [lane.name for lane in drawn.lanes] == ["relay and calls", "e1", "e2"]
    assert [band.status for band in drawn.lanes[1].bands] == ["HEALTHY", "DISCONNECTED", "DEAD"]
    assert {mark.kind for mark in drawn.lanes[1].marks} == {"out", "in", "fault"}
    assert {mark.kind for mark in drawn.lanes[2].marks} == {"out", "in", "recovery-out", "recovery-in"}
    assert len(drawn.lanes[2].pings) == 8
    [shade] = drawn.shades
    assert (shade.lane, shade.kind, shade.start_s, shade.end_s) == (1, "bad", 3.0, 3.413)
    assert drawn.end_s >= shade.end_s


def test_everything_that_can_be_drawn() -> None:
    play = Play()
    play.add(events.Relay, what="ready")
    conn = play.dial("e1", app="a")
    refused = play.dial("e2", app="b", upgrade=False)
    play.add(events.Refused, conn=refused, status=401)
    play.dial("e3", app="b")
    call = play.at(1.0).call("cancel_workflow", path="/v2")
    play.add(events.Answer, call=call, status=200)
    play.add(events.Note, text="x" * 500)
    play.add(events.Fault, kind="pause")
    play.text(conn, "[]", by="executor")
    play.frame(conn, "close", code=1000)
    play.at(1.5).add(events.Relay, what="killed")
    play.end(conn, by="relay")
    history = play.at(2.0).history()
    plain = Finding(clause="LIV-3", verdict=Verdict.OK, rule="x", measured_s=1.0, window_s=(0.0, 1.0), events=(0,))
    findings = [
        msgspec.structs.replace(plain, **changes)
        for changes in (
            {"subject": f"connection {conn}", "window_s": (0.0, None)},
            {"subject": "connection 99"},
            {"subject": "nobody", "window_s": (0.0, 99.0)},
            {"window_s": (50.0, 99.0)},
            {"window_s": None},
            {"events": ()},
            {"events": (9999,)},
        )
    ]
    drawn = picture(history, findings)
    assert [lane.name for lane in drawn.lanes] == ["relay and calls", "e1 · a", "e2 · b", "e3 · b"]
    kinds = {mark.kind for lane in drawn.lanes for mark in lane.marks}
    assert kinds == {"relay-up", "relay", "call", "answer", "note", "fault", "out", "in", "odd-in", "close", "refused"}
    assert [shade.lane for shade in drawn.shades] == [1, -1, -1]
    assert drawn.end_s == 6.0  # the picture is at most thrice as long as the history
    assert max(len(mark.title) for lane in drawn.lanes for mark in lane.marks) <= 160


def test_a_crowd_is_cut_and_counted() -> None:
    play = Play()
    for number in range(MOST_LANES + 4):
        play.dial(f"e{number}")
    drawn = picture(play.history(), [])
    assert (len(drawn.lanes), drawn.left_out) == (MOST_LANES + 1, 4)


# ---------------------------------------------------------------- commands


@pytest.fixture
def shifted(folder: Path) -> Callable[[], None]:
    """Moves the DEAD list of the good history beyond its window."""

    def shift() -> None:
        path = folder / run.HISTORIES / "ok.jsonl"
        lines = path.read_bytes().splitlines()
        moved = [line.replace(b"3100000000", b"2600000000") if b'"DEAD"' in line else line for line in lines]
        path.write_bytes(b"\n".join(moved) + b"\n")

    return shift


def verdicts(folder: Path) -> dict[str, dict[str, str]]:
    raw = json.loads((folder / "verdicts.json").read_text(encoding="utf-8"))
    return {scenario["path"]: scenario["clauses"] for scenario in raw["scenarios"]}


def test_recheck_and_report_work_from_the_files_alone(
    folder: Path, shifted: Callable[[], None], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.run(["report", str(folder)]) == 0
    before = verdicts(folder)
    assert cli.run(["recheck", str(folder)]) == 1
    shifted()
    assert cli.run(["report", str(folder)]) == 0
    after = verdicts(folder)
    assert {path for path in before if before[path] != after[path]} == {"histories/ok.jsonl"}
    assert after["histories/ok.jsonl"]["LIV-7"] == "EARLY"
    assert "report.html" in capsys.readouterr().out


def only(folder: Path, name: str) -> None:
    index = run.read_index(folder)
    kept = tuple(entry for entry in index.scenarios if entry.path.endswith(f"/{name}.jsonl"))
    for entry in {*index.scenarios} - {*kept}:
        (folder / entry.path).unlink()
    run.write_index(folder, msgspec.structs.replace(index, scenarios=kept))


@pytest.mark.parametrize(
    ("name", "code", "strict"),
    [("ok", 0, 0), ("late", 1, 1), ("unknown", 2, 2), ("truncated", 3, 3), ("non-strict", 0, 1), ("unsupported", 0, 1)],
)
def test_recheck_ends_as_the_run_did(folder: Path, name: str, code: int, strict: int) -> None:
    only(folder, name)
    assert cli.run(["recheck", str(folder)]) == code
    assert cli.run(["recheck", str(folder), "--strict"]) == strict


def test_a_damaged_history_leaves_its_clauses_without_proof(tmp_path: Path) -> None:
    """Also where another scenario shows the same clause: the table by clause may not say OK."""
    asked = ["conform", "--relay", "builtin:reference", "--world", "simulated", "--results", str(tmp_path)]
    assert cli.run([*asked, "--select", "LIV-3/closes-the-socket", "LIV-3/silent-socket"]) == 0
    history = tmp_path / "latest" / run.HISTORIES / "LIV-3.silent-socket.simulated.jsonl"
    history.write_bytes(history.read_bytes()[:-20])
    result = run.judge_run(tmp_path / "latest", spec.clauses())
    assert result.clauses["LIV-3"] is Verdict.HARNESS_ERROR


def test_recheck_knows_expected_failures(folder: Path, tmp_path: Path) -> None:
    only(folder, "late")
    listed = tmp_path / "expected.txt"
    listed.write_text("LIV-7  # it counts from the wrong moment\n", encoding="utf-8")
    assert cli.run(["recheck", str(folder), "--expected-failures", str(listed)]) == 0


def test_recheck_takes_no_expected_failure_of_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    listed = tmp_path / "expected.txt"
    listed.write_text("LIV-99  # there is no such clause\n", encoding="utf-8")
    for command in ("recheck", "report"):
        assert cli.run([command, str(folder), "--expected-failures", str(listed)]) == 64
        assert "line 1: 'LIV-99' names no scenario and clause" in capsys.readouterr().err


def test_every_report_says_why_a_clause_was_not_judged(folder: Path, judged: RunResult) -> None:
    clause, reason = next(
        (finding.clause, finding.seen)
        for each in judged.scenarios
        if each.path == "histories/unsupported.jsonl"
        for finding in each.findings
        if finding.verdict is Verdict.UNSUPPORTED
    )
    only(folder, "unsupported")
    result = run.judge_run(folder, spec.clauses())
    row = next(line for line in report.markdown(result).splitlines() if line.startswith(f"| {clause} "))
    assert reason.replace("`", "'") in row
    assert " ".join(reason.split()) in " ".join(re.sub(r"[│┃]", " ", printed(result)).split())
    clauses = report.page(result, folder).partition('id="scenarios"')[0]
    assert escape(reason) in clauses.replace("&#39;", "&#x27;").replace("&#34;", "&quot;")


def sparse(path: Path) -> None:
    """As large as a disk and all zeros, in no space at all."""
    with path.open("wb") as file:
        file.truncate(1 << 36)


@pytest.mark.parametrize("name", ["index.json", "histories/ok.jsonl"])
@pytest.mark.parametrize("how", ["sparse", "device", "deep", "not-text"])
def test_what_can_be_no_history_is_refused_at_once(
    folder: Path, name: str, how: str, capsys: pytest.CaptureFixture[str]
) -> None:
    path = folder / name
    path.unlink()
    match how:
        case "sparse":
            sparse(path)
        case "device":
            path.symlink_to("/dev/zero")
        case "deep":
            path.write_bytes(b'{"a":' + b"[" * 100_000 + b"\n")
        case _:
            path.write_bytes(b'{"ev":"\xff"}\n')
    assert cli.run(["recheck", str(folder)]) in (1, 3)
    said = capsys.readouterr()
    assert Path(name).name in said.out + said.err
    assert "Traceback" not in said.err


@pytest.mark.parametrize("arguments", [["recheck", "/dev/zero"], ["recheck", "--expected-failures", "/dev/zero"]])
def test_devices_are_no_runs_and_no_lists(
    arguments: list[str], folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.run([*arguments, str(folder)] if "--expected-failures" in arguments else arguments)
    assert code in (3, 64)
    assert "/dev/zero" in capsys.readouterr().err


def test_reports_that_can_not_be_written_are_told_in_a_sentence(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "report.html").mkdir()
    assert cli.run(["report", str(folder)]) == 3
    said = capsys.readouterr().err
    assert "report.html" in said and "Traceback" not in said


def test_what_is_no_run_is_a_harness_error(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["recheck", str(tmp_path)]) == 3
    assert "is no run: it has no index.json" in capsys.readouterr().err


def test_schema_prints_each_schema_and_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["schema"]) == 0
    everything = json.loads(capsys.readouterr().out)
    assert set(everything) == {"messages", "history", "index", "verdicts", "profile", "matrix"}
    assert cli.run(["schema", "history"]) == 0
    assert json.loads(capsys.readouterr().out) == everything["history"]
    assert cli.run(["schema", "nonsense"]) == 64
