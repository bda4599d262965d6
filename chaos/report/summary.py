"""The figures of a run, from its history alone: what every report tells."""

from __future__ import annotations

from collections import Counter

import msgspec

from chaos.findings.proof import proof
from chaos.findings.rates import rate_of
from chaos.report.blows import Blow, blows
from evidence.events import Fault, Note
from evidence.history import History
from evidence.outcomes import Weighed, weigh
from evidence.sdk_faults import HARMLESS, SdkFinding, track_record
from evidence.strikes import name_of, never_struck
from evidence.verdict import RunResult, ScenarioResult, exit_code

__all__ = ["Language", "Summary", "bound", "by_clause", "outcome", "summarize"]


class Language(msgspec.Struct, frozen=True):
    """One SDK's share of a run."""

    language: str
    sdk: str
    executors: int  # processes, over the whole run
    workflows: int
    ended: int
    strikes: int  # processes ended: kills and stops
    on_work: int  # of which had unfinished workflows in hand
    recovered: int  # of which a living executor took over work
    zombies: int  # paused executors of which others took over work


class Summary(msgspec.Struct, frozen=True):
    """A whole run."""

    languages: tuple[Language, ...]
    faults: dict[str, int]  # as they struck
    blows: tuple[Blow, ...]  # the same by SDK
    never_struck: tuple[str, ...]  # of a tour: "fault SDK"
    left_out: int  # faults that found nobody to strike
    spared: tuple[str, ...]  # work that was not asked of an SDK which does it wrong, and why
    failed: tuple[str, ...]  # faults that could not be carried out, and why
    recoveries: int  # requests of the relay
    acknowledged: int
    defects: dict[str, int]  # by kind, without those that are an SDK's own and no clause's business
    by_sdks: int  # those
    track_record: tuple[SdkFinding, ...]
    rates: tuple[str, ...]  # of each of these, measured apart from this run
    proofs: tuple[tuple[str, ...], ...]  # of each: faults, frames and rows of its first workflow
    steps: int
    repeated: int
    converged: bool

    @property
    def workflows(self) -> int:
        return sum(each.workflows for each in self.languages)

    @property
    def kills(self) -> int:
        """Processes that were ended with work in hand, and whose work others took over."""
        return sum(each.recovered for each in self.languages)

    @property
    def struck_languages(self) -> list[str]:
        return sorted({blow.language for blow in self.blows})

    def struck(self) -> list[tuple[str, list[str]]]:
        """The table of faults: name, and for each of `struck_languages` "times (on work)"."""
        cells = {(blow.fault, blow.language): f"{blow.times} ({blow.on_work})" for blow in self.blows}
        names = sorted({blow.fault for blow in self.blows})
        return [(name, [cells.get((name, each), "-") for each in self.struck_languages]) for name in names]

    @property
    def claim(self) -> str:
        """What a run without a failure supports, and what one with failures shows."""
        failures = sum(self.defects.values())
        aside = f"; {self.by_sdks} ends by SDKs' own faults, told apart" if self.by_sdks else ""
        if self.kills == 0:
            return "VACUOUS: no executor died with work in hand that others took over"
        if failures:
            return f"{failures} failures in {self.kills} kills with recovery, {self.workflows} workflows{aside}"
        return (
            f"0 failures in {self.kills} kills with recovery, {self.workflows} workflows: below {bound(self.kills):.1%}"
            f" a kill at 95 % (3/n){aside}"
        )


def bound(trials: int) -> float:
    """The rule of three: no failure in n trials means a rate below 3/n, at 95 %."""
    return min(1.0, 3 / trials) if trials else 1.0


def summarize(history: History) -> Summary:
    found = weigh(history)
    record = tuple(track_record(history))
    asks = [ask for _, ask in history.asks_of("recovery")]
    notes = history.of(Note)
    convergence = [note.detail.get("ended", []) for note in notes if note.text == "convergence"]
    return Summary(
        languages=_languages(found),
        faults=dict(sorted(Counter(filter(None, map(name_of, history.of(Fault)))).items())),
        blows=blows(history),
        never_struck=never_struck(history),
        left_out=sum(note.text == "fault left out" for note in notes),
        spared=tuple(
            f"{note.detail.get('language')} {note.detail.get('what')}: {note.detail.get('reason')}"
            for note in notes
            if note.text == "work left out"
        ),
        failed=tuple(
            f"{note.detail.get('fault')} {note.detail.get('on')}: {note.detail.get('reason')}"
            for note in notes
            if note.text == "fault failed"
        ),
        recoveries=len(asks),
        acknowledged=sum(ask.succeeded for ask in asks),
        defects=dict(Counter(defect.kind for defect in found.defects if defect.sdk not in HARMLESS)),
        by_sdks=sum(defect.sdk in HARMLESS for defect in found.defects),
        track_record=record,
        rates=tuple(rate_of(each.fault, each.language, each.sdk) for each in record),
        proofs=tuple(proof(history, each.workflows[0]) for each in record),
        steps=found.steps,
        repeated=found.repeated,
        converged=bool(convergence) and all(all(ended) for ended in convergence),
    )


_OUTCOMES = {0: "PASS", 1: "FAIL", 2: "UNKNOWN", 3: "HARNESS ERROR"}


def outcome(run: RunResult) -> str:
    """The run's exit code in a word."""
    return _OUTCOMES[exit_code(run)]


def by_clause(run: RunResult) -> RunResult:
    """The run with one result a clause, for reports that show one line a test."""
    split = tuple(
        ScenarioResult(
            scenario=f"{clause}/{scenario.scenario.partition('/')[2]}", title=scenario.title, world=scenario.world,
            clauses={clause: verdict}, path=scenario.path, duration_s=scenario.duration_s, note=scenario.note,
            again=scenario.again,
            findings=tuple(each for each in scenario.findings if each.clause == clause),
        )
        for scenario in run.scenarios
        for clause, verdict in scenario.clauses.items()
    )  # fmt: skip
    return msgspec.structs.replace(run, scenarios=split or run.scenarios)


def _languages(found: Weighed) -> tuple[Language, ...]:
    rows = []
    for app in sorted({process.app for process in found.processes.values()}):
        own = {executor: process for executor, process in found.processes.items() if process.app == app}
        first = next(iter(own.values()))
        rows.append(
            Language(
                language=first.language, sdk=first.sdk, executors=len(own), workflows=found.started[app],
                ended=found.ended[app], strikes=sum(executor in own for executor in found.struck),
                on_work=sum(executor in own for executor in found.orphans),
                recovered=sum(executor in own for executor in found.moved),
                zombies=sum(executor in own for executor in found.zombies),
            )
        )  # fmt: skip
    return tuple(rows)
