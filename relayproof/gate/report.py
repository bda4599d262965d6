"""The gate's reports: one page, one Markdown summary, one JUnit file, whatever the parts were."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

from relayproof.errors import INTERRUPTED
from relayproof.gate.running import Ended
from relayproof.report.templates import asset, template

__all__ = ["FILES", "write"]

FILES = ("report.html", "report.md", "junit.xml")
WORDS = {0: "PASS", 1: "FAIL", 2: "UNKNOWN", 3: "HARNESS ERROR", INTERRUPTED: "INTERRUPTED"}
_SIGNS = {"passed": "✅", "failed": "❌", "unknown": "❔", "broken": "💥", "left out": "⚪"}

_TONES = {"passed": "good", "failed": "bad", "unknown": "doubt", "broken": "broken", "left out": "mute"}


def write(ended: Sequence[Ended], code: int, relay: str, folder: Path, facts: Sequence[tuple[str, str]]) -> None:
    """Into the gate's folder; the parts' own pages are linked and lie beside it."""
    texts = (_page(ended, code, relay, folder, facts), _markdown(ended, code, relay), _junit(ended, relay))
    for name, text in zip(FILES, texts, strict=True):
        (folder / name).write_text(text, encoding="utf-8")


def _page(ended: Sequence[Ended], code: int, relay: str, folder: Path, facts: Sequence[tuple[str, str]]) -> str:
    rows = [
        (each, _word(each), _TONES[each.state], _link(each.report, folder), f"{each.part.name}/output.txt")
        for each in ended
    ]
    css = asset("relayproof.report", "page.css")
    return template(__package__).render(
        rows=rows, lines=_lines, outcome=WORDS[code], code=code, relay=relay, facts=facts, css=css
    )


def _link(report: Path | None, folder: Path) -> str:
    return Path(os.path.relpath(report, folder)).as_posix() if report is not None else ""


def _markdown(ended: Sequence[Ended], code: int, relay: str) -> str:
    sign = {0: "✅", 1: "❌", 2: "❔"}.get(code, "💥")
    lines = [f"## {sign} {WORDS[code]}: gate of {relay}", ""]
    lines += ["| part | outcome | seconds | |", "|---|---|---|---|"]
    for each in ended:
        said = "<br>".join(line.replace("|", "\\|").replace("<", "&lt;") for line in _lines(each))
        lines.append(f"| {each.part.name} | {_SIGNS[each.state]} {_word(each)} | {each.seconds:.0f} | {said} |")
    for each in ended:
        summary = each.report.with_suffix(".md") if each.report is not None else None
        if summary is not None and summary.exists() and not each.part.canary:
            lines += ["", f"<details><summary>{each.part.name}</summary>", "", summary.read_text(), "</details>"]
    return "\n".join([*lines, ""])


def _word(ended: Ended) -> str:
    """A canary has not passed, it was refuted: that is what is wanted of it."""
    return "refuted" if ended.part.canary and ended.state == "passed" else ended.state


def _lines(ended: Ended) -> list[str]:
    """What it came to, what it does not prove, and what its profile kept from being judged."""
    musts = f"{len(ended.musts)} MUST clauses not judged: {', '.join(ended.musts)}" if ended.musts else ""
    told = [ended.said, ended.part.note, "" if musts == ended.said else musts]
    return [line for line in told if line]


def _junit(ended: Sequence[Ended], relay: str) -> str:
    """A suite for the gate itself with a case for each part, then the parts' own suites."""
    root = ElementTree.Element("testsuites", name=f"relayproof gate {relay}")
    own = ElementTree.SubElement(root, "testsuite", name="gate", tests=str(len(ended)))
    counts = {"failure": 0, "error": 0, "skipped": 0}
    tags = {"failed": "failure", "unknown": "error", "broken": "error", "left out": "skipped"}
    for each in ended:
        case = ElementTree.SubElement(
            own, "testcase", classname="relayproof.gate", name=each.part.name, time=f"{each.seconds:.3f}"
        )
        if (tag := tags.get(each.state)) is not None:
            counts[tag] += 1
            told = ElementTree.SubElement(case, tag, message="; ".join(_lines(each)) or each.state)
            told.text = f"again: {each.part.line}" if each.part.line else None
    own.set("failures", str(counts["failure"]))
    own.set("errors", str(counts["error"]))
    own.set("skipped", str(counts["skipped"]))
    for each in ended:
        if each.junit is None or each.part.canary:  # a canary's failures are wanted
            continue
        for suite in ElementTree.parse(each.junit).getroot():
            suite.set("name", f"{each.part.name}: {suite.get('name')}")
            root.append(suite)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'
