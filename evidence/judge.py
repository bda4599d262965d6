"""From a history to verdicts. Pure: the judge never saw the run, only its history and the contract.

Per clause the heaviest finding counts. A declared clause without any finding is VACUOUS; a failing
finding of a clause that the scenario did not declare counts too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import msgspec

from evidence import rules
from evidence.errors import EvidenceError, HistoryError
from evidence.events import Expect, Note
from evidence.history import History, load
from evidence.verdict import FAILING, Finding, ScenarioResult, Verdict, worst
from evidence.window import NS_PER_S, evaluate
from spec import Clause

__all__ = ["judge", "judge_file"]

_NOTED = {
    "unsupported": Verdict.UNSUPPORTED,
    "prerequisite": Verdict.NOT_TESTABLE,
    "slow-host": Verdict.UNKNOWN,  # the scenario's own moments passed: nothing about the relay
}
# LATE allows for jitter itself. EARLY does so inside its window only: a host that stalled before it may have cost the
# executor its connection, and then the change was on its way already.
_DOUBTED = frozenset({Verdict.FAILED, Verdict.VACUOUS, Verdict.NOT_TESTABLE, Verdict.EARLY})
_HARSH = FAILING - {Verdict.VACUOUS, Verdict.STALE}


def judge(history: History, clauses: Mapping[str, Clause], *, path: str = "") -> ScenarioResult:
    """Judge one complete history by the contract. ``path`` is only carried along, for reports."""
    header = history.header
    stated = list(_stated(history))
    shown = {each.clause for each in stated} if _notes(history) else {*header.clauses}
    findings = stated + list(_always(history))
    findings = [_levelled(_doubted(history, each), clauses) for each in findings]
    found: dict[str, list[Finding]] = {}
    for each in findings:
        if each.clause in header.clauses or each.verdict in FAILING or each.verdict is Verdict.HARNESS_ERROR:
            found.setdefault(each.clause, []).append(each)
    for clause in header.clauses:
        # What always holds is no proof where the scenario itself had to give up before it came to this clause.
        if clause not in found or clause not in shown:
            missing = _levelled(_doubted(history, _missing(history, clause)), clauses)
            found.setdefault(clause, []).append(missing)
    kept = tuple(each for several in found.values() for each in several)
    return ScenarioResult(
        scenario=header.scenario,
        title=header.title,
        world=header.world,
        path=path,
        findings=kept,
        clauses={clause: worst(each.verdict for each in several) for clause, several in found.items()},
        duration_s=round(history.end_ns / NS_PER_S, 3),
        note=_reason(history),
    )


def judge_file(
    root: Path,
    path: str,
    clauses: Mapping[str, Clause],
    scenario: str = "",
    world: str = "",
    about: Sequence[str] = (),
) -> ScenarioResult:
    """Judge the history at ``root / path``. What is no complete history gives a HARNESS-ERROR, never an exception.

    ``scenario`` and ``world`` are what the index says the file tells of; empty: whatever it tells of.
    ``about``: the clauses that a damaged history leaves without proof.
    """
    try:
        history = load(_within(root, path))
        _check_about(history, scenario, world)
        return judge(history, clauses, path=path)
    except (HistoryError, OSError) as problem:
        broken = Finding(clause="", verdict=Verdict.HARNESS_ERROR, rule="history", seen=str(problem))
        return ScenarioResult(
            scenario=scenario or Path(path).stem,
            title="",
            world=world,
            clauses=dict.fromkeys(about, Verdict.HARNESS_ERROR),
            findings=(broken,),
            path=path,
            note=str(problem),
        )


def _within(root: Path, path: str) -> Path:
    """Raises `HistoryError` for a path out of the run's folder: its verdicts would not be that run's."""
    if Path(path).is_absolute() or ".." in Path(path).parts or "\0" in path:
        raise HistoryError(f"{path}: no file of this run: a history lies in the run's own folder")
    return root / path


def _check_about(history: History, scenario: str, world: str) -> None:
    told = history.header
    if (scenario and told.scenario != scenario) or (world and told.world != world):
        raise HistoryError(
            f"{history.name}: tells of {told.scenario} ({told.world}), the index of the run says {scenario} ({world})"
        )


def _stated(history: History) -> Iterable[Finding]:
    """What the scenario expected, and an error of the scenario itself."""
    if history.footer.outcome == "error":
        for clause in history.header.clauses:
            yield _broken(clause, "scenario", history.footer.error, history.footer.n)
    for expect in history.of(Expect):
        try:
            yield from rules.apply(history, expect)
        except EvidenceError as problem:
            yield _broken(expect.clause, expect.rule, str(problem), expect.n)


def _always(history: History) -> Iterable[Finding]:
    """What must hold in every history."""
    for name, (clauses, function) in rules.invariants().items():
        try:
            yield from function(history)
        except EvidenceError as problem:
            yield _broken(clauses[0], name, str(problem), history.footer.n)


def _broken(clause: str, rule: str, problem: str, n: int) -> Finding:
    return Finding(clause=clause, verdict=Verdict.HARNESS_ERROR, rule=rule, seen=problem, events=(n,))


def _missing(history: History, clause: str) -> Finding:
    """For a declared clause that nothing was found about: a noted reason, else VACUOUS."""
    for note in _notes(history):
        reason = str(note.detail.get("reason", note.text))
        return Finding(clause=clause, verdict=_NOTED[note.text], rule=note.text, seen=reason, events=(note.n,))
    return Finding(clause=clause, verdict=Verdict.VACUOUS, rule="minimum-work", seen="nothing was seen of this clause")


def _doubted(history: History, finding: Finding) -> Finding:
    """A failure is UNKNOWN where the host itself stalled for long enough to have caused it.

    A scripted executor that gets no processor time answers no ping: the relay rightly takes it for lost.
    """
    limit = rules.doubt(finding.rule)
    if not limit or finding.verdict not in _DOUBTED:
        return finding
    moments = [history.events[n].t for n in finding.events]
    until_ns = max(moments, default=history.end_ns)
    if finding.window_s is not None and finding.window_s[1] is not None and moments:
        # What never came was waited for until its window was over: a stall in that time counts too.
        until_ns = max(until_ns, min(moments) + round(finding.window_s[1] * NS_PER_S))
    jitter_s = history.worst_jitter(0, until_ns) / NS_PER_S
    if jitter_s == 0 or jitter_s < evaluate(limit, history.header.timing):
        return finding
    seen = f"{finding.seen} (the host's own jitter was {jitter_s:.3f} s)"
    return msgspec.structs.replace(finding, verdict=Verdict.UNKNOWN, seen=seen)


def _levelled(finding: Finding, clauses: Mapping[str, Clause]) -> Finding:
    """A SHOULD that is not met is NON-STRICT; nothing about an INFO clause is judged."""
    known = clauses.get(finding.clause)
    if known is None:
        seen = f"the contract has no clause {finding.clause!r}: {finding.seen}"
        return msgspec.structs.replace(finding, verdict=Verdict.HARNESS_ERROR, seen=seen)
    if finding.verdict is Verdict.HARNESS_ERROR or finding.verdict is Verdict.UNSUPPORTED:
        return finding
    if known.level == "INFO":
        return msgspec.structs.replace(finding, verdict=Verdict.INFO)
    if known.level == "SHOULD" and finding.verdict in _HARSH:
        return msgspec.structs.replace(finding, verdict=Verdict.NON_STRICT)
    return finding


def _notes(history: History) -> Sequence[Note]:
    """What the scenario said about not being able to go on."""
    return [note for note in history.of(Note) if note.text in _NOTED]


def _reason(history: History) -> str:
    notes = _notes(history)
    if history.footer.outcome == "error":
        return history.footer.error
    return str(notes[0].detail.get("reason", "")) if notes else ""
