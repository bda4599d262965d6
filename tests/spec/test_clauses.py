"""The contract's files as values."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import spec
from conductor.catalogue import EXECUTOR_MESSAGES
from spec import contract
from spec.contract import MESSAGE_TYPES, SpecError


def test_clauses_are_values_with_a_family() -> None:
    clause = spec.clause("LIV-3")
    assert (clause.level, clause.source, clause.family) == ("MUST", "recovery", "LIV")
    assert "falls wholly silent" in clause.text
    assert {each.level for each in spec.clauses().values()} == {"MUST", "SHOULD", "INFO"}


def test_the_message_clause_stands_for_one_a_type() -> None:
    assert set(MESSAGE_TYPES) == set(EXECUTOR_MESSAGES)
    assert {f"MSG-{type}" for type in MESSAGE_TYPES} <= set(spec.clauses())
    assert "MSG-*" not in spec.clauses()
    assert "send cancel with" in spec.clause("MSG-cancel").text
    assert spec.clause("MSG-restart").level == "SHOULD"


def test_an_unknown_clause_is_named() -> None:
    with pytest.raises(SpecError, match="'LIV-99'"):
        spec.clause("LIV-99")


def test_claims_name_whole_families_and_single_clauses() -> None:
    claimed = {clause.id for clause in spec.claimed_clauses()}
    assert {"LIV-1", "REC-27", "ALR-1", "AUD-5", "MSG-recovery", "MSG-restart", "OUT-3"} <= claimed
    assert not claimed & {"HAV-1", "FWD-1", "OUT-4", "ROB-1"}


def test_faults_have_scenarios_or_a_reason() -> None:
    faults = spec.faults()
    assert len(faults) == 51
    assert all(fault.link.startswith("https://github.com/") and fault.kind for fault in faults.values())
    assert all(bool(fault.scenarios) != bool(fault.reason) for fault in faults.values())


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A contract of its own in a folder."""
    texts = {
        "clauses.toml": '[[clause]]\nid = "A-1"\nlevel = "MUST"\nsource = "x"\ntext = "y"\n',
        "claimed.toml": "format = 1\nfamilies = []\nclauses = []\nmessages = []\n",
        "faults.toml": '[[fault]]\nnumber = 1\nlink = "l"\nkind = "k"\nreason = "r"\n',
    }
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(contract, "files", lambda package: tmp_path)
    caches = (contract.clauses, contract.claimed, contract.claimed_clauses, contract.faults)
    for each in caches:
        each.cache_clear()
    yield tmp_path
    for each in caches:
        each.cache_clear()


@pytest.mark.parametrize(
    ("name", "more", "says"),
    [
        ("clauses.toml", '[[clause]]\nid = "A-1"\nlevel = "INFO"\nsource = "x"\ntext = "y"\n', "A-1 is there twice"),
        ("faults.toml", '[[fault]]\nnumber = 1\nlink = "l"\nkind = "k"\nreason = "r"\n', "fault 1 is there twice"),
        ("faults.toml", '[[fault]]\nnumber = 2\nlink = "l"\nkind = "k"\n', "fault 2 names neither"),
    ],
)
def test_files_that_contradict_themselves_are_refused(files: Path, name: str, more: str, says: str) -> None:
    with (files / name).open("a", encoding="utf-8") as file:
        file.write(more)
    with pytest.raises(SpecError, match=says):
        contract.clauses() if name == "clauses.toml" else contract.faults()


@pytest.mark.parametrize(("claim", "says"), [('families = ["B"]', "family 'B'"), ('clauses = ["A-2"]', "'A-2'")])
def test_claims_of_what_is_not_there_are_refused(files: Path, claim: str, says: str) -> None:
    path = files / "claimed.toml"
    kept = [line for line in path.read_text(encoding="utf-8").splitlines() if line.split()[0] != claim.split()[0]]
    path.write_text("\n".join([*kept, claim]), encoding="utf-8")
    with pytest.raises(SpecError, match=says):
        contract.claimed()
