"""The judge of whole runs: each kind of finding has a recorded history with its known verdict."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from evidence.history import load
from evidence.judge import judge
from evidence.outcomes import weigh
from evidence.sdk_faults import interval, track_record
from evidence.verdict import Verdict
from spec import clauses
from tests.chaos.recorded_outcomes import EXPECTED, FOLDER, STORIES, Story, insert

KNOWN: dict[str, dict[str, str]] = json.loads(EXPECTED.read_text())


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_recorded_history_has_its_known_verdict(name: str) -> None:
    result = judge(load(FOLDER / f"{name}.jsonl"), clauses())
    assert {clause: str(result.clauses[clause]) for clause in KNOWN[name]} == KNOWN[name], result.findings


def test_the_recorded_histories_are_those_of_the_stories(tmp_path: Path) -> None:
    assert set(KNOWN) == set(STORIES) == {path.stem for path in FOLDER.glob("*.jsonl")}
    for name, (story, wanted) in STORIES.items():
        story.write(tmp_path / f"{name}.jsonl")
        assert (tmp_path / f"{name}.jsonl").read_bytes() == (FOLDER / f"{name}.jsonl").read_bytes(), name
        assert {clause: str(verdict) for clause, verdict in wanted.items()} == KNOWN[name]


@pytest.mark.parametrize(
    ("name", "kind", "sdk"),
    [
        ("lost-workflow", "lost", ""),
        ("double-outcome", "left-end", ""),
        ("rewritten-output", "rewritten", ""),
        ("other-outcome", "unexpected", ""),
        ("step-run-again-after-its-checkpoint", "step-again", ""),
        ("step-never-executed", "step-missing", ""),
        ("step-checkpoint-written-over", "step-rewritten", ""),
        ("wrong-version", "other-version", ""),
        ("wrong-language", "other-language", "other-language"),
        ("recovery-across-applications", "other-application", ""),
        ("zombie-writes", "rewritten", "late-copy-writes"),
        ("zombie-writes-under-its-adopters-name", "rewritten", "late-copy-writes"),
        ("cut-off-executor-writes-late", "rewritten", "late-copy-writes"),
        ("acknowledged-without-effect", "lost", "ack-without-effect"),
        ("database-outage-ends-work", "unexpected", "outage-ends-work"),
        ("shutdown-writes-an-end", "unexpected", "shutdown-writes-end"),
    ],
)
def test_a_defect_has_its_kind_and_the_sdks_part_in_it(name: str, kind: str, sdk: str) -> None:
    first = weigh(load(FOLDER / f"{name}.jsonl")).of(kind)[0]
    assert first.sdk == sdk and first.workflow == "w-1"


def test_an_older_claimant_is_counted_and_not_accused() -> None:
    found = weigh(load(FOLDER / "step-run-again-by-an-older-claimant.jsonl"))
    assert (found.older, found.repeated, found.defects) == (1, 2, [])


def test_the_track_record_tells_rate_and_version_apart_from_the_verdict() -> None:
    (finding,) = track_record(load(FOLDER / "acknowledged-without-effect-often.jsonl"))
    assert (finding.fault, finding.language, finding.sdk) == ("ack-without-effect", "python", "2.31.1")
    assert (finding.times, finding.exposed) == (12, 12) and finding.events
    assert finding.rate[0] > 0.7 and finding.rate[1] == pytest.approx(1.0)
    assert track_record(load(FOLDER / "recovered.jsonl")) == []


def test_wilsons_interval() -> None:
    low, high = interval(7, 10)
    assert low == pytest.approx(0.397, abs=0.005) and high == pytest.approx(0.892, abs=0.005)
    assert interval(0, 0) == (0.0, 1.0)


def test_a_failure_by_an_sdks_own_fault_is_named_as_such() -> None:
    result = judge(load(FOLDER / "zombie-writes.jsonl"), clauses())
    (seen,) = [each.seen for each in result.findings if each.clause == "OUT-2"]
    assert seen.startswith(
        "by an SDK's own fault (a copy of the workflow that woke up late wrote over its recorded end)"
    )


@pytest.mark.parametrize(("stranger", "verdict"), [(False, Verdict.FAILED), (True, Verdict.VACUOUS)])
def test_nobody_can_name_an_executor_that_never_told_who_it_is(
    stranger: bool, verdict: Verdict, tmp_path: Path
) -> None:
    story = Story(("REC-1",), [insert()], recovered=False, stranger=stranger)
    story.write(tmp_path / "story.jsonl")
    assert judge(load(tmp_path / "story.jsonl"), clauses()).clauses["REC-1"] is verdict


@pytest.mark.parametrize(
    ("changed", "verdict"),
    [
        ({"acknowledged": False}, Verdict.VACUOUS),  # nobody said that the work was taken over
        ({"recovered": False}, Verdict.VACUOUS),
        ({"watched_s": 1.0}, Verdict.UNKNOWN),  # it may still be asking whether work is left
        ({"back": True}, Verdict.UNKNOWN),  # it may ask again what it had asked before
        ({"left": False}, Verdict.FAILED),
        ({"dies_later": True, "fault": "pause"}, Verdict.VACUOUS),  # it came back after its recovery, and died again
    ],
)
def test_a_record_that_is_still_listed_is_held_against_the_relay_only_when_it_had_to_go(
    changed: Mapping[str, Any], verdict: Verdict, tmp_path: Path
) -> None:
    story = replace(Story(("REC-6",), shows=["id-e1", "id-e2"]), **changed)
    story.write(tmp_path / "story.jsonl")
    result = judge(load(tmp_path / "story.jsonl"), clauses())
    assert result.clauses["REC-6"] is verdict, result.findings
