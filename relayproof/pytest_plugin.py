"""``pytest --relay-profile P``: the scenarios as pytest items. Without the option the plugin does nothing.

All chosen scenarios run beside each other when the first item is asked for; each item then reports the verdicts of its
own scenario. ``-k``, ``-x``, ``--junitxml`` and the rest work as ever. Verdicts of the clauses are user properties.
"""

from __future__ import annotations

import asyncio
import random
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:  # nothing of the suite is imported in a session that doesn't use it
    from evidence.verdict import RunResult, ScenarioResult
    from scenarios.catalogue import Scenario


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("relayproof", "prove a DBOS Conductor relay")
    group.addoption(
        "--relay-profile", metavar="P", help="the relay: a profile file, builtin:..., url:..., cmd:... or image:..."
    )
    group.addoption("--relay-world", metavar="NAME", default="wire", help="wire (default), simulated or real")
    group.addoption("--relay-timing", choices=("fast", "documented"), default="fast", help="as for relayproof conform")
    group.addoption("--relay-select", metavar="GLOB", action="append", default=[], help="scenario ids or clauses")
    group.addoption("--relay-seed", metavar="N", type=int, help="of everything random")
    group.addoption("--relay-results", metavar="DIR", default="results", help="where the run's folder goes")


@pytest.hookimpl(tryfirst=True)  # before -k and -m choose among the items
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("relay_profile") is None:
        return
    if hasattr(config, "workerinput"):
        raise pytest.UsageError("--relay-profile: scenarios run beside each other by themselves; leave -n out")
    from relayproof.errors import CommandError
    from scenarios.errors import ScenarioError

    try:
        proof = Proof(config)
        if not config.option.collectonly:
            proof.look_before()
    except (ScenarioError, CommandError) as problem:
        raise pytest.UsageError(str(problem)) from problem
    collector = ScenarioCollector.from_parent(session, name="relay", nodeid="relay", proof=proof)
    items.extend(collector.collect())


class Proof:
    """The one run behind all items."""

    def __init__(self, config: pytest.Config) -> None:
        from relayproof.relays import resolve
        from scenarios import catalogue, worlds

        self.world: str = config.getoption("relay_world")
        worlds.factory(self.world)
        self.scenarios: Sequence[Scenario] = catalogue.select(config.getoption("relay_select"), world=self.world)
        self._given: str = config.getoption("relay_profile")
        self._profile = resolve(self._given)
        self._pace = config.getoption("relay_timing")
        self._results = Path(config.getoption("relay_results"))
        seed = config.getoption("relay_seed")
        self._seed: int = random.SystemRandom().randrange(2**31) if seed is None else seed
        self._outcome: RunResult | BaseException | None = None

    def look_before(self) -> None:
        """Raises what `relayproof.before_run.look` raises; what is hardly meant is a warning of pytest's."""
        from relayproof import before_run
        from scenarios import preflight

        for warning in preflight.warnings(self._profile):
            warnings.warn(pytest.PytestWarning(f"{self._given}: {warning}"), stacklevel=1)
        asyncio.run(before_run.look(self._profile, self._pace, (self.world,), self._given, self._seed))

    def result(self, scenario: Scenario, chosen: Sequence[Scenario]) -> ScenarioResult:
        """Runs all the chosen ones when it is asked for the first time; a run that failed fails for every item."""
        from evidence.errors import EvidenceError
        from scenarios.errors import ScenarioError

        if self._outcome is None:
            try:
                self._outcome = self._run(chosen)
            except (ScenarioError, EvidenceError, OSError) as problem:
                self._outcome = problem
        if isinstance(self._outcome, BaseException):
            raise self._outcome
        return next(found for found in self._outcome.scenarios if found.scenario == scenario.id)

    def _run(self, chosen: Sequence[Scenario]) -> RunResult:
        from scenarios.runner import RunOptions, Silent, run

        options = RunOptions(
            profile=self._profile,
            pace=self._pace,
            worlds=(self.world,),
            results=self._results,
            select=[scenario.id for scenario in chosen],
            seed=self._seed,
            command="pytest --relay-profile",
            given=self._given,
        )
        return asyncio.run(run(options, Silent())).result


class ScenarioCollector(pytest.Collector):
    """Stands above the items, so that their ids read ``relay::LIV-3/silent-socket``."""

    def __init__(self, *, proof: Proof, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.proof = proof

    def collect(self) -> Iterator[ScenarioItem]:
        for scenario in self.proof.scenarios:
            yield ScenarioItem.from_parent(self, name=scenario.id, scenario=scenario, proof=self.proof)


class ScenarioItem(pytest.Item):
    """One scenario in one world."""

    def __init__(self, *, scenario: Scenario, proof: Proof, **more: object) -> None:
        super().__init__(**more)  # type: ignore[arg-type]
        self.scenario = scenario
        self._proof = proof
        if self.config.pluginmanager.hasplugin("timeout"):
            self.add_marker(
                pytest.mark.timeout(0)
            )  # the first item waits for all; scenarios have deadlines of their own

    def runtest(self) -> None:
        from evidence.verdict import FAILING, Verdict

        chosen = [item.scenario for item in self.session.items if isinstance(item, ScenarioItem)]
        result = self._proof.result(self.scenario, chosen)
        self.user_properties.extend((clause, verdict.value) for clause, verdict in result.clauses.items())
        self.add_report_section("call", "verdicts", _verdicts(result))
        if result.verdict in FAILING | {Verdict.UNKNOWN, Verdict.HARNESS_ERROR}:
            raise NotProved(result)
        if result.verdict is Verdict.UNSUPPORTED:
            pytest.skip(result.note or "the relay's profile can't show it")

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: object = None) -> str:
        if isinstance(excinfo.value, NotProved):
            return str(excinfo.value)
        return str(super().repr_failure(excinfo))

    def reportinfo(self) -> tuple[Path, None, str]:
        return self.path, None, f"{self.scenario.id}: {self.scenario.title}"


class NotProved(AssertionError):
    """A scenario whose verdict fails a run; the text is what was expected and what was seen."""

    def __init__(self, result: ScenarioResult) -> None:
        lines = [f"{result.verdict.value}: {result.title}"]
        for finding in result.findings:
            if finding.verdict is result.verdict:
                lines.append(f"  {finding.clause} {finding.verdict.value} by rule {finding.rule}")
                lines.append(f"    expected  {finding.expected}")
                lines.append(f"    seen      {finding.seen}")
        super().__init__("\n".join(lines))


def _verdicts(result: ScenarioResult) -> str:
    return "\n".join(f"{clause} {verdict.value}" for clause, verdict in result.clauses.items())
