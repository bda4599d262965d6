"""What SDKs get wrong by themselves: what a try shows, the record of rates, and where they are told."""

from __future__ import annotations

from pathlib import Path

import pytest

import evidence
from chaos import report
from chaos.errors import BadRecord
from chaos.findings import EXPERIMENTS, LEAST_TRIES, Measured, newest, published, read, write
from chaos.findings.page import markdown
from chaos.findings.proof import proof
from chaos.findings.rates import rate_of
from chaos.findings.sightings import Sighting, by_judge, left_behind, runs_on, takes_back
from evidence.cases import Change, Execution
from evidence.history import History, load
from evidence.sdk_faults import KNOWN
from relayproof import cli
from tests.chaos.recorded_outcomes import FOLDER, Story, insert

DOCS = Path(evidence.__file__).parents[1] / "docs"


def recorded(folder: Path, story: Story) -> History:
    story.write(folder / "story.jsonl")
    return load(folder / "story.jsonl")


def update(seq: int, old: str, new: str, old_executor: str, new_executor: str) -> Change:
    return Change(
        seq, seq * 1_000_000, "update", old, new, old_executor, new_executor, attempts=1, version="v1", xid=seq
    )


TAKEN = (insert(), update(2, "PENDING", "PENDING", "id-e1", "id-e2"))
ENDED = update(9, "PENDING", "SUCCESS", "id-e2", "id-e2")


def began(executor: str, step: str, at_s: float) -> Execution:
    return Execution(executor, step, 1, int(at_s * 1e6), int(at_s * 1e6) + 1000)


def test_a_zombie_that_begins_a_further_step_runs_on(tmp_path: Path) -> None:
    steps = (began("e1", "a", 1.0), began("e2", "a", 2.5), began("e1", "b", 4.0))
    history = recorded(tmp_path, Story(fault="pause", changes=(*TAKEN, ENDED), executions=steps))
    assert runs_on(history) == Sighting(("w-1",), 1)


def test_a_zombie_may_end_the_step_that_it_had_in_hand(tmp_path: Path) -> None:
    steps = (began("e1", "a", 1.0), began("e2", "a", 2.5), began("e2", "b", 4.0))
    history = recorded(tmp_path, Story(fault="pause", changes=(*TAKEN, ENDED), executions=steps))
    assert runs_on(history) == takes_back(history) == Sighting((), 1)


def test_a_zombie_that_takes_the_work_from_the_queue_as_any_peer_does_nothing_wrong(tmp_path: Path) -> None:
    queued = (
        insert(), update(2, "PENDING", "ENQUEUED", "id-e1", "id-e1"),
        update(3, "ENQUEUED", "PENDING", "id-e1", "id-e1"),
    )  # fmt: skip
    steps = (began("e1", "a", 1.0), began("e1", "b", 4.0))
    history = recorded(tmp_path, Story(fault="pause", changes=queued, executions=steps))
    assert runs_on(history) == Sighting((), 0)


def test_a_row_that_goes_back_without_a_claim_was_taken_back(tmp_path: Path) -> None:
    back = update(3, "PENDING", "PENDING", "id-e2", "id-e1")
    history = recorded(tmp_path, Story(fault="pause", changes=(*TAKEN, back, ENDED)))
    assert takes_back(history) == Sighting(("w-1",), 1)


@pytest.mark.parametrize(("moved_s", "shown"), [(0.2, ()), (60.0, ("w-1",))])
def test_a_row_that_outlives_an_acknowledgement_was_left_behind(
    tmp_path: Path, moved_s: float, shown: tuple[str, ...]
) -> None:
    """The peer acknowledges some three seconds after the history's beginning, which is second 0 of the wall clock."""
    moved = Change(2, int(moved_s * 1e6), "update", "PENDING", "ENQUEUED", "id-e1", "id-e1", version="v1", xid=2)
    history = recorded(tmp_path, Story(changes=(insert(), moved), dies_later=True))
    assert left_behind(history) == Sighting(shown, 1)


def test_what_the_judge_lays_at_the_sdks_door_is_counted_by_workflow() -> None:
    history = load(FOLDER / "shutdown-writes-an-end.jsonl")
    found = by_judge("shutdown-writes-end")(history)
    assert found.workflows == ("w-1",) and found.exposed >= 1


def test_the_proof_is_of_one_workflow_in_order_and_of_nobody_else() -> None:
    history = load(FOLDER / "database-outage-ends-work.jsonl")
    lines = proof(history, "w-1")
    assert any("PENDING of e1" in line for line in lines) and any("ERROR" in line for line in lines)
    assert [float(line.split()[0]) for line in lines] == sorted(float(line.split()[0]) for line in lines)
    assert proof(history, "nobody's") == ()


