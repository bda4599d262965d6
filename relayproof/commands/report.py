"""``relayproof report DIR``: write a stored run's reports again."""

from __future__ import annotations

import os
from pathlib import Path

from relayproof import report as reports
from relayproof.commands.recheck import judged
from relayproof.errors import CommandError


def report(folder: Path = Path("results/latest"), *, expected_failures: Path | None = None) -> int:
    """Write the HTML page, the Markdown summary, JUnit XML and the verdicts of a stored run again, from its histories.

    Parameters
    ----------
    folder
        A run's folder.
    expected_failures
        A list of known failures with their reasons.
    """
    folder = Path(os.path.realpath(folder))  # `latest` may point elsewhere in a moment
    run = judged(folder, expected_failures)
    try:
        written = reports.write_all(run, folder)
    except OSError as problem:
        raise CommandError(f"{problem.filename or folder}: {problem.strerror}: make room, or copy the run") from problem
    for path in written:
        print(path)
    return 0
