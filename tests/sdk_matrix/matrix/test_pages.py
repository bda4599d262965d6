"""The pages made of a matrix: the committed ones, and what stands where."""

from __future__ import annotations

import json
import re
from pathlib import Path

import msgspec
import pytest

from relayproof import matrix_page
from relayproof.commands.matrix import PAGES
from sdk_matrix.matrix import file
from sdk_matrix.matrix.catalogue import rows
from sdk_matrix.matrix.markdown import markdown
from sdk_matrix.matrix.model import Cell
from sdk_matrix.matrix.never import never
from tests.sdk_matrix.matrix.made import exits, matrix, pings

DOCS = Path(__file__).parents[3] / "docs"
COMMITTED = DOCS / "sdk-matrix.json"


@pytest.mark.parametrize("name", [name for name, _ in PAGES])
def test_the_committed_page_is_what_its_data_gives(name: str) -> None:
    assert (DOCS / name).read_text() == dict(PAGES)[name](file.read(COMMITTED))


def test_the_committed_data_has_all_rows_and_four_languages() -> None:
    found = file.read(COMMITTED)
    assert {column.language for column in found.columns} == {"python", "typescript", "go", "java"}
    assert found.rows == rows(), "relayproof matrix --again docs/sdk-matrix.json --docs docs"
    assert len(found.unmeasured()) <= 0.05 * len(found.rows) * len(found.columns)
    assert all(reason for *_, reason in found.unmeasured())


def test_the_committed_data_is_written_as_it_is_read() -> None:
    assert file.encode(file.read(COMMITTED)) == COMMITTED.read_bytes()


def test_each_cell_of_the_table_tells_where_sources_disagree() -> None:
    found = matrix(typescript_1=(Cell("error"), Cell("none")), python_1=(exits(), pings(20.0, 20.4)))
    text = markdown(found)
    assert "| not said | typescript 1: process exits 1<br>python 1: not said | error<br>**≠ source** | process" in text
    assert "| typescript 1: not said<br>python 1: pings; 20 s | none<br>**≠ documents** | pings<br>20.20 s" in text
    assert "## Durations" not in text


def test_durations_that_packages_declare_stand_side_by_side() -> None:
    found = matrix(typescript_1=(exits(), pings()), python_1=(exits(), pings()))
    one = msgspec.structs.replace(found.columns[0], constants_s={"ping_interval_s": 20.0, "reconnect_2_s": 1.0})
    text = markdown(msgspec.structs.replace(found, columns=(one, found.columns[1])))
    assert "| ping interval | 20 s | none found |" in text
    assert "reconnect 2" not in text


def test_what_was_not_measured_is_listed_with_its_reason() -> None:
    text = markdown(matrix(go_1=(Cell("no database", measured=False), pings())))
    assert "1 not measured." in text
    assert "- `misbehaviour/malformed_json`, go==1: no database" in text


def test_the_page_for_authors_names_who_is_harmed_and_leaves_out_what_harms_nobody() -> None:
    text = never(matrix(typescript_1=(exits(), pings()), go_1=(Cell("answered"), pings())))
    assert "## It ends the process" in text
    assert "- **Send nothing that is no JSON.** (text that is no JSON) typescript 1: process exits 1." in text
    assert "Send nothing" not in never(matrix(go_1=(Cell("answered"), pings())))
    assert "Send nothing" not in never(matrix(go_1=(Cell("no answer came", measured=False), pings())))


def test_the_page_carries_its_data_and_loads_nothing() -> None:
    text = matrix_page.page(matrix(typescript_1=(exits(), pings())))
    inside = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert inside is not None
    data = json.loads(inside[1])
    assert data["rows"][0]["cells"][0]["frames"][0]["text"] == '</script><b>"'
    assert not re.search(r"""(src|href)=["']?(https?:)?//""", text)
