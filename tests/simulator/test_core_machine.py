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
        self.actions = 0

    def _possible(self, *verbs: str) -> list[Action]:
        machine = self.machine
        return [each for each in possible(WIDE, machine.core, machine.outside) if each.verb in verbs]

    def _do(self, place: int, *verbs: str, crash: str = "") -> None:
        actions = self._possible(*verbs)
        if actions:
            self._act(actions[place % len(actions)], crash)

    def _act(self, action: Action, crash: str = "") -> None:
        self.actions += 1
        self.machine.do(action, crash)
        self.machine.check()

    @rule(place=st.integers(0, 7))
    def dial(self, place: int) -> None:
        self._do(place, "dial")

    @rule(place=st.integers(0, 7))
    def join(self, place: int) -> None:
        """A dial and a good handshake, without which little happens."""
        self._do(place, "dial")
        frame = list(self.machine.outside.frames.values())[-1:]
        if frame and frame[0].type == "executor_info":
            self._act(Action("answer", (frame[0].request_id, "ok")))

    @precondition(lambda self: self.machine.outside.frames)
    @rule(place=st.integers(0, 31), crash=st.sampled_from(("", "", "", "before the commit", "after the commit")))
    def answer(self, place: int, crash: str) -> None:
        self._do(place, "answer", crash=crash)

    @precondition(lambda self: self.machine.outside.conns)
    @rule(place=st.integers(0, 7))
    def lose(self, place: int) -> None:
        self._do(place, "drop", "silence")

    @precondition(lambda self: self.machine.outside.conns)
    @rule(place=st.integers(0, 31))
    def misbehave(self, place: int) -> None:
        self._do(place, "stray", "ping", "part", "binary", "revoke")

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
        CoreMachine, settings=settings(max_examples=40, stateful_step_count=30, derandomize=True, **_QUIET)
    )


@pytest.mark.parametrize(
    ("name", "most_actions"), [("keeps-the-older-socket", 4), ("half-a-grace", 12), ("closes-on-stray-answers", 3)]
)
def test_a_broken_core_is_found_and_shrunk(name: str, most_actions: int) -> None:
    failures: list[int] = []

    class Broken(CoreMachine):
        core = broken_relays.find(name).core

        def _act(self, action: Action, crash: str = "") -> None:
            try:
                super()._act(action, crash)
            except Violation:
                failures.append(self.actions)
                raise

    phases = (Phase.generate, Phase.shrink)
    few = settings(max_examples=200, stateful_step_count=30, derandomize=True, phases=phases, **_QUIET)
    with pytest.raises(Violation):
        run_state_machine_as_test(Broken, settings=few)
    assert failures[-1] <= most_actions, "the failure that is replayed last is the smallest"
