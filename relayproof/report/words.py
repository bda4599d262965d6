"""What every report says alike: kinds of verdicts, the order of scenarios, the command that plays one again."""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Mapping

from evidence.verdict import FAILING, Finding, RunResult, ScenarioResult, Verdict, exit_code
from evidence.window import Window

__all__ = ["FAMILIES", "KINDS", "failures", "ordered", "outcome", "remarkable", "reproduce", "told", "weighted"]

KINDS: Mapping[Verdict, str] = {
    Verdict.OK: "good",
    Verdict.INFO: "info",
    Verdict.UNSUPPORTED: "mute",
    Verdict.EXPECTED: "mute",
    Verdict.NON_STRICT: "warn",
    Verdict.UNCLEAN: "warn",
    Verdict.UNKNOWN: "doubt",
    Verdict.HARNESS_ERROR: "broken",
    **dict.fromkeys(FAILING, "bad"),
}
"""Verdict -> how it is coloured."""

FAMILIES: Mapping[str, str] = {
    "CON": "connection",
    "HSK": "handshake",
    "ENV": "envelope and dispatch",
    "MSG": "message catalogue",
    "LIV": "liveness",
    "REC": "recovery",
    "OUT": "outcomes with real SDKs",
    "AUD": "audit log",
    "ALR": "alerts",
    "HAV": "high availability",
    "FWD": "forwarding",
    "API": "management API",
    "ROB": "robustness",
}

_PACES = ("fast", "documented")
"""What conform takes for --timing."""
_OUTCOMES = {0: "PASS", 1: "FAIL", 2: "UNKNOWN", 3: "HARNESS ERROR"}
_ORDER = {verdict: place for place, verdict in enumerate(Verdict)}


def outcome(run: RunResult) -> str:
    """PASS, FAIL, UNKNOWN or HARNESS ERROR: the run's exit code in a word."""
    return _OUTCOMES[exit_code(run)]


def weighted(scenarios: Iterable[ScenarioResult]) -> list[ScenarioResult]:
    """The heaviest verdicts first, then by id."""
    return sorted(scenarios, key=lambda each: (_ORDER[each.verdict], each.scenario, each.world))


def failures(run: RunResult) -> list[ScenarioResult]:
    """The scenarios that keep the run from passing, the heaviest first."""
    fatal = FAILING | {Verdict.HARNESS_ERROR, Verdict.UNKNOWN}
    return weighted(each for each in run.scenarios if each.verdict in fatal)


def remarkable(scenario: ScenarioResult) -> list[Finding]:
    """The findings that are no plain pass, the heaviest first."""
    plain = {Verdict.OK, Verdict.INFO}
    return [finding for finding in ordered(scenario.findings) if finding.verdict not in plain]


def ordered(findings: Iterable[Finding]) -> list[Finding]:
    """The heaviest first, else as they were found."""
    return sorted(findings, key=lambda each: _ORDER[each.verdict])


def reproduce(run: RunResult, scenario: ScenarioResult) -> str:
    """One line for a shell that plays this scenario again with the same seed.

    Where neither the run says it nor conform can: the command as it was typed.
    """
    if scenario.again or run.pace not in _PACES or not scenario.world:
        return scenario.again or run.command
    words = ["relayproof", "conform", "--relay", run.target, "--world", scenario.world, "--timing", run.pace]
    return shlex.join([*words, "--seed", str(run.seed), "--select", scenario.scenario])


def told(finding: Finding) -> list[tuple[str, str]]:
    """What a finding says, as pairs of a word and a text; empty ones are left out."""
    window = finding.window_s
    measured = "" if finding.measured_s is None else f"{finding.measured_s:.3f} s"
    allowed = "" if window is None else Window(*window).text()
    rows = [
        ("expected", finding.expected),
        ("seen", finding.seen),
        ("measured", measured),
        ("window", allowed),
        ("events", ", ".join(map(str, finding.events[:8]))),
    ]
    return [(word, text) for word, text in rows if text]
