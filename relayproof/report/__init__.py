"""The reports of a run: terminal, JUnit XML, Markdown, and one self-contained HTML page."""

from __future__ import annotations

from pathlib import Path

import msgspec

from evidence.verdict import RunResult
from relayproof.report.console import print_run as terminal
from relayproof.report.junit import junit_xml
from relayproof.report.markdown import markdown
from relayproof.report.page import page

__all__ = ["FILES", "junit_xml", "markdown", "page", "terminal", "write_all"]

FILES = ("report.html", "report.md", "junit.xml", "verdicts.json")
"""What `write_all` leaves in a run's folder, beside index and histories."""


def write_all(run: RunResult, folder: Path) -> list[Path]:
    """Write every report into the run's folder; the histories are read from there for the drawings.

    Returns the files. Raises OSError where the folder can't be written.
    """
    verdicts = msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n"
    texts = (page(run, folder).encode(), markdown(run).encode(), junit_xml(run), verdicts)
    written = []
    for name, text in zip(FILES, texts, strict=True):
        path = folder / name
        path.write_bytes(text)
        written.append(path)
    return written
