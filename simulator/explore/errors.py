"""What an exploration raises."""

from __future__ import annotations

from simulator.errors import SimulatorError


class ExploreError(SimulatorError):
    """The root of this package. The text names the input and the way out."""


class UnknownModel(ExploreError):
    """There is no model of that name."""


class Violation(ExploreError):
    """The core broke an invariant. ``clause`` names it."""

    def __init__(self, clause: str, text: str) -> None:
        super().__init__(f"{clause}: {text}")
        self.clause = clause
        self.text = text
