"""The core holds every invariant in every state of the models; broken ones are shown, shortest way first."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import broken_relays
from reference_relay.core import Core
from simulator.explore import telling
from simulator.explore.errors import UnknownModel
from simulator.explore.models import HANDSHAKE, MODELS, PAIR, find
from simulator.explore.search import breadth_first, walk


@pytest.mark.slow  # some twenty seconds where coverage is collected
def test_every_state_of_two_executors_that_recover_one_another() -> None:
    found = breadth_first(PAIR)
    assert found.counterexample is None
    assert found.complete
    assert found.states == 3230
    assert (found.transitions, found.depth) == (36489, 27)
    assert sum(found.levels) == found.states


@pytest.mark.parametrize("name", sorted(set(MODELS) - {"pair"}))
def test_the_first_states_of_each_model(name: str) -> None:
    found = breadth_first(find(name), most_states=200)
    assert found.counterexample is None
    assert found.states >= 200 or found.complete


def test_a_crash_inside_of_an_event_is_worth_its_price() -> None:
    """It leads to what one between events does not: a grace period of which nothing is left, and nobody DEAD yet."""
    between, inside = breadth_first(replace(HANDSHAKE, inside=False)), breadth_first(HANDSHAKE)
    assert between.counterexample is inside.counterexample is None
    assert (between.states, inside.states) == (566, 587)


BROKEN = {
    "never-pings": "handshake",
    "ignores-missing-pongs": "handshake",
    "silence-too-early": "pair",
    "waits-for-ever": "handshake",
    "keeps-the-older-socket": "handshake",
    "demotes-on-stale-close": "handshake",
    "registers-without-an-id": "handshake",
    "closes-on-stray-answers": "handshake",
    "overlooks-closed-sockets": "pair",
    "half-a-grace": "pair",
    "grace-and-a-half": "pair",
    "stale-grace-timer": "pair",
    "forgets-everyone-on-restart": "handshake",
    "never-recovers": "pair",
    "never-deletes": "pair",
    "deletes-before-the-answer": "pair",
    "deletes-on-a-refusal": "pair",
    "deletes-what-came-back": "pair",
    "deletes-a-live-record": "pair",
    "does-not-ask-what-is-left": "pair",
    "writes-after-the-frame": "answers",
    "misses-deletions": "pair",
    "locks-the-dead-out": "pair",
    "recovers-to-any-version": "versions",
    "recovers-to-any-language": "languages",
    "waiter-leak": "calls",
}
"""Defects of the core, and a model that shows each within a few hundred states."""


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_a_broken_core_gives_a_counterexample(name: str) -> None:
    model, core = find(BROKEN[name]), broken_relays.find(name).core
    shown = breadth_first(model, core, most_states=3000).counterexample
    assert shown is not None
    story = list(telling.tell(model, shown, core))
    assert f"{shown.clause}: {shown.text}" in story[-1]
    assert len([line for line in story if line.lstrip()[:1].isdigit()]) == len(shown.steps)


def test_the_way_that_is_shown_is_a_shortest_one() -> None:
    """No shorter one exists: the levels before it were visited in full, and it ends in the next."""
    core = broken_relays.find("half-a-grace").core
    found = breadth_first(PAIR, core)
    assert found.counterexample is not None
    assert (
        len(found.counterexample.steps) == found.depth == 3
    )  # dials; answers, and the relay dies; half of its grace, and dead
    assert breadth_first(PAIR, core, most_depth=found.depth - 1).counterexample is None


def test_a_walk_is_repeatable_and_judges_too() -> None:
    assert walk(PAIR, 7, 300) == walk(PAIR, 7, 300)
    assert walk(PAIR, 7, 300).digest != walk(PAIR, 8, 300).digest
    assert walk(PAIR, 7, 3000, broken_relays.find("never-pings").core).counterexample is not None


def test_limits_are_told() -> None:
    assert not breadth_first(PAIR, most_depth=2).complete
    assert breadth_first(PAIR, most_states=50).states < 200
    with pytest.raises(UnknownModel, match="did you mean 'pair'"):
        find("pari")


def test_a_core_that_raises_is_a_counterexample() -> None:
    class Raises(Core):
        def _grace_due(self, key: object) -> None:
            raise RuntimeError("no grace")

    shown = breadth_first(PAIR, Raises).counterexample
    assert shown is not None
    assert "raised RuntimeError: no grace" in shown.text


_PROGRAM = """
from simulator.explore.models import HANDSHAKE, find
from simulator.explore.search import breadth_first, walk
print(breadth_first(HANDSHAKE), breadth_first(find("calls"), most_states=300), walk(find("sweep"), 3, 400))
"""


def test_the_same_states_in_every_process() -> None:
    root = Path(__file__).parents[3]
    runs = [
        subprocess.Popen(
            [sys.executable, "-c", _PROGRAM], env={**os.environ, "PYTHONHASHSEED": seed}, cwd=root,
            stdout=subprocess.PIPE, text=True,
        )
        for seed in ("1", "4711")
    ]  # fmt: skip
    outputs = [run.communicate(timeout=100)[0] for run in runs]
    assert outputs[0] == outputs[1]
    assert "handshake" in outputs[0]
