"""JUnit XML: one test case a scenario and world, for the test panes of CI systems."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from evidence.verdict import FAILING, RunResult, ScenarioResult, Verdict
from relayproof.report.words import remarkable, reproduce, told

__all__ = ["junit_xml"]

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit_xml(run: RunResult) -> bytes:
    """Failing verdicts are failures; UNKNOWN and HARNESS-ERROR are errors; UNSUPPORTED and EXPECTED are skipped."""
    root = ElementTree.Element("testsuites", name=f"relayproof {run.relay}", time=f"{run.duration_s:.3f}")
    for world in sorted({scenario.world for scenario in run.scenarios}):
        scenarios = [scenario for scenario in run.scenarios if scenario.world == world]
        suite = ElementTree.SubElement(
            root, "testsuite", name=f"{run.relay} {world}", timestamp=run.started, tests=str(len(scenarios)),
            failures=str(sum(_tag(each) == "failure" for each in scenarios)),
            errors=str(sum(_tag(each) == "error" for each in scenarios)),
            skipped=str(sum(_tag(each) == "skipped" for each in scenarios)),
            time=f"{sum(each.duration_s for each in scenarios):.3f}",
        )  # fmt: skip
        properties = ElementTree.SubElement(suite, "properties")
        for name, value in (("seed", run.seed), ("timing", run.pace), ("tool", run.tool), ("target", run.target)):
            ElementTree.SubElement(properties, "property", name=name, value=_clean(str(value)))
        for scenario in scenarios:
            _case(suite, run, scenario)
    ElementTree.indent(root)
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'.encode()


def _case(suite: ElementTree.Element, run: RunResult, scenario: ScenarioResult) -> None:
    family = scenario.scenario.partition("-")[0]
    case = ElementTree.SubElement(
        suite, "testcase", classname=f"relayproof.{scenario.world}.{family}", name=scenario.scenario,
        time=f"{scenario.duration_s:.3f}",
    )  # fmt: skip
    tag = _tag(scenario)
    if not tag:
        return
    findings = remarkable(scenario)
    first = findings[0].seen if findings else scenario.note
    message = _clean(f"{scenario.verdict}: {first}")
    ended = ElementTree.SubElement(case, tag, message=message)
    if tag != "skipped":
        ended.set("type", str(scenario.verdict))
        ended.text = _clean(_text(run, scenario))


def _text(run: RunResult, scenario: ScenarioResult) -> str:
    lines = [scenario.title]
    for finding in remarkable(scenario):
        lines.append(f"{finding.clause} {finding.verdict} by rule {finding.rule}")
        lines += [f"  {word}: {text}" for word, text in told(finding)]
    return "\n".join([*lines, f"again: {reproduce(run, scenario)}", f"history: {scenario.path}"])


def _tag(scenario: ScenarioResult) -> str:
    if scenario.verdict in FAILING:
        return "failure"
    if scenario.verdict in (Verdict.UNKNOWN, Verdict.HARNESS_ERROR):
        return "error"
    return "skipped" if scenario.verdict in (Verdict.UNSUPPORTED, Verdict.EXPECTED) else ""


def _clean(text: str) -> str:
    """XML 1.0 has no escape for control characters."""
    return _NOT_XML.sub("�", text)
