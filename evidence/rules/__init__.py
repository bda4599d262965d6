"""The judge's rules: one small pure function each, found by name.

A rule answers one expectation of a scenario:

    @rule("closed")
    def closed(history: History, expect: Expect, *, conn: int, after: int, latest: str) -> Finding: ...

The arguments of the expectation become the function's keyword arguments. An invariant needs no
expectation; it runs on every history and gives a finding only where its premise occurred:

    @invariant("REC-10")
    def one_at_a_time(history: History) -> list[Finding]: ...

``doubt`` is the host's own jitter (a window text) from which on FAILED is UNKNOWN; EARLY and LATE allow for it anyway.
`STALLED` is a stall that makes a live executor look silent, `BLURRED` one that moves things beyond the slack.
"""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar

from evidence.errors import RuleMisuse, UnknownRule
from evidence.events import Expect
from evidence.verdict import Finding

if TYPE_CHECKING:
    from evidence.history import History

__all__ = [
    "BLURRED",
    "STALLED",
    "Invariant",
    "Rule",
    "apply",
    "check_arguments",
    "doubt",
    "invariant",
    "invariants",
    "rule",
    "rules",
]

Rule = Callable[..., "Finding | list[Finding]"]
Invariant = Callable[["History"], "list[Finding]"]
R = TypeVar("R", bound=Rule)
I = TypeVar("I", bound=Invariant)  # noqa: E741 - a type variable, never beside a 1

STALLED = "(w - i) / 2"
BLURRED = "min(slack, (w - i) / 2)"

_doubts: dict[str, str] = {"prerequisite": BLURRED, "minimum-work": BLURRED}  # the judge's own findings
_rules: dict[str, Rule] = {}
_invariants: dict[str, tuple[tuple[str, ...], Invariant]] = {}


def rule(name: str, *, doubt: str = "") -> Callable[[R], R]:
    """Register the decorated function under the name that expectations use."""

    def register(function: R) -> R:
        assert _rules.get(name, function).__module__ == function.__module__, f"rule {name!r} is declared twice"
        _rules[name] = function
        _doubts[name] = doubt
        return function

    return register


def invariant(*clauses: str, doubt: str = "") -> Callable[[I], I]:
    """Register the decorated function for every history; ``clauses`` are those that it may give findings about."""

    def register(function: I) -> I:
        _invariants[function.__name__] = (clauses, function)
        _doubts[function.__name__] = doubt
        return function

    return register


def rules() -> Mapping[str, Rule]:
    """Every rule by its name: imports the whole package."""
    _import_all()
    return _rules


def invariants() -> Mapping[str, tuple[tuple[str, ...], Invariant]]:
    """Every invariant by its function's name, with its clauses: imports the whole package."""
    _import_all()
    return _invariants


def doubt(name: str) -> str:
    """The jitter, a window text, from which on a failure by this rule proves nothing; empty: it always does."""
    return _doubts.get(name, "")


def apply(history: History, expect: Expect) -> list[Finding]:
    """Judge one expectation. Raises `UnknownRule` or `RuleMisuse` where the scenario asks for the impossible."""
    function = check_arguments(expect.rule, expect.args)
    found = function(history, expect, **(expect.args if _takes_arguments(function) else {}))
    return list(found) if isinstance(found, list) else [found]


def check_arguments(name: str, args: Mapping[str, Any]) -> Rule:
    """The rule, if these are arguments for it. Raises `UnknownRule` or `RuleMisuse`."""
    known = rules()
    if name not in known:
        raise UnknownRule(f"there is no rule {name!r}; known are {', '.join(sorted(known))}")
    function = known[name]
    if _takes_arguments(function):
        try:
            _signature(function).bind(None, None, **args)
        except TypeError as problem:
            raise RuleMisuse(f"rule {name!r}: {problem}; it takes {_signature(function)}") from problem
    return function


def _takes_arguments(function: Rule) -> bool:
    kinds = [parameter.kind for parameter in _signature(function).parameters.values()]
    return inspect.Parameter.KEYWORD_ONLY in kinds or inspect.Parameter.VAR_KEYWORD in kinds


@cache
def _signature(function: Rule) -> inspect.Signature:
    return inspect.signature(function)


@cache
def _import_all() -> None:
    for module in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        importlib.import_module(module.name)
