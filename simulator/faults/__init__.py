"""Faults in virtual time: one small file each, registered under the name that schedules use.

    @fault("cut")
    def cut(fleet: Fleet, at: FaultAt) -> Heal | None:
        ...

The function breaks something now; what it returns, if anything, mends it again. `scenarios.schedule.kinds` says what
a schedule may ask for.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from scenarios.schedule.kinds import KINDS

if TYPE_CHECKING:
    from scenarios.schedule.file import FaultAt
    from simulator.models.fleet import Fleet

Heal = Callable[[], object]
Fault = Callable[["Fleet", "FaultAt"], "Heal | None"]

_registered: dict[str, Fault] = {}


def fault(name: str) -> Callable[[Fault], Fault]:
    """Register the decorated function as the fault of this name."""
    assert name in KINDS, f"no kind of fault is called {name!r}: add it to scenarios.schedule.kinds first"

    def register(function: Fault) -> Fault:
        known = _registered.get(name)
        assert known is None or known.__module__ == function.__module__, f"fault {name!r} is there twice"
        _registered[name] = function
        return function

    return register


def faults() -> Mapping[str, Fault]:
    """Every fault by its name: imports the whole package."""
    _import_all()
    return _registered


@cache
def _import_all() -> None:
    for module in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        importlib.import_module(module.name)
