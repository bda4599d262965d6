"""Rows and probes belong together, and rows to the contract."""

from __future__ import annotations

from conductor.catalogue import CATALOGUE
from sdk_matrix.languages import LANGUAGES
from sdk_matrix.matrix.catalogue import rows
from sdk_matrix.matrix.model import GROUPS
from sdk_matrix.probes.catalogue import PROBES
from sdk_matrix.probes.frames import REQUESTS as FRAMES
from sdk_matrix.probes.messages import REQUESTS
from spec import clauses


def test_each_row_has_one_probe_and_each_probe_rows() -> None:
    filled = [row for probe in PROBES for row in probe.rows]
    assert len(filled) == len(set(filled))
    assert set(filled) == {row.id for row in rows()}


def test_ids_are_unique_and_in_a_group() -> None:
    ids = [row.id for row in rows()]
    assert len(ids) == len(set(ids))
    assert {row.group for row in rows()} == set(GROUPS)


def test_every_message_of_the_protocol_has_a_row_and_a_request() -> None:
    assert {f"messages/{kind}" for kind in CATALOGUE} <= {row.id for row in rows()}
    assert {*REQUESTS, "import_workflow"} == set(CATALOGUE)
    assert len(FRAMES) >= 12


def test_every_clause_exists() -> None:
    known = set(clauses())
    named = {clause for row in rows() for clause in row.clauses}
    assert {clause for clause in named if not clause.startswith("MSG-")} <= known
    assert {clause.removeprefix("MSG-") for clause in named if clause.startswith("MSG-")} <= set(CATALOGUE)


def test_languages_of_declared_facts_are_known() -> None:
    assert {language for row in rows() for language in row.declared} <= set(LANGUAGES)
