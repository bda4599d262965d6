"""The list of known failures: listed ones are EXPECTED, those that pass are STALE, every entry has a reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from evidence.verdict import RunResult, ScenarioResult, Verdict, exit_code
from scenarios import catalogue
from scenarios.errors import UsageError
from scenarios.expected import apply, check, load


def run_of(**verdicts: Verdict) -> RunResult:
    """One scenario a clause: ``LIV_1=...`` is clause LIV-1 of scenario LIV-1/case."""
    by_clause = {name.replace("_", "-"): verdict for name, verdict in verdicts.items()}
    scenarios = tuple(
        ScenarioResult(scenario=f"{clause}/case", title="t", world="wire", clauses={clause: verdict})
        for clause, verdict in by_clause.items()
    )
    levels = dict.fromkeys(by_clause, "MUST")
    return RunResult(relay="r", target="t", started="", duration_s=0, scenarios=scenarios, levels=levels)


def listed(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "expected.txt"
    path.write_text(text)
    return path


def test_listed_failures_pass_and_listed_passes_fail(tmp_path: Path) -> None:
    expectations = load(listed(tmp_path, "LIV-1  # slow pings\nLIV-2/case:LIV-2  # by design\n"))
    run = apply(expectations, run_of(LIV_1=Verdict.LATE, LIV_2=Verdict.OK, LIV_3=Verdict.OK))
    assert run.clauses == {"LIV-1": Verdict.EXPECTED, "LIV-2": Verdict.STALE, "LIV-3": Verdict.OK}
    assert exit_code(run) == 1
    assert "slow pings" in run.scenarios[0].note
    assert "LIV-2/case:LIV-2 (line 2" in run.scenarios[1].findings[-1].seen


def test_an_entry_is_stale_only_if_it_fails_nowhere(tmp_path: Path) -> None:
    one, other = run_of(LIV_1=Verdict.FAILED).scenarios[0], run_of(LIV_1=Verdict.OK).scenarios[0]
    run = apply(load(listed(tmp_path, "LIV-1 # sometimes\n")), RunResult(
        relay="r", target="t", started="", duration_s=0, scenarios=(one, other), levels={"LIV-1": "MUST"},
    ))  # fmt: skip
    assert [scenario.verdict for scenario in run.scenarios] == [Verdict.EXPECTED, Verdict.OK]
    assert exit_code(run) == 0


def test_unknown_and_unsupported_are_neither(tmp_path: Path) -> None:
    run = apply(load(listed(tmp_path, "LIV-* # all\n")), run_of(LIV_1=Verdict.UNKNOWN, LIV_2=Verdict.UNSUPPORTED))
    assert list(run.clauses.values()) == [Verdict.UNKNOWN, Verdict.UNSUPPORTED]


def test_a_reason_may_stand_above(tmp_path: Path) -> None:
    (entry,) = load(listed(tmp_path, "# issue 71\nLIV-1/*:LIV-1\n"))
    assert (entry.scenario, entry.clause, entry.reason) == ("LIV-1/*", "LIV-1", "issue 71")


@pytest.mark.parametrize(
    ("text", "message"),
    [("LIV-1\n", "line 1: 'LIV-1' has no reason"), ("a b # x\n", "give CLAUSE or SCENARIO:CLAUSE"),
     ("# why\n\nLIV-1\n", "line 3: 'LIV-1' has no reason"), (":LIV-1 # x\n", "is no entry")],
)  # fmt: skip
def test_mistakes_name_the_line(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        load(listed(tmp_path, text))


def test_a_byte_order_mark_is_no_part_of_an_entry(tmp_path: Path) -> None:
    path = tmp_path / "known"
    path.write_text("LIV-3 # a reason\n", encoding="utf-8-sig")
    assert [entry.clause for entry in load(path)] == ["LIV-3"]


def test_a_missing_file_is_wrong_usage(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="can't be read"):
        load(tmp_path / "missing")


def test_a_name_without_its_variant_stands_for_all_and_a_name_of_nothing_is_wrong_usage(tmp_path: Path) -> None:
    known = catalogue.all()
    check(load(listed(tmp_path, "REC-12/keeps-trying:REC-12 # known\nLIV-* # known\n")), known)
    for entry in ("ZZZ-9", "LIV-4/nothing-of-the-kind:LIV-4", "REC-12/keeps-trying:LIV-1"):
        with pytest.raises(UsageError, match=f"line 1: '{entry}' names no scenario"):
            check(load(listed(tmp_path, f"{entry} # known\n")), known)
