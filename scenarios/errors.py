"""Everything that the `scenarios` package raises, in one tree.

Two of them are signals rather than faults: a scenario raises `Unsupported` where the relay's
profile can't show its clause, and `Prerequisite` where something that the clause stands on failed.
The rest name an input and the way out; the command line prints them as they are.
"""

from __future__ import annotations


class ScenarioError(Exception):
    """The root. The text is one sentence for people."""


class Unsupported(ScenarioError):
    """The relay, by its profile, can't show this: its clauses are UNSUPPORTED, not failed."""


class Prerequisite(ScenarioError):
    """Something that the clause stands on failed (the executor never became HEALTHY): NOT_TESTABLE."""


class UsageError(ScenarioError):
    """The command line asks for something that isn't there. Exit code 64."""


class ProfileError(UsageError):
    """A profile is malformed: names the file, the key, and what is allowed."""


class SelectionError(UsageError):
    """A pattern selects no scenario."""


class UnknownWorld(UsageError):
    """No world of this name is registered."""


class CatalogueError(ScenarioError):
    """A scenario is declared wrongly: a double id, no clause, an unknown option."""


class TargetError(ScenarioError):
    """The relay under test can't be started, or did not become ready. Carries the end of its log."""

    def __init__(self, sentence: str, log: str = "") -> None:
        self.log = log
        super().__init__(f"{sentence}\n{log}".rstrip())


class ControlError(ScenarioError):
    """The relay's management side answered something that the control can't use."""


class NotOffered(Unsupported, ControlError):
    """The relay has no such operation. Who can go on without an answer does; for anybody else it is `Unsupported`."""
