"""Faults of the real world, one small file each, registered by name when its module is imported.

    @fault("kill")
    async def kill(fleet: Fleet, victim: str) -> None: ...

A fault writes its `Fault` event and acts. It may act later, when something is observed; `apply` returns at once then.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from chaos.errors import FaultRefused, UnknownFault

if TYPE_CHECKING:
    from chaos.fleet import Fleet

__all__ = ["apply", "fault", "names"]

Act = Callable[["Fleet", str], Awaitable[None]]
_acts: dict[str, Act] = {}


def fault(name: str) -> Callable[[Act], Act]:
    """Register the decorated coroutine under this name."""

    def register(act: Act) -> Act:
        assert _acts.get(name, act) is act, f"two faults are called {name!r}"
        _acts[name] = act
        return act

    return register


def names() -> list[str]:
    """All faults, by the files of this package."""
    for module in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        importlib.import_module(module.name)
    return sorted(_acts)


async def apply(name: str, fleet: Fleet, victim: str) -> None:
    """Do it to the worker with this label. Raises `UnknownFault`, or `FaultRefused` where the runtime can't have it."""
    if name not in names():
        raise UnknownFault(f"there is no fault {name!r}: choose among {', '.join(_acts)}")
    if name not in fleet.runtime.faults:
        raise FaultRefused(
            f"the {fleet.runtime.name} runtime on SQLite can't have the fault {name!r}"
            f" (a stopped process keeps the file's write lock): it can have {', '.join(fleet.runtime.faults)}"
        )
    await _acts[name](fleet, victim)
