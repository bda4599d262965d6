"""Runs: exit codes, sums by clause and family, folders and their index, schemas."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import msgspec
import pytest

import spec
from evidence import errors, events, run
from evidence.schema import SCHEMAS, json_schema
from evidence.summary import by_clause, by_family, headline
from evidence.verdict import RunResult, ScenarioResult, Verdict, exit_code
from tests.evidence import recorded
from tests.evidence.evidence_play import Play

LEVELS = {clause.id: clause.level for clause in spec.clauses().values()}


def result(scenario: str = "LIV-4/x", world: str = "wire", **clauses: Verdict) -> ScenarioResult:
    named = {clause.replace("_", "-"): verdict for clause, verdict in clauses.items()}
    return ScenarioResult(scenario=scenario, title="t", world=world, clauses=named)


def made(*scenarios: ScenarioResult) -> RunResult:
    return RunResult(
        relay="r", target="builtin:reference", started="", duration_s=1.0, scenarios=scenarios, levels=LEVELS
    )


@pytest.mark.parametrize(
    ("verdicts", "plain", "strict"),
    [
        ([Verdict.OK], 0, 0),
        ([Verdict.OK, Verdict.INFO, Verdict.EXPECTED], 0, 0),
        ([Verdict.FAILED], 1, 1),
        ([Verdict.EARLY], 1, 1),
        ([Verdict.LATE, Verdict.HARNESS_ERROR], 1, 1),
        ([Verdict.VACUOUS], 1, 1),
        ([Verdict.NOT_TESTABLE], 1, 1),
        ([Verdict.STALE], 1, 1),
        ([Verdict.UNKNOWN, Verdict.OK], 2, 2),
        ([Verdict.UNKNOWN, Verdict.HARNESS_ERROR], 3, 3),
        ([Verdict.NON_STRICT], 0, 1),
        ([Verdict.UNCLEAN], 0, 1),
        ([Verdict.UNSUPPORTED], 0, 1),
        ([], 3, 3),
    ],
)
def test_exit_codes(verdicts: list[Verdict], plain: int, strict: int) -> None:
    ids = ["LIV_4", "LIV_5", "LIV_6"]
    run_ = made(*(result(**{clause: verdict}) for clause, verdict in zip(ids, verdicts, strict=False)))
    assert (exit_code(run_), exit_code(run_, strict=True)) == (plain, strict)


def test_a_history_that_proves_nothing_is_a_harness_error() -> None:
    assert exit_code(made(result(LIV_4=Verdict.OK), result())) == 3
    assert result().verdict is Verdict.HARNESS_ERROR


def test_an_unsupported_should_and_a_must_that_was_judged_elsewhere_do_not_fail_a_strict_run() -> None:
    assert exit_code(made(result(LIV_18=Verdict.UNSUPPORTED)), strict=True) == 0
    both = made(result(LIV_4=Verdict.UNSUPPORTED), result(LIV_4=Verdict.OK))
    assert (exit_code(both, strict=True), both.musts_not_judged) == (0, ())


def test_rows_by_clause_are_in_the_contracts_order_with_the_heaviest_verdict() -> None:
    rows = by_clause(
        made(
            result("REC-1/a", REC_1=Verdict.OK),
            result("LIV-4/b", LIV_4=Verdict.FAILED, ZZZ_1=Verdict.OK),
            result("LIV-4/c", "simulated", LIV_4=Verdict.OK),
            result("LIV-4/d", "", LIV_4=Verdict.FAILED),
        )
    )
    assert [(row.clause, row.level, row.verdict, row.scenarios) for row in rows] == [
        ("LIV-4", "MUST", Verdict.FAILED, 3),
        ("REC-1", "MUST", Verdict.OK, 1),
        ("ZZZ-1", "?", Verdict.OK, 1),
    ]
    assert rows[0].failing == ("LIV-4/b@wire", "LIV-4/d")
    assert rows[1].failing == ()


def test_rows_by_family_count_clauses() -> None:
    rows = by_family(made(result(LIV_4=Verdict.FAILED, LIV_5=Verdict.OK, REC_1=Verdict.OK), result(LIV_4=Verdict.OK)))
    assert [(row.family, row.verdict, dict(row.counts)) for row in rows] == [
        ("LIV", Verdict.FAILED, {Verdict.FAILED: 1, Verdict.OK: 1}),
        ("REC", Verdict.OK, {Verdict.OK: 1}),
    ]


def test_the_headline_says_what_is_wrong_and_what_was_not_judged() -> None:
    told = headline(made(result(LIV_4=Verdict.FAILED, LIV_5=Verdict.UNSUPPORTED, LIV_10=Verdict.INFO), result()))
    assert told == (
        "2 scenarios, 3 clauses: 0 OK, 1 measured, 1 FAILED, 1 history that proves nothing; "
        "1 of 2 MUST not judged (LIV-5)"
    )
    assert headline(made(result(LIV_4=Verdict.OK))) == "1 scenario, 1 clause: 1 OK"


# ---------------------------------------------------------------- folders


def folder(tmp_path: Path, *paths: str) -> Path:
    made_folder = run.new_folder(tmp_path / "results", "builtin:reference")
    entries = []
    for path in paths:
        text = (recorded.FOLDER / path).read_bytes() if (recorded.FOLDER / path).exists() else b""
        (made_folder / run.HISTORIES / path).write_bytes(text)
        told = _header(made_folder / run.HISTORIES / path)
        entries.append(run.Entry(scenario=told.scenario, world=told.world, path=f"histories/{path}"))
    index = run.Index(
        tool="relayproof 0",
        relay="reference",
        target="builtin:reference",
        started="2026-01-01T00:00:00+00:00",
        seed=3,
        pace="fast",
        timing={"w": 1.25},
        scenarios=tuple(entries),
        host=run.host_facts(),
        versions={"relayproof": "0"},
    )
    run.write_index(made_folder, index)
    return made_folder


def _header(path: Path) -> events.Header:
    return msgspec.json.decode(path.read_bytes().partition(b"\n")[0], type=events.Header)


def test_a_history_that_the_index_does_not_name_is_a_harness_error(tmp_path: Path) -> None:
    """Who drops what failed from the index would turn a failure into a pass."""
    made_folder = folder(tmp_path, "ok.jsonl", "failed.jsonl")
    index = run.read_index(made_folder)
    run.write_index(made_folder, msgspec.structs.replace(index, scenarios=index.scenarios[:1]))
    judged = run.judge_run(made_folder, spec.clauses())
    assert exit_code(judged) == 3
    assert "histories/failed.jsonl" in judged.scenarios[-1].note and "not in index.json" in judged.scenarios[-1].note


def test_what_was_interrupted_is_in_no_index_and_hides_nothing(tmp_path: Path) -> None:
    made_folder = folder(tmp_path, "ok.jsonl")
    play = Play("LIV-1", path=made_folder / run.HISTORIES / "unfinished.jsonl")
    play.recorder.close("error", run.INTERRUPTED)
    assert exit_code(run.judge_run(made_folder, spec.clauses())) == 0


def test_a_history_of_something_else_is_a_harness_error(tmp_path: Path) -> None:
    made_folder = folder(tmp_path, "ok.jsonl", "failed.jsonl")
    shutil.copy(made_folder / run.HISTORIES / "ok.jsonl", made_folder / run.HISTORIES / "failed.jsonl")
    judged = run.judge_run(made_folder, spec.clauses())
    assert exit_code(judged) == 3 and "the index of the run says" in judged.scenarios[-1].note


@pytest.mark.parametrize("path", ["/etc/hostname", "histories/../../elsewhere.jsonl"])
def test_a_history_outside_the_folder_is_none_of_the_run(tmp_path: Path, path: str) -> None:
    made_folder = folder(tmp_path, "ok.jsonl")
    index = run.read_index(made_folder)
    moved = msgspec.structs.replace(index.scenarios[0], path=path)
    run.write_index(made_folder, msgspec.structs.replace(index, scenarios=(*index.scenarios, moved)))
    judged = run.judge_run(made_folder, spec.clauses())
    assert exit_code(judged) == 3 and "in the run's own folder" in judged.scenarios[-1].note


def test_a_run_is_judged_from_its_files_alone(tmp_path: Path) -> None:
    made_folder = folder(tmp_path, "ok.jsonl", "late.jsonl", "truncated.jsonl")
    judged = run.judge_run(made_folder, spec.clauses())
    assert [scenario.verdict for scenario in judged.scenarios] == [Verdict.OK, Verdict.LATE, Verdict.HARNESS_ERROR]
    assert judged == run.judge_run(tmp_path / "results" / "latest", spec.clauses())
    assert (judged.seed, judged.target, judged.levels["LIV-18"]) == (3, "builtin:reference", "SHOULD")
    assert exit_code(run.judge_run(folder(tmp_path, "truncated.jsonl"), spec.clauses())) == 3


def test_each_run_has_a_folder_of_its_own_and_latest_is_the_newest(tmp_path: Path) -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    names = [run.new_folder(tmp_path, target, now=now).name for target in ("url:http://h:1", "url:http://h:1", "://")]
    assert names == ["20260102T030405-url-http-h-1", "20260102T030405-url-http-h-1-2", "20260102T030405-relay"]
    assert (tmp_path / "latest").resolve().name == names[-1]


def test_a_folder_called_latest_stays_and_no_link_is_left_beside_it(tmp_path: Path) -> None:
    (tmp_path / "latest").mkdir()
    made = run.new_folder(tmp_path, "a" * 400)
    assert {each.name for each in tmp_path.iterdir()} == {"latest", made.name} and len(made.name) < 130


def test_runs_that_begin_together_have_a_folder_each(tmp_path: Path) -> None:
    now = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda _: run.new_folder(tmp_path, "t", now=now, latest=False), range(40)))
    assert len(set(made)) == 40


def test_a_path_that_no_file_has_proves_nothing(tmp_path: Path) -> None:
    made_folder = folder(tmp_path, "ok.jsonl")
    path = made_folder / run.INDEX
    path.write_bytes(path.read_bytes().replace(b'"histories/', b'"\\u0000histories/'))
    judged = run.judge_run(made_folder, spec.clauses())
    assert judged.scenarios[0].verdict is Verdict.HARNESS_ERROR and "no file of this run" in judged.scenarios[0].note


def test_what_is_no_run_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(errors.HistoryError, match="is no run"):
        run.read_index(tmp_path)
    made_folder = folder(tmp_path, "ok.jsonl")
    path = made_folder / run.INDEX
    whole = path.read_bytes()
    path.write_bytes(whole.replace(b'"format": 1', b'"format": 9'))
    with pytest.raises(errors.UnknownFormat, match="format 9"):
        run.read_index(made_folder)
    path.write_bytes(whole[:100])
    with pytest.raises(errors.MalformedHistory, match="no index"):
        run.read_index(made_folder)


# ---------------------------------------------------------------- schemas


def checker(name: str) -> Any:
    schema = json_schema(name)
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_every_recorded_line_fits_the_published_schema() -> None:
    history = checker("history")
    for path in recorded.FOLDER.glob("*.jsonl"):
        for line in path.read_bytes().splitlines():
            history.validate(msgspec.json.decode(line))


def test_index_and_verdicts_fit_theirs_and_nonsense_does_not(tmp_path: Path) -> None:
    made_folder = folder(tmp_path, "ok.jsonl", "late.jsonl")
    checker("index").validate(msgspec.json.decode((made_folder / run.INDEX).read_bytes()))
    judged = run.judge_run(made_folder, spec.clauses())
    checker("verdicts").validate(msgspec.json.decode(msgspec.json.encode(judged)))
    for name in SCHEMAS:
        assert not checker(name).is_valid({"ev": "nonsense"})


def test_the_headline_names_what_only_another_world_shows() -> None:
    run = msgspec.structs.replace(made(result(LIV_4=Verdict.OK)), elsewhere=("LIV-16",))
    assert headline(run).endswith("; 1 MUST only in another world (LIV-16)")
