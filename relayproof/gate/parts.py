"""The parts of the gate as command lines of this same program, each in a process and a folder of its own."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from relayproof.gate.plan import Canary, Chaos, Conform, Plan, Simulate

__all__ = ["Part", "parts"]


@dataclass(frozen=True, slots=True)
class Part:
    """``canary``: it must refute a broken relay, so exit code 1 is what is wanted.

    ``note``: what else is to be known of it, such as why it is left out, or what it does not prove.
    """

    name: str
    command: tuple[str, ...]
    budget_s: float
    canary: bool = False
    note: str = ""

    @property
    def line(self) -> str:
        """The command for a shell; empty where there is none."""
        return shlex.join(["relayproof", *self.command]) if self.command else ""


def parts(plan: Plan, relay: str, *, own: bool, docker: Callable[[], str]) -> Iterator[Part]:
    """What to run, canaries first: they are short, and where one stays green the rest says nothing.

    ``own``: the relay's core is at hand. ``docker()`` is "" where containers run, else the reason why they don't.
    """
    wanted = [each.budget_s for each in (plan.conform, plan.simulate, plan.chaos) if each.run]
    share = min(1.0, plan.budget_s / sum(wanted))
    real = list(_chaos(plan.chaos, plan.seed, relay, docker)) if plan.chaos.run else []
    found = [
        *(_conform(plan.conform, plan.seed, relay) if plan.conform.run else []),
        *(_simulate(plan.simulate, plan.seed, relay, own) if plan.simulate.run else []),
        *real,
    ]
    for part in sorted(found, key=lambda part: not part.canary):
        yield Part(part.name, part.command, part.budget_s * share, part.canary, part.note)


def _conform(conform: Conform, seed: int, relay: str) -> Iterator[Part]:
    shared = ("--world", "wire", "--seed", str(seed))
    if conform.canary.relay:
        yield _canary("conform", ("conform", *shared), conform.canary, conform.budget_s)
    more = ["--timing", conform.timing]
    if conform.select:
        more += ["--select", *conform.select]
    if conform.skip:
        more += ["--skip", *conform.skip]
    if conform.expected_failures:
        more += ["--expected-failures", conform.expected_failures]
    if conform.strict:
        more.append("--strict")
    yield Part("conform", ("conform", "--relay", relay, *shared, *more), conform.budget_s, note=_guard(conform.canary))


def _simulate(simulate: Simulate, seed: int, relay: str, own: bool) -> Iterator[Part]:
    shared = ("--schedules", str(simulate.schedules), "--seed", str(seed))
    if not own:
        yield Part("simulate", (), 0.0, note=f"{relay} does not offer its core: it can't run in virtual time")
        return
    if simulate.canary.relay:
        yield _canary("simulate", ("simulate", *shared), simulate.canary, simulate.budget_s)
    yield Part("simulate", ("simulate", "--relay", relay, *shared), simulate.budget_s, note=_guard(simulate.canary))


def _chaos(chaos: Chaos, seed: int, relay: str, docker: Callable[[], str]) -> Iterator[Part]:
    runtime, note = chaos.runtime, ""
    if runtime == "auto":
        reason = docker()
        runtime, note = ("docker", "") if not reason else ("process", f"DOCKER NOT PROVED: {reason}")
    shared = ("--seed", str(seed), "--runtime", runtime, "--grace", f"{chaos.grace_s:g}s")
    if chaos.canary.relay:
        little = ("--sdk", chaos.sdks[0], "--duration", "15s", "--faults", "kill")
        yield _canary("chaos", ("chaos", *shared, *little), chaos.canary, chaos.budget_s)
    more = ["--sdk", ",".join(chaos.sdks), "--duration", f"{chaos.duration_s:g}s", "--executors", str(chaos.executors)]
    if chaos.faults:
        more += ["--faults", ",".join(chaos.faults)]
    if chaos.strict:
        more.append("--strict")
    notes = [each for each in (note, _guard(chaos.canary)) if each]
    yield Part("chaos", ("chaos", "--relay", relay, *shared, *more), chaos.budget_s, note="; ".join(notes))


def _canary(name: str, command: tuple[str, ...], canary: Canary, budget_s: float) -> Part:
    select = ("--select", *canary.select) if canary.select else ()
    return Part(f"{name}-canary", (*command, "--relay", canary.relay, *select), budget_s, canary=True)


def _guard(canary: Canary) -> str:
    return "" if canary.relay else "UNGUARDED: no canary shows that it can fail"


def folder_of(part: Part, run: Path) -> Path:
    """Where a part leaves what it found."""
    return run / part.name
