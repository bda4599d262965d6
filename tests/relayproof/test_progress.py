"""What a run shows while it goes on, where there is no terminal."""

from __future__ import annotations

import io
import time

import pytest
from rich.console import Console

from relayproof import progress
from scenarios import catalogue


def test_the_scenario_that_runs_for_longest_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    now_s = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now_s[0])
    first, second, third = catalogue.all()[:3]
    said = io.StringIO()
    with progress.RunProgress(Console(file=said, width=200)) as shown:
        shown.planned("wire", [first, second, third])
        for scenario in (second, first, third):
            shown.began("wire", scenario)
            now_s[0] += 2
        now_s[0] += progress.PLAIN_EVERY_S
        shown.ended("wire", third, 1.0, "")
    assert f"wire world: 1 of 3 ended, {second.id} for 16 s and 1 more" in said.getvalue()


def test_one_is_not_several() -> None:
    said = io.StringIO()
    with progress.RunProgress(Console(file=said, width=200)) as shown:
        shown.planned("wire", catalogue.all()[:1])
    assert said.getvalue() == "wire world: 1 scenario\n"
