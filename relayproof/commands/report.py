"""``relayproof report DIR``: write a stored run's reports again."""

from __future__ import annotations

from pathlib import Path

from relayproof import report as reports
from relayproof.commands.recheck import judged


def report(folder: Path = Path("results/latest"), *, expected_failures: Path | None = None) -> int:
    """Write the HTML page, the Markdown summary, JUnit XML and the verdicts of a stored run again, from its histories.

    Parameters
    ----------
    folder
        A run's folder.
    expected_failures
        A list of known failures with their reasons.
    """
    for path in reports.write_all(judged(folder, expected_failures), folder):
        print(path)
    return 0
