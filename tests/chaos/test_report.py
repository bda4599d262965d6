"""What a run's reports say, from recorded histories."""

from __future__ import annotations

import io
import re
from xml.etree import ElementTree

import pytest
from rich.console import Console

from chaos import report
from chaos.report.timeline import svg
from evidence.history import load
from evidence.judge import judge
from evidence.verdict import RunResult, ScenarioResult
from spec import clauses
from tests.chaos.recorded_outcomes import FOLDER


def run_of(*scenarios: ScenarioResult) -> RunResult:
    return RunResult(
        relay="recorded", target="builtin:recorded", started="2026-01-01T00:00:00+00:00", duration_s=9.0,
        scenarios=scenarios, levels={each.id: each.level for each in clauses().values()}, seed=7,
    )  # fmt: skip


def judged(name: str) -> ScenarioResult:
    return judge(load(FOLDER / f"{name}.jsonl"), clauses())


def test_a_run_without_a_failure_says_what_that_proves() -> None:
    summary = report.summarize(load(FOLDER / "recovered.jsonl"))
    (python,) = summary.languages
    assert (python.workflows, python.ended, python.strikes, python.on_work, python.recovered) == (1, 1, 1, 1, 1)
    assert summary.claim.startswith("0 failures in 1 kills with recovery, 1 workflows: below 100.0%")


@pytest.mark.parametrize(("trials", "rate"), [(0, 1.0), (2, 1.0), (30, 0.1), (300, 0.01)])
def test_the_rule_of_three(trials: int, rate: float) -> None:
    assert report.bound(trials) == pytest.approx(rate)


def test_a_run_that_proved_nothing_says_so() -> None:
    assert "VACUOUS" in report.summarize(load(FOLDER / "nobody-was-struck.jsonl")).claim


def test_failures_are_counted_by_kind() -> None:
    summary = report.summarize(load(FOLDER / "rewritten-output.jsonl"))
    assert summary.defects == {"rewritten": 1} and summary.claim.startswith("1 failures in 1 kills")


@pytest.mark.parametrize("name", ["recovered", "acknowledged-without-effect-often", "no-workflow"])
def test_the_page_is_whole_and_needs_nothing_from_outside(name: str) -> None:
    history = load(FOLDER / f"{name}.jsonl")
    text = report.page(run_of(judged(name)), history, report.summarize(history))
    assert "<svg" in text and "</html>" in text
    assert not re.search(r"(src|href)=", text) and "<script" not in text


def test_the_drawing_is_well_formed_and_has_every_row() -> None:
    root = ElementTree.fromstring(svg(load(FOLDER / "recovered.jsonl")))
    words = [each.text or "" for each in root.iter() if each.tag == "title"]
    rows = [each.text for each in root.iter("text") if each.get("class") == "slot"]
    assert rows[:4] == ["e1", "e2", "relay", "database"]
    assert any(word.startswith("kill on e1") for word in words)
    assert any(word.startswith("recovery of e1 asked of e2") and word.endswith("acknowledged") for word in words)
    assert any("ended by kill" in word for word in words)


def test_a_run_without_a_history_still_has_a_page() -> None:
    text = report.page(run_of(), None, None)
    assert "HARNESS ERROR" in text


def test_markdown_keeps_text_in_its_cell_and_tells_the_sdks_part() -> None:
    history = load(FOLDER / "acknowledged-without-effect-often.jsonl")
    text = report.markdown(run_of(judged("acknowledged-without-effect-often")), report.summarize(history))
    assert "NON-STRICT" in text and "| ack-without-effect: " in text and "12 of 12" in text
    for line in text.splitlines():
        assert not line.startswith("| OUT") or line.count(" | ") == 3, line


def test_the_terminal_tells_outcome_and_figures() -> None:
    out = io.StringIO()
    history = load(FOLDER / "lost-workflow.jsonl")
    report.print_run(run_of(judged("lost-workflow")), report.summarize(history), Console(file=out, width=160))
    assert "FAIL" in out.getvalue() and "w-1 never ended" in out.getvalue()


def test_one_test_case_a_clause() -> None:
    split = report.by_clause(run_of(judged("recovered")))
    assert {each.scenario for each in split.scenarios} >= {"OUT-1/recorded", "OUT-2/recorded", "OUT-3/recorded"}
    assert all(len(each.clauses) == 1 for each in split.scenarios)
