"""A selection that matches nothing says what was perhaps meant."""

from __future__ import annotations

import pytest

from scenarios.catalogue import select
from scenarios.errors import SelectionError


@pytest.mark.parametrize(
    ("pattern", "near"),
    [
        ("LIV-3/silent-sockt", r"did you mean .*LIV-3/silent-socket"),
        ("silent-socket", r"did you mean .*LIV-3/silent-socket"),
        ("liv-15", r"did you mean .*LIV-15"),
        ("nothing like any id", r"`relayproof list` names them"),
    ],
)
def test_a_pattern_that_matches_nothing_names_the_near_ones(pattern: str, near: str) -> None:
    with pytest.raises(SelectionError, match=rf"no scenario matches '{pattern}'; {near}"):
        select([pattern])
    with pytest.raises(SelectionError, match=near):
        select([], skip=[pattern])