def entry(sdk: str = "1.6.0", seen: int = 4, day: str = "2026-12-01", tries: int = 10) -> Measured:
    return Measured(
        experiment="outage", fault="outage-ends-work", about="it ends", clauses=("OUT-2",), language="go", sdk=sdk,
        database="postgresql", seen=seen, tries=tries, workflows=9, exposed=80, day=day, seed=1, relay="reference",
        proof=("1.00 s row | of e1",),
    )  # fmt: skip


def test_a_record_is_read_back_and_the_newest_entry_counts(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    assert read(path) == []
    entries = [entry(seen=9), entry("1.5.0"), entry(seen=4)]
    write(path, entries)
    assert read(path) == entries
    assert newest(entries) == [entry("1.5.0"), entry(seen=4)]


def test_what_is_no_record_is_refused_with_its_name(tmp_path: Path) -> None:
    (tmp_path / "other.json").write_text('[{"experiment": 1}]')
    with pytest.raises(BadRecord, match=r"other\.json: no record of findings"):
        read(tmp_path / "other.json")


def test_the_rate_has_its_interval() -> None:
    low, high = entry(seen=4).rate
    assert (round(low, 2), round(high, 2)) == (0.17, 0.69)


def test_the_page_tells_rate_interval_and_proof_and_that_a_few_tries_are_too_few() -> None:
    text = markdown([entry(), entry("1.5.0", tries=3, seen=0)])
    assert "| go 1.6.0 | postgresql | 4 of 10 | 17 to 69 % | 9 of 80 | 2026-12-01 |" in text
    assert "0 of 3 (too few)" in text and "1.00 s row | of e1" in text


def test_the_committed_page_is_the_committed_records() -> None:
    assert (DOCS / "sdk-findings.md").read_text() == markdown(published()), "python -m chaos.findings.page"


def test_every_published_finding_can_be_measured_again_and_is_a_rate() -> None:
    for each in newest(published()):
        assert each.fault in {finding.fault for finding in EXPERIMENTS[each.experiment].findings}
        assert each.tries >= LEAST_TRIES and bool(each.proof) == bool(each.seen), each


def test_every_known_fault_of_sdks_has_an_experiment() -> None:
    assert {finding.fault for each in EXPERIMENTS.values() for finding in each.findings} >= KNOWN.keys()


def test_a_report_tells_the_measured_rate_beside_its_own_count() -> None:
    history = load(FOLDER / "database-outage-ends-work.jsonl")
    summary = report.summarize(history)
    (finding,), (rate,), (lines,) = summary.track_record, summary.rates, summary.proofs
    assert rate == rate_of(finding.fault, finding.language, finding.sdk)
    assert lines == proof(history, "w-1")


def test_a_version_that_nobody_measured_is_told_how_to() -> None:
    assert rate_of("outage-ends-work", "go", "0.0.1").endswith("relayproof chaos reproduce outage --sdk go==0.0.1")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing"], "choose among"),
        (["outage", "--times", "0"], "--times 0"),
        (["outage", "--sdk", "cobol"], "cobol"),
        (["mixed-languages", "--sdk", "go"], "mixed-languages is for python, typescript"),
        (["outage", "--database", "sqlite"], "runs on postgresql"),
        (["outage", "--record", "pyproject.toml"], "no record of findings"),
    ],
)
def test_wrong_usage_is_told_in_a_sentence(
    arguments: list[str], words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    assert cli.run(["chaos", "reproduce", "--results", str(tmp_path), *arguments]) == 64
    assert words in capsys.readouterr().err


def test_the_table_is_shown_with_the_experiments(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    write(tmp_path / "record.json", [entry()])
    assert cli.run(["chaos", "findings", "--record", str(tmp_path / "record.json")]) == 0
    out = capsys.readouterr().out
    assert "4 of 10" in out and "17 to 69 %" in out and "zombie" in out


@pytest.mark.real
@pytest.mark.slow  # two real processes, one after the other
def test_an_experiment_is_played_and_appended_to_a_record(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("dbos", reason="the Python SDK is not installed: pip install 'relayproof[real]'")
    record = tmp_path / "record.json"
    write(record, [entry()])
    asked = ["chaos", "reproduce", "shutdown", "--times", "2", "--seed", "3", "--record", str(record)]
    assert cli.run([*asked, "--results", str(tmp_path / "results")]) == 0
    first, made = read(record)
    assert first == entry()
    assert (made.fault, made.language, made.tries, made.database) == ("shutdown-writes-end", "python", 2, "sqlite")
    assert made.exposed > 0 and bool(made.proof) == bool(made.seen)
    assert "no reproduction rate yet" in capsys.readouterr().out
