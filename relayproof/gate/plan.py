"""What the gate does: the parts, their budgets and canaries; ``gate.toml`` changes it."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Literal

import msgspec

from relayproof.errors import WrongUsage

__all__ = ["Canary", "Chaos", "Conform", "Plan", "Simulate", "read"]


class Canary(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A broken relay that the part must refute. ``relay`` "" leaves it out: the gate then says that it is unguarded."""

    relay: str
    select: tuple[str, ...] = ()


class Conform(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Scenarios on the wire. ``expected_failures``: a file, as for ``relayproof conform``."""

    run: bool = True
    select: tuple[str, ...] = ()
    skip: tuple[str, ...] = ()
    timing: Literal["fast", "documented"] = "fast"
    expected_failures: str = ""
    strict: bool = False
    budget_s: float = 240.0
    canary: Canary = Canary("builtin:broken/deletes-on-a-refusal", ("REC-7/refused/*",))  # no matter of timing


class Simulate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Random schedules on the relay's core, where the relay is one of the project's own."""

    run: bool = True
    schedules: int = 1000
    budget_s: float = 120.0
    canary: Canary = Canary("builtin:broken/never-pings")


class Chaos(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Real SDKs. ``runtime`` auto: containers where an engine runs them, else processes, which the report says."""

    run: bool = True
    runtime: Literal["auto", "docker", "process"] = "auto"
    sdks: tuple[str, ...] = ("python",)
    duration_s: float = 60.0
    executors: int = 3
    faults: tuple[str, ...] = ()
    grace_s: float = 5.0
    strict: bool = False
    budget_s: float = 240.0
    canary: Canary = Canary("builtin:broken/cancels-instead")


class Plan(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The whole gate. The parts' budgets shrink in proportion where they exceed ``budget_s`` together."""

    budget_s: float = 600.0
    seed: int = 0
    musts_not_judged: Literal["fail", "count"] = "fail"  # MUST clauses that the profile can't show
    conform: Conform = Conform()
    simulate: Simulate = Simulate()
    chaos: Chaos = Chaos()


def read(path: Path | None) -> Plan:
    """The plan of a file, or the usual one. Raises `WrongUsage` naming file and key."""
    if path is None:
        return Plan()
    try:
        raw: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
        plan = msgspec.convert(raw, Plan)
    except OSError as problem:
        raise WrongUsage(f"{path}: {problem.strerror}; give a gate.toml that can be read, or none") from problem
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, RecursionError) as problem:
        raise WrongUsage(f"{path}: no TOML: {problem}") from problem
    except msgspec.ValidationError as problem:
        raise WrongUsage(f"{path}: {problem}; docs/gate.md shows every key") from problem
    for name, value in (
        ("budget_s", plan.budget_s), ("simulate.schedules", plan.simulate.schedules),
        ("chaos.duration_s", plan.chaos.duration_s), ("conform.budget_s", plan.conform.budget_s),
        ("simulate.budget_s", plan.simulate.budget_s), ("chaos.budget_s", plan.chaos.budget_s),
    ):  # fmt: skip
        if value <= 0:
            raise WrongUsage(f"{path}: {name} = {value:g}: give a number above zero")
    if not (plan.conform.run or plan.simulate.run or plan.chaos.run):
        raise WrongUsage(f"{path}: every part is switched off; a gate without a part proves nothing")
    return plan
