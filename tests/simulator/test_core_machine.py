"""Hypothesis drives the core through the machine of `simulator.explore`, and shrinks what it finds.

Breadth-first search is hundreds of times faster and complete within small bounds; this goes beyond them: more executors
and times that fall on no lattice, on long ways.
"""

from __future__ import annotations

from typing import Any, ClassVar

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule, run_state_machine_as_test

import broken_relays
from conductor.timing import DOCUMENTED
from reference_relay.core import Core
from reference_relay.core.records import Settings
from simulator.explore.actions import Action, possible
from simulator.explore.answers import WRONG_TYPE
from simulator.explore.errors import Violation
from simulator.explore.machine import Machine
from simulator.explore.model import YES_NO, Member, Model

WIDE = Model(
    name="wide",
    text="four executors of two versions at documented timing",
    members=(Member("a"), Member("b"), Member("c"), Member("old", version="v0")),
    timing=DOCUMENTED,
    settings=(Settings(executor_timeout_s=60), Settings(executor_timeout_s=7, recover_to_latest_version=True)),
    answers={
        **YES_NO,
        "executor_info": ("ok", "no id"),
        "recovery": ("true", "false", "error", WRONG_TYPE),
        "exist_pending_workflows": ("no", "yes", "error"),
        "get_workflow_aggregates": ("nobody", "owners", "error"),
        "list_application_versions": ("v1", "error"),
    },
    sockets=2,
    silent=2,
    silent_strangers=True,
    overdue=2,
    calls=2,
    stray=True,
    binary=True,
)


class CoreMachine(RuleBasedStateMachine):
    """A rule a verb. Which of the possible actions of a verb happens is drawn as a number, so that it shrinks."""

    core: ClassVar[type[Core]] = Core

    def __init__(self) -> None:
        super().__init__()
        self.machine = Machine(WIDE, self.core)

    def _possible(self, *verbs: str) -> list[Action]:
        machine = self.machine
        return [each for each in possible(WIDE, machine.core, machine.outside) if each.verb in verbs]

    def _do(self, place: int, *verbs: str, crash: str = "") -> None:
        actions = self._possible(*verbs)
        if actions:
            self.machine.do(actions[place % len(actions)], crash)
            self.machine.check()

    @rule(place=st.integers(0, 7))
    def dial(self, place: int) -> None:
        self._do(place, "dial")

    @precondition(lambda self: self.machine.outside.frames)
    @rule(place=st.integers(0, 31), crash=st.sampled_from(("", "", "", "before the commit", "after the commit")))
    def answer(self, place: int, crash: str) -> None:
        self._do(place, "answer", crash=crash)

    @precondition(lambda self: self.machine.outside.conns)
    @rule(place=st.integers(0, 7))
    def lose(self, place: int) -> None:
        self._do(place, "drop", "silence")

    @precondition(lambda self: self.machine.outside.conns)
    @rule(place=st.integers(0, 7))
    def misbehave(self, place: int) -> None:
        self._do(place, "stray", "binary", "revoke")

    @rule(ticks=st.integers(1, 12))
    def time_passes(self, ticks: int) -> None:
        for _ in range(ticks):
            self._do(0, "tick")

    @rule(place=st.integers(0, 3))
    def manage(self, place: int) -> None:
        self._do(place, "settings", "call", "abandon")

    @rule()
    def the_relay_dies(self) -> None:
        self._do(0, "die")


_QUIET: dict[str, Any] = {"deadline": None, "suppress_health_check": list(HealthCheck), "database": None}


def test_the_core_holds_its_invariants() -> None:
    run_state_machine_as_test(
        CoreMachine, settings=settings(max_examples=60, stateful_step_count=40, derandomize=True, **_QUIET)
    )


@pytest.mark.parametrize(
    ("name", "most_steps"),
    [("keeps-the-older-socket", 5), ("half-a-grace", 6), ("deletes-a-live-record", 12), ("closes-on-stray-answers", 4)],
)
def test_a_broken_core_is_found_and_shrunk(name: str, most_steps: int) -> None:
    steps: list[int] = []

    class Counting(CoreMachine):
        core = broken_relays.find(name).core

        def __init__(self) -> None:
            super().__init__()
            self.taken = 0

        def _do(self, place: int, *verbs: str, crash: str = "") -> None:
            self.taken += 1
            try:
                super()._do(place, *verbs, crash=crash)
            except Violation:
                steps.append(self.taken)
                raise

    phases = (Phase.generate, Phase.shrink)
    with pytest.raises(Violation):
        run_state_machine_as_test(
            Counting,
            settings=settings(max_examples=400, stateful_step_count=40, derandomize=True, phases=phases, **_QUIET),
        )
    assert steps[-1] <= most_steps, "the last failure that is replayed is the smallest"
