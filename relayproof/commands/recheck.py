"""``relayproof recheck DIR``: judge a stored run again, from its files alone."""

from __future__ import annotations

import os
from pathlib import Path

import spec
from evidence.run import judge_run
from evidence.verdict import RunResult, exit_code
from relayproof import report
from scenarios import catalogue, expected


def recheck(
    folder: Path = Path("results/latest"), *, strict: bool = False, expected_failures: Path | None = None
) -> int:
    """Judge a stored run again, from its histories alone. Exit code as of `conform`.

    Parameters
    ----------
    folder
        A run's folder.
    strict
        A SHOULD that isn't met, or a MUST that the profile can't show, fails too.
    expected_failures
        A list of known failures with their reasons; one that passes fails the run.
    """
    run = judged(folder, expected_failures)
    report.terminal(run)
    return exit_code(run, strict)


def judged(folder: Path, expected_failures: Path | None) -> RunResult:
    """The verdicts of a stored run. Raises `HistoryError` where the folder is none, `UsageError` as `conform` does."""
    entries = expected.load(expected_failures) if expected_failures else []
    run = judge_run(Path(os.path.realpath(folder)), spec.clauses())  # `latest` may point elsewhere in a moment
    if not entries:
        return run
    expected.check(entries, catalogue.all(), run.scenarios)
    return expected.apply(entries, run)
