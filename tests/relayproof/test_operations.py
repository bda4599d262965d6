"""The table of operations: current, and without a gap."""

from __future__ import annotations

from pathlib import Path

import pytest

from reference_relay.server.api.operation import OPERATIONS
from relayproof.commands.operations import PAGE, covering, operations, page

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def made() -> str:
    """The page: to make it takes seconds."""
    return page()


def test_the_page_is_current(made: str) -> None:
    assert (ROOT / PAGE).read_text("utf-8") == made, "relayproof operations"


@pytest.mark.parametrize("name", sorted(name for name, each in OPERATIONS.items() if not each.extension))
def test_every_public_operation_has_scenarios_and_a_defect(name: str, made: str) -> None:
    assert covering(name)
    (row,) = [line for line in made.splitlines() if line.startswith(f"| `{name}` |")][:1]
    assert row.split("|")[-2].strip(), f"no broken relay breaks {name}"


def test_the_page_goes_where_it_is_wanted(tmp_path: Path, made: str) -> None:
    assert operations(output=tmp_path / "page.md") == 0
    assert (tmp_path / "page.md").read_text("utf-8") == made
