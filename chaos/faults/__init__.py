"""Faults of the real world, one small file each, registered by name when its module is imported.

    @fault("pause", stores=("postgresql",))
    async def pause(site: Site, at: FaultAt) -> None: ...

A fault writes its `Fault` event and acts. One that lasts holds (`Site.hold`) and then undoes itself, also when it is
cancelled; one that lies in wait for something returns at once and acts later. Names and arguments are those of
`scenarios.schedule.KINDS`; see docs/add-a-fault.md.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from functools import cache

from chaos.errors import FaultRefused, UnknownFault
from chaos.site import Site
from scenarios.schedule import KINDS, FaultAt

__all__ = ["Entry", "apply", "check", "entries", "fault", "names"]

Act = Callable[[Site, FaultAt], Awaitable[None]]
EVERYWHERE = "*"


@dataclass(frozen=True, slots=True)
class Entry:
    """One registered fault."""

    name: str
    act: Act
    runtimes: tuple[str, ...]  # "*": all of them
    stores: tuple[str, ...]  # "sqlite", "postgresql"
    on_work: bool = True  # meant for a victim with work in hand; False: it lies in wait for a recovery

    def runs(self, runtime: str) -> bool:
        return EVERYWHERE in self.runtimes or runtime in self.runtimes


_entries: list[Entry] = []


def fault(
    name: str, *, runtimes: Iterable[str] = (EVERYWHERE,), stores: Iterable[str] = ("postgresql",),
    on_work: bool = True,
) -> Callable[[Act], Act]:  # fmt: skip
    """Register the decorated coroutine under this name, for these runtimes and system databases."""
    assert name in KINDS, f"no fault is called {name!r} in scenarios.schedule"

    def register(act: Act) -> Act:
        entry = Entry(name, act, tuple(runtimes), tuple(stores), on_work)
        same = [each for each in _entries if each.name == name and each.runtimes == entry.runtimes]
        assert all(each.act.__module__ == act.__module__ for each in same), f"two faults are called {name!r}"
        _entries[:] = [each for each in _entries if each not in same]
        _entries.append(entry)
        return act

    return register


def entries() -> list[Entry]:
    """All faults, by the files of this package and of the runtimes that were imported."""
    _import_all()
    return sorted(_entries, key=lambda entry: (entry.name, entry.runtimes))


@cache
def _import_all() -> None:
    for module in pkgutil.iter_modules(__path__, prefix=f"{__name__}."):
        importlib.import_module(module.name)


def names(runtime: str = "process", store: str = "postgresql") -> list[str]:
    """Those that this runtime can have with this system database."""
    return sorted({entry.name for entry in entries() if entry.runs(runtime) and store in entry.stores})


def check(name: str, runtime: str, store: str) -> Entry:
    """The fault, if it can be had there. Raises `UnknownFault` or `FaultRefused`."""
    known = [entry for entry in entries() if entry.name == name]
    if not known:
        raise UnknownFault(f"there is no fault {name!r}: choose among {', '.join(names(runtime, store))}")
    here = [entry for entry in known if entry.runs(runtime)]
    if not here:
        where = ", ".join(sorted({each for entry in known for each in entry.runtimes}))
        raise FaultRefused(f"the {runtime} runtime can't have the fault {name!r}: the {where} runtime can")
    own = min(here, key=lambda entry: EVERYWHERE in entry.runtimes)  # a runtime's own before the common one
    if store not in own.stores:
        raise FaultRefused(
            f"on SQLite there is no fault {name!r} (a stopped process keeps the file's write lock, and there is no"
            f" server to break): choose among {', '.join(names(runtime, store))}, or take PostgreSQL"
        )
    return own


async def apply(at: FaultAt, site: Site) -> None:
    """Do it. Raises `UnknownFault`, or `FaultRefused` where the runtime can't have it."""
    await check(at.fault, site.runtime, site.store).act(site, at)
